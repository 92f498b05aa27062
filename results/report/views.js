// SPDX-License-Identifier: Apache-2.0
// What is drawn of which kind of table. A view gets its tables and a section to draw into; it draws
// only rows whose status is ok.
'use strict';

// ---- Rows as objects: numbers are numbers, blanks null.
function rows_of(table) {
  return table.rows.map((cells) => {
    const row = {};
    table.columns.forEach((column, i) => {
      row[column.name] = column.number ? (cells[i] === '' ? null : Number(cells[i])) : cells[i];
    });
    return row;
  }).filter((row) => row.status === undefined || row.status === 'ok');
}

const some = (rows, name) => rows.some((row) => row[name] !== null && row[name] !== undefined);
const distinct = (values) => [...new Set(values)];
const extent = (values) => [Math.min(...values), Math.max(...values)];

// Key columns that differ between rows name a row; all the others say the same in each.
function namer(table, rows) {
  const keys = table.columns.filter((column) => column.key).map((column) => column.name)
    .filter((name) => distinct(rows.map((row) => row[name])).length > 1);
  const unit = {batch_count: 'B=', context_tokens_count: 'C=', new_tokens_count: 'T='};
  const number = new Set(table.columns.filter((column) => column.number).map((column) => column.name));
  const said = (name) => unit[name] || (number.has(name) ? name.replace(/_count$/, '=') : '');
  return (row) => keys.map((name) => said(name) + row[name]).join(' ') ||
                  [row.model, row.phase].filter(Boolean).join(' ') || table.file;
}

function section(title, note) {
  const id = `section-${document.querySelectorAll('section').length + 1}`;
  const made = node('section', {id}, node('h2', {}, title), node('p', {class: 'note'}, note));
  document.querySelector('main').append(made);
  document.querySelector('nav').append(node('a', {href: `#${id}`}, title));
  return made;
}

// ---- Roofline. The roof of a row's machine follows from its own columns.
function roofline_points(table) {
  const rows = rows_of(table);
  const name = namer(table, rows);
  const points = [];
  for (const row of rows) {
    const bytes = row.hbm_read_bytes + row.hbm_write_bytes;
    if (!(row.flops > 0) || !(bytes > 0) || !(row.time_ns > 0)) continue;
    const bandwidth = bytes / row.time_ns * 1e9 / row.hbm_bandwidth_ratio;
    const peak = row.ridge_flop_per_byte ? row.ridge_flop_per_byte * bandwidth
                                         : row.flops / row.time_ns * 1e9 / row.matrix_utilization_ratio;
    const step = table.kind === 'kernels';
    points.push({x: row.flop_per_byte, y: row.flops / row.time_ns * 1e9, bandwidth, peak,
      machine: row.machine, label: step ? row.kernel : name(row),
      series: step ? `kernel: ${row.family}` : `step: ${row.phase}`,
      tip: `${name(row)}\n${short(row.flop_per_byte)} FLOP/byte\n` +
           `${measure(row.flops / row.time_ns * 1e9, 'FLOP/s')} in ${short(row.time_ns / 1e3)} us\n` +
           `bound: ${row.bound}`});
  }
  return points;
}

function draw_roofline(tables) {
  const points = tables.flatMap(roofline_points);
  if (points.length === 0) return;
  const roofs = [];
  for (const one of points) {
    const close = (a, b) => Math.abs(a / b - 1) < 0.01;
    if (!roofs.some((roof) => roof.machine === one.machine && close(roof.peak, one.peak) &&
                              close(roof.bandwidth, one.bandwidth))) roofs.push(one);
  }
  const series = distinct(points.map((one) => one.series));
  const parent = section('Roofline', 'Every step and kernel: arithmetic intensity at the HBM pins ' +
    'against the rate reached. Nothing can lie above the line of its machine.');
  const xs = extent(points.map((one) => one.x).concat(roofs.map((roof) => roof.peak / roof.bandwidth)));
  const ys = extent(points.map((one) => one.y).concat(roofs.map((roof) => roof.peak)));
  chart(parent, {title: 'Roofline', height: (width) => Math.min(520, 300 + width / 5),
    x: {label: 'arithmetic intensity, FLOP/byte', low: xs[0] / 1.2, high: xs[1] * 1.2, log: true},
    y: {label: 'rate, FLOP/s', low: ys[0] / 1.2, high: ys[1] * 1.2, log: true}}, (plot) => {
    for (const roof of roofs) {
      const ridge = roof.peak / roof.bandwidth;
      const start = Math.max(plot.x.low, plot.y.low / roof.bandwidth);
      plot.svg.append(node('svg:path', {class: 'axis roof', 'stroke-width': 2,
        d: `M${plot.x(start)},${plot.y(start * roof.bandwidth)}` +
           `L${plot.x(ridge)},${plot.y(roof.peak)}H${plot.box.right}`}));
    }
    for (const one of points) {
      point(plot, plot.x(one.x), plot.y(one.y), series.indexOf(one.series), one.tip);
    }
    for (const roof of roofs) {
      label(plot, plot.x(roof.peak / roof.bandwidth), plot.y(roof.peak),
        `${roof.machine}: ${measure(roof.peak, 'FLOP/s')}, ${measure(roof.bandwidth, 'B/s')}`);
    }
    for (const one of points) label(plot, plot.x(one.x), plot.y(one.y), one.label);
  });
  legend(parent, series, true);
}

