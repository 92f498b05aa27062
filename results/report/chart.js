// SPDX-License-Identifier: Apache-2.0
// Drawing: scales, axes, marks, legends, tips. It knows nothing of the tables. Nothing is fetched.
'use strict';

const kSvg = 'http://www.w3.org/2000/svg';

function node(name, attributes, ...children) {
  const made = name.startsWith('svg:') ? document.createElementNS(kSvg, name.slice(4))
                                       : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const color = (index) => `var(--c${index % 8})`;

// 1234567 -> "1.23M"; at most three digits, so that labels stay short.
function short(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  for (const [limit, letter] of [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
    if (size >= limit) return Number((value / limit).toPrecision(3)) + letter;
  }
  return size >= 1e-3 ? String(Number(value.toPrecision(3))) : value.toExponential(1);
}

// 786e12, FLOP/s -> "786 TFLOP/s"
const measure = (value, unit) => short(value).replace(/[A-Za-z]?$/, (prefix) => ` ${prefix}${unit}`);

// ---- Scales: domain value -> pixel.
function linear(low, high, from, to) {
  if (high <= low) high = low + (Math.abs(low) || 1);
  const scale = (value) => from + (value - low) / (high - low) * (to - from);
  const raw = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((one) => one >= raw);
  scale.ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12); ++i) {
    scale.ticks.push(i * step);
  }
  return scale;
}

// Ends at 1, 2 or 5 times a power of ten; a mark at each of those if they are few.
function log(low, high, from, to) {
  const nice = [];
  for (let i = Math.floor(Math.log10(low)) - 1; i <= Math.ceil(Math.log10(high)) + 1; ++i) {
    nice.push(...[1, 2, 5].map((one) => Number(`${one}e${i}`)));
  }
  const first = nice.findLast((one) => one <= low * (1 + 1e-9));
  const last = nice.find((one) => one >= high * (1 - 1e-9) && one > first);
  const [a, b] = [Math.log10(first), Math.log10(last)];
  const scale = (value) => from + (Math.log10(value) - a) / (b - a) * (to - from);
  const powers = nice.filter((one) => /^1/.test(one.toExponential()));
  const every = Math.ceil((b - a) / 8);
  scale.ticks = (b - a <= 3 ? nice : powers.filter((one, i) => i % every === 0))
    .filter((one) => one >= first && one <= last);
  scale.low = first;
  return scale;
}

// ---- A frame with axes; `draw(plot)` fills it, again whenever the width changes.
// options: title, height, x/y: {label, low, high, log}, left.
function chart(parent, options, draw) {
  const figure = node('figure', {});
  const tip = node('div', {class: 'tip', hidden: '', role: 'status'});
  parent.append(figure);
  let width = 0;
  const render = () => {
    width = figure.clientWidth || 640;
    const height = typeof options.height === 'function' ? options.height(width) : options.height;
    const box = {left: options.left || 64, right: width - 14, top: 14, bottom: height - 46};
    const svg = node('svg:svg', {viewBox: `0 0 ${width} ${height}`, height, role: 'img',
      tabindex: 0, 'aria-label': options.title});
    const plot = {svg, box, width, height, marks: [], labels: []};
    axes(plot, options);
    draw(plot);
    figure.replaceChildren(svg, tip);
    inspect(figure, svg, tip, plot.marks, width);
  };
  render();
  let pending = 0;
  new ResizeObserver(() => {
    if (figure.clientWidth === width || figure.clientWidth === 0) return;
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(render);
  }).observe(figure);
  return figure;
}

function axes(plot, {x, y}) {
  const {svg, box, height} = plot;
  if (x) {
    plot.x = (x.log ? log : linear)(x.low, x.high, box.left, box.right);
    // Labels need about 46 pixels each.
    const every = Math.ceil(plot.x.ticks.length * 46 / (box.right - box.left));
    plot.x.ticks.forEach((tick, i) => {
      const at = plot.x(tick);
      svg.append(node('svg:path', {class: 'grid', d: `M${at},${box.top}V${box.bottom}`}));
      if (i % every === 0) {
        svg.append(node('svg:text', {x: at, y: box.bottom + 16, 'text-anchor': 'middle',
          class: 'faint'}, (x.format || short)(tick)));
      }
    });
    svg.append(node('svg:text', {x: (box.left + box.right) / 2, y: height - 8,
      'text-anchor': 'middle'}, x.label));
  }
  if (y) {
    plot.y = (y.log ? log : linear)(y.low, y.high, box.bottom, box.top);
    for (const tick of plot.y.ticks) {
      const at = plot.y(tick);
      svg.append(node('svg:path', {class: 'grid', d: `M${box.left},${at}H${box.right}`}),
        node('svg:text', {x: box.left - 6, y: at + 4, 'text-anchor': 'end', class: 'faint'},
          (y.format || short)(tick)));
    }
    const middle = (box.top + box.bottom) / 2;
    svg.append(node('svg:text', {x: 14, y: middle, 'text-anchor': 'middle',
      transform: `rotate(-90 14 ${middle})`}, y.label));
  }
  svg.append(node('svg:path', {class: 'axis', d: `M${box.left},${box.top}V${box.bottom}H${box.right}`}));
}

