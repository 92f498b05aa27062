// SPDX-License-Identifier: Apache-2.0
// Views of serving runs (steps over time, distributions of latencies) and of sweeps (Pareto front).
'use strict';

// Lines that hold their value until the next step. series: [{name, values}]
function steps_chart(parent, title, axis, times, series) {
  const most = Math.max(1e-12, ...series.flatMap((one) => one.values));
  chart(parent, {title, height: 260, x: {label: 'time, s', low: times[0], high: times.at(-1)},
    y: {label: axis, low: 0, high: most}}, (plot) => {
    series.forEach((one, i) => {
      const d = one.values.map((value, k) => `${k === 0 ? 'M' : 'H'}${plot.x(times[k]).toFixed(1)}` +
        `${k === 0 ? ',' : 'V'}${plot.y(value).toFixed(1)}`).join('');
      plot.svg.append(node('svg:path', {class: 'mark', d, fill: 'none', stroke: color(i),
        'stroke-width': 1.8, 'stroke-dasharray': ['', '6 3', '2 3'][i % 3]}));
    });
    marks_in_time(plot, times, series);
  });
  legend(parent, series.map((one) => one.name));
}

// Areas on top of each other.
function area_chart(parent, title, axis, times, series) {
  const sums = times.map((time, k) => series.reduce((sum, one) => sum + one.values[k], 0));
  chart(parent, {title, height: 260, x: {label: 'time, s', low: times[0], high: times.at(-1)},
    y: {label: axis, low: 0, high: Math.max(1e-12, ...sums)}}, (plot) => {
    let base = times.map(() => 0);
    series.forEach((one, i) => {
      const top = base.map((value, k) => value + one.values[k]);
      const edge = (values) => times.map((time, k) =>
        `${plot.x(time).toFixed(1)},${plot.y(values[k]).toFixed(1)}`);
      plot.svg.append(node('svg:path', {class: 'mark', fill: fill(i),
        d: `M${edge(top).join('L')}L${edge(base).reverse().join('L')}z`}));
      base = top;
    });
    marks_in_time(plot, times, series);
  });
  legend(parent, series.map((one) => one.name));
}

function marks_in_time(plot, times, series) {
  const every = Math.ceil(times.length / 120);
  for (let k = 0; k < times.length; k += every) {
    plot.marks.push({x: plot.x(times[k]), y: (plot.box.top + plot.box.bottom) / 2,
      text: [`${short(times[k])} s`, ...series.map((one) => `${one.name}: ${short(one.values[k])}`)]
        .join('\n')});
  }
}

function draw_steps(tables) {
  for (const table of tables) {
    const rows = rows_of(table);
    if (rows.length < 2) continue;
    const times = rows.map((row) => row.start_s);
    const pick = (name, column, unit = 1) => ({name, values: rows.map((row) => (row[column] || 0) / unit)});
    const note = `${table.file}${table.every > 1 ? `, every ${table.every}th step` : ''}.`;
    steps_chart(section('Concurrency over time', `Requests running and waiting, ${note}`),
      'Concurrency over time', 'requests', times,
      [pick('running', 'running_count'), pick('waiting', 'waiting_count')]);
    const gib = 2 ** 30;
    const parts = [pick('holds cache', 'kv_used_bytes', gib),
      pick('rest of blocks', 'kv_block_internal_bytes', gib),
      pick('reserved, empty', 'kv_reserved_unused_bytes', gib),
      pick('reusable prefix', 'kv_cached_evictable_bytes', gib),
      pick('free', 'kv_free_bytes', gib)];
    area_chart(section('Cache memory over time', `What the cache memory holds, ${note}`),
      'Cache memory over time', 'cache memory, GiB', times,
      parts.filter((part) => part.values.some((value) => value > 0)));
  }
}

// ---- Distributions: share of requests at or below a latency.
function draw_latencies(tables) {
  const kinds = [['ttft_ms', 'Time to first token'], ['tpot_ms', 'Time per output token'],
    ['e2e_ms', 'Arrival to last token']];
  for (const [column, title] of kinds) {
    const series = tables.map((table) => ({name: table.file, values: rows_of(table)
      .filter((row) => row.measured !== 'false').map((row) => row[column])
      .filter((value) => value > 0).sort((a, b) => a - b)})).filter((one) => one.values.length > 1);
    if (series.length === 0) continue;
    const [low, high] = extent(series.flatMap((one) => [one.values[0], one.values.at(-1)]));
    const parent = section(title, 'Share of requests that got it within this time.');
    chart(parent, {title, height: 280, x: {label: `${column.split('_')[0].toUpperCase()}, ms`,
      low, high, log: true}, y: {label: 'requests, %', low: 0, high: 100}}, (plot) => {
      series.forEach((one, i) => {
        const count = one.values.length;
        const d = one.values.map((value, k) => `${k === 0 ? 'M' : 'H'}${plot.x(value).toFixed(1)}` +
          `${k === 0 ? `,${plot.y(0).toFixed(1)}` : ''}V${plot.y(100 * (k + 1) / count).toFixed(1)}`);
        plot.svg.append(node('svg:path', {class: 'mark', d: d.join(''), fill: 'none',
          stroke: color(i), 'stroke-width': 2}));
        for (const percent of [1, 10, 25, 50, 75, 90, 95, 99]) {
          const value = one.values[Math.min(count - 1, Math.ceil(percent * count / 100) - 1)];
          plot.marks.push({x: plot.x(value), y: plot.y(percent),
            text: `${one.name}\n${percent} % within ${short(value)} ms`});
        }
      });
    });
    legend(parent, series.map((one) => one.name));
  }
}