// ---- Horizontal stacked bars. bars: [{name, parts: [value per part]}]
function stacked(parent, title, axis, parts, bars) {
  const used = parts.map((part, i) => i).filter((i) => bars.some((bar) => bar.parts[i] > 0));
  const most = Math.max(...bars.map((bar) => bar.parts.reduce((a, b) => a + (b || 0), 0)));
  const shown = bars.slice(0, 60);
  const left = Math.min(230, 20 + 6.6 * Math.max(...shown.map((bar) => bar.name.length)));
  chart(parent, {title, height: 70 + 24 * shown.length, left,
    x: {label: axis, low: 0, high: most}}, (plot) => {
    shown.forEach((bar, row) => {
      const y = plot.box.top + (row + 0.15) * (plot.box.bottom - plot.box.top) / shown.length;
      const thick = 0.7 * (plot.box.bottom - plot.box.top) / shown.length;
      const room = Math.floor((left - 12) / 6.6);
      const text = bar.name.length > room ? `${bar.name.slice(0, room - 1)}…` : bar.name;
      plot.svg.append(node('svg:text', {x: left - 6, y: y + thick / 2 + 4, 'text-anchor': 'end'},
        text));
      let sum = 0;
      used.forEach((part) => {
        const value = bar.parts[part] || 0;
        const [from, to] = [plot.x(sum), plot.x(sum + value)];
        sum += value;
        if (value <= 0) return;
        plot.svg.append(node('svg:rect', {class: 'mark', x: from, y, width: to - from,
          height: thick, fill: fill(part), stroke: 'var(--paper)', 'stroke-width': 0.5}));
        plot.marks.push({x: (from + to) / 2, y: y + thick / 2,
          text: `${bar.name}\n${parts[part]}: ${short(value)}`});
      });
    });
  });
  legend(parent, used.map((part) => parts[part]), false, used);
  if (shown.length < bars.length) {
    parent.append(node('p', {class: 'note'}, `The first ${shown.length} of ${bars.length} rows.`));
  }
}

function draw_time(tables) {
  for (const table of tables) {
    const rows = rows_of(table);
    if (rows.length === 0) continue;
    const steps = new Map();
    const keys = table.columns.filter((one) => one.key && one.name !== 'kernel');
    for (const row of rows) {
      const step = keys.map((one) => row[one.name]).join('|');
      if (!steps.has(step)) steps.set(step, {first: row, by: new Map()});
      const {by} = steps.get(step);
      by.set(row.family, (by.get(row.family) || 0) + row.time_ns / 1e3);
    }
    const families = distinct(rows.map((row) => row.family));
    const parent = section(`Time by kernel family: ${table.file}`, 'Where the time of a step goes.');
    stacked(parent, 'Time by kernel family', 'time, us', families,
      [...steps.values()].map(({first, by}) => ({
        name: `${first.phase} B=${first.batch_count} C=${first.context_tokens_count}`,
        parts: families.map((family) => by.get(family) || 0)})));
  }
}

function draw_stalls(tables) {
  const kinds = [['matrix', 'Matrix engines', /^matrix_(?!utilization)(.*)_ratio$/],
    ['hbm', 'HBM data buses', /^hbm_(?!bandwidth)(.*)_ratio$/]];
  for (const table of tables) {
    const rows = rows_of(table);
    if (rows.length === 0) continue;
    const name = namer(table, rows);
    for (const [, title, pattern] of kinds) {
      const parts = table.columns.map((one) => one.name).filter((one) => pattern.test(one));
      if (parts.length === 0 || !some(rows, parts[0])) continue;
      const parent = section(`${title}: ${table.file}`,
        'At work, or waiting for what: every cycle has one reason, and they sum to the whole time.');
      stacked(parent, title, 'share of the time, %', parts.map((one) => one.match(pattern)[1]),
        rows.map((row) => ({name: name(row), parts: parts.map((one) => 100 * (row[one] || 0))})));
    }
  }
}
