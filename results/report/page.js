// SPDX-License-Identifier: Apache-2.0
// The page: which views its tables get, and the tables themselves, sortable and filterable.
'use strict';

const kRowsAtOnce = 200;

function compare_cells(a, b, number) {
  if (a === '' || b === '') return (a === '') - (b === '');  // blanks last
  return number ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
}

function draw_table(tables) {
  const parent = section('Tables', 'Choose a column to sort by it; the filter keeps rows in which ' +
    'every word stands somewhere. Meanings of columns: point at their names.');
  let table = tables[0];
  let sorted = -1;
  let down = false;
  let limit = kRowsAtOnce;
  const words = node('input', {type: 'search', oninput: () => fill_rows()});
  const choice = node('select', {onchange: (event) => {
    table = tables[event.target.selectedIndex];
    sorted = -1;
    limit = kRowsAtOnce;
    fill_head();
  }}, ...tables.map((one) => node('option', {}, `${one.file} (${one.kind})`)));
  const head = node('tr', {});
  const body = node('tbody', {});
  const count = node('p', {class: 'note', role: 'status'});
  const more = node('button', {type: 'button', onclick: () => {
    limit = Infinity;
    fill_rows();
  }}, 'show all rows');
  parent.append(node('div', {class: 'controls'}, node('label', {}, 'table', choice),
    node('label', {}, 'filter', words)), count,
  node('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'table'},
    node('table', {}, node('thead', {}, head), body)), more);

  function fill_head() {
    head.replaceChildren(...table.columns.map((column, i) => node('th', {scope: 'col',
      'aria-sort': i === sorted ? (down ? 'descending' : 'ascending') : 'none'},
    node('button', {type: 'button', title: column.meaning, onclick: () => {
      down = sorted === i && !down;
      sorted = i;
      fill_head();
      head.children[i].firstChild.focus();
    }}, column.name + (i === sorted ? (down ? ' ▼' : ' ▲') : '')))));
    fill_rows();
  }

  function fill_rows() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let rows = table.rows;
    if (wanted.length > 0) {
      rows = rows.filter((cells) => {
        const text = cells.join('\n').toLowerCase();
        return wanted.every((word) => text.includes(word));
      });
    }
    if (sorted >= 0) {
      const {number} = table.columns[sorted];
      rows = rows.slice().sort((a, b) => {
        const order = compare_cells(a[sorted], b[sorted], number);
        return a[sorted] === '' || b[sorted] === '' ? order : down ? -order : order;
      });
    }
    body.replaceChildren(...rows.slice(0, limit).map((cells) => node('tr', {},
      ...cells.map((cell, i) => node('td', table.columns[i].number ? {class: 'number'} : {}, cell)))));
    more.hidden = rows.length <= limit;
    const thinned = table.every > 1 ? `; the file has ${table.total}, every ${table.every}th is here` : '';
    count.textContent = `${rows.length} of ${table.rows.length} rows${thinned}.`;
  }
  fill_head();
}

function draw_page() {
  const tables = JSON.parse(document.getElementById('data').textContent);
  const of = (...kinds) => tables.filter((table) => kinds.includes(table.kind));
  document.body.append(stripes());
  draw_roofline(of('run', 'kernels'));
  draw_time(of('kernels'));
  draw_stalls(of('run'));
  draw_steps(of('serve_steps'));
  draw_latencies(of('serve_requests'));
  for (const table of of('run', 'serve', 'plan')) draw_pareto(table);
  draw_table(tables);
  document.body.setAttribute('data-drawn', 'true');
}

draw_page();