const kShapes = [
  (x, y, r) => `M${x - r},${y}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0`,
  (x, y, r) => `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x},${y - 1.2 * r}l${1.1 * r},${2 * r}h${-2.2 * r}z`,
  (x, y, r) => `M${x},${y - 1.3 * r}l${1.3 * r},${1.3 * r}l${-1.3 * r},${1.3 * r}l${-1.3 * r},${-1.3 * r}z`,
];

// A point that can be pointed at; `text` is its tip. Shape and colour both tell its series.
function point(plot, x, y, series, text, radius = 5) {
  const shape = kShapes[series % kShapes.length](x, y, radius);
  plot.svg.append(node('svg:path', {class: 'mark', d: shape, fill: color(series),
    stroke: 'var(--paper)'}));
  plot.marks.push({x, y, text});
}

// Writes a label beside a point where no other label or point is; leaves it out where none fits.
function label(plot, x, y, text) {
  const wide = 6.6 * text.length;
  const places = [[8, 4], [-8 - wide, 4], [-wide / 2, -9], [-wide / 2, 18], [8, -9], [8, 17]];
  for (const [dx, dy] of places) {
    const box = {left: x + dx, right: x + dx + wide, top: y + dy - 11, bottom: y + dy + 3};
    if (box.left < plot.box.left + 2 || box.right > plot.box.right) continue;
    if (box.top < plot.box.top || box.bottom > plot.box.bottom) continue;
    const meets = (other) => box.left < other.right && other.left < box.right &&
                             box.top < other.bottom && other.top < box.bottom;
    if (plot.labels.some(meets)) continue;
    if (plot.marks.some((mark) => meets({left: mark.x - 5, right: mark.x + 5, top: mark.y - 5,
      bottom: mark.y + 5}) && (mark.x !== x || mark.y !== y))) continue;
    plot.labels.push(box);
    plot.svg.append(node('svg:text', {class: 'halo label', x: x + dx, y: y + dy}, text));
    return;
  }
}

// Tips: under the pointer, or by the arrow keys from mark to mark.
function inspect(figure, svg, tip, marks, width) {
  if (marks.length === 0) return;
  const ring = node('svg:circle', {r: 9, fill: 'none', stroke: 'var(--ink)', 'stroke-width': 2,
    visibility: 'hidden'});
  svg.append(ring);
  const order = marks.map((mark, i) => i).sort((a, b) => marks[a].x - marks[b].x || a - b);
  let at = -1;
  const show = (mark) => {
    ring.setAttribute('cx', mark.x);
    ring.setAttribute('cy', mark.y);
    ring.setAttribute('visibility', 'visible');
    tip.textContent = mark.text;
    tip.hidden = false;
    const left = Math.max(0, Math.min(mark.x + 12, width - tip.offsetWidth));
    tip.style.left = `${left}px`;
    tip.style.top = `${mark.y + 14}px`;
  };
  const hide = () => {
    tip.hidden = true;
    ring.setAttribute('visibility', 'hidden');
  };
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = null;
    let least = 24 * 24;
    for (const mark of marks) {
      const away = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (away < least) [best, least] = [mark, away];
    }
    if (best) show(best);
    else hide();
  });
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('blur', hide);
  svg.addEventListener('keydown', (event) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (event.key === 'Escape') hide();
    if (!step) return;
    event.preventDefault();
    at = at < 0 ? (step > 0 ? 0 : order.length - 1)
                : (at + step + order.length) % order.length;
    show(marks[order[at]]);
  });
}

// Fill of the i-th part of a stack: eight colours, then the same with stripes.
const fill = (index) => (index < 8 ? color(index) : `url(#stripes${index % 8})`);

// The stripes, once for the page: charts are drawn again and again.
function stripes() {
  return node('svg:svg', {width: 0, height: 0, 'aria-hidden': 'true', style: 'position:absolute'},
    node('svg:defs', {}, ...[...Array(8).keys()].map((i) => node('svg:pattern', {
      id: `stripes${i}`, width: 6, height: 6, patternUnits: 'userSpaceOnUse',
      patternTransform: 'rotate(45)'},
    node('svg:rect', {width: 6, height: 6, fill: color(i)}),
    node('svg:rect', {width: 2, height: 6, fill: 'var(--paper)'})))));
}

// `series`: the colour of each name, by default its position.
function legend(parent, names, shapes, series = names.map((name, i) => i)) {
  parent.append(node('ul', {class: 'legend'}, ...names.map((name, i) => {
    const svg = node('svg:svg', {viewBox: '0 0 16 14', 'aria-hidden': 'true'});
    svg.append(shapes
      ? node('svg:path', {d: kShapes[i % kShapes.length](8, 7, 5), fill: color(i)})
      : node('svg:rect', {width: 16, height: 14, fill: fill(series[i])}));
    return node('li', {}, svg, name);
  })));
}