// ---- Pareto front: rows that no other row beats in both numbers.
function pareto(points, x_sign, y_sign) {
  const order = points.slice().sort((a, b) => x_sign * (a.x - b.x) || y_sign * (a.y - b.y));
  const front = [];
  let best = Infinity;
  for (const one of order) {
    if (y_sign * one.y < best) {
      front.push(one);
      best = y_sign * one.y;
    }
  }
  return front;
}

const kFrontDefaults = {
  run: [['time_ns', 'least'], ['new_tokens_per_s', 'most']],
  serve: [['tpot_mean_ms', 'least'], ['output_tokens_per_s', 'most']],
  plan: [['context_tokens_count', 'most'], ['max_requests_count', 'most']],
};

function draw_pareto(table) {
  const rows = rows_of(table);
  if (table.kind === 'run') {
    for (const row of rows) row.new_tokens_per_s = row.batch_count * row.new_tokens_count / row.time_ns * 1e9;
  }
  const names = table.columns.filter((one) => one.number && !one.provenance).map((one) => one.name)
    .concat(table.kind === 'run' ? ['new_tokens_per_s'] : [])
    .filter((name) => distinct(rows.map((row) => row[name])).length > 1);
  const defaults = kFrontDefaults[table.kind];
  if (rows.length < 3 || names.length < 2 || !defaults) return;
  const parent = section(`Trade-offs: ${table.file}`,
    'Two numbers of every row. The line joins the rows that no other row beats in both.');
  const chosen = defaults.map(([name, aim], i) => ({
    name: names.includes(name) ? name : names[Math.min(i, names.length - 1)], aim}));
  const place = node('div', {});
  const select = (text, values, value, set) => node('label', {}, text, node('select', {
    onchange: (event) => { set(event.target.value); redraw(); }},
  ...values.map((one) => node('option', one === value ? {selected: ''} : {}, one))));
  parent.append(node('div', {class: 'controls'}, ...chosen.flatMap((one, i) => [
    select(i === 0 ? 'across' : 'upwards', names, one.name, (value) => { one.name = value; }),
    select('better is', ['least', 'most'], one.aim, (value) => { one.aim = value; })])), place);
  const groups = distinct(rows.map((row) => [row.machine, row.model, row.phase].filter(Boolean).join(' ')));
  const name = namer(table, rows);
  function redraw() {
    place.replaceChildren();
    const [across, up] = chosen;
    const points = rows.map((row) => ({x: row[across.name], y: row[up.name], label: name(row),
      group: groups.indexOf([row.machine, row.model, row.phase].filter(Boolean).join(' '))}))
      .filter((one) => one.x !== null && one.y !== null);
    if (points.length === 0) return;
    const spread = (values) => Math.min(...values) > 0 && Math.max(...values) > 50 * Math.min(...values);
    const axis = (column, values) => {
      const [low, high] = extent(values);
      const is_log = spread(values);
      return {label: column, log: is_log, low: is_log ? low : Math.min(0, low), high};
    };
    const front = pareto(points, across.aim === 'least' ? 1 : -1, up.aim === 'least' ? 1 : -1);
    chart(place, {title: 'Trade-offs', height: 380,
      x: axis(across.name, points.map((one) => one.x)),
      y: axis(up.name, points.map((one) => one.y))}, (plot) => {
      plot.svg.append(node('svg:path', {class: 'axis front', 'stroke-width': 1.5,
        'stroke-dasharray': '5 3',
        d: `M${front.map((one) => `${plot.x(one.x)},${plot.y(one.y)}`).join('L')}`}));
      for (const one of points) {
        point(plot, plot.x(one.x), plot.y(one.y), one.group,
          `${one.label}\n${across.name}: ${short(one.x)}\n${up.name}: ${short(one.y)}`);
      }
      for (const one of front) label(plot, plot.x(one.x), plot.y(one.y), one.label);
    });
  }
  redraw();
  if (groups.length > 1) legend(parent, groups, true);
}
