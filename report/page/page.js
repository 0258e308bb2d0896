// A filter, sorting and keys. Without them the page is the same text.
'use strict';
(() => {
const $ = id => document.getElementById(id);
const table = $('table');
$('show-keys').hidden = false;
$('show-keys').addEventListener('click', () => $('keys').showModal());

// Everything is opened for printing but smux's own device code, and as it was afterwards.
let closed = [];
addEventListener('beforeprint', () => {
  closed = [...document.querySelectorAll('details:not([open],.runtime)')];
  closed.forEach(d => { d.open = true; });
});
addEventListener('afterprint', () => { closed.forEach(d => { d.open = false; }); });

// A link into something closed opens it.
function reveal() {
  const target = location.hash && $(decodeURIComponent(location.hash.slice(1)));
  const details = target && target.closest('details');
  if (!details) return;
  details.open = true;
  details.scrollIntoView();
  details.querySelector('summary').focus({preventScroll: true});
}
addEventListener('hashchange', reveal);
// The hash may be the one already, which tells nobody.
document.addEventListener('click', e => {
  const a = e.target.closest('a[href^="#"]');
  if (a && a.hash === location.hash) reveal();
});

document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || $('keys').open) return;
  const typing = e.target.matches('input[type=search],select,textarea');
  if (typing) {
    if (e.key === 'Escape' && e.target.id === 'text') {
      e.target.value = '';
      e.target.dispatchEvent(new Event('input'));
      e.target.blur();
    }
    return;
  }
  // The link's target takes the focus: what is left of the key press must not close it.
  const link = e.key === 'Enter' && e.target.closest('a[href^="#"]');
  const act = link ? () => link.click() : keys[e.key];
  if (act) {
    e.preventDefault();
    act();
  }
});
const keys = {'?': () => $('keys').showModal()};
if (!table) return;

const rows = [...table.tBodies[0].rows].map(row => {
  const details = $('d-' + row.dataset.id);
  const codes = [...details.querySelectorAll('.reasons .code')].map(c => c.textContent).join(' ');
  const heading = details.querySelector('summary').textContent; // with the whole path
  return {row, details, text: [row.textContent, heading, codes].join(' ').toLowerCase()};
});
$('filter').hidden = $('all').hidden = false;
$('filter').addEventListener('submit', e => e.preventDefault());

function filter() {
  const words = $('text').value.toLowerCase().split(/\s+/).filter(Boolean);
  const which = $('which').value;
  let shown = 0;
  for (const r of rows) {
    const show = (!which || r.row.dataset.v === which) && words.every(w => r.text.includes(w));
    r.row.hidden = r.details.hidden = !show;
    if (show) shown++;
  }
  $('none').hidden = shown > 0;
  $('status').textContent = shown === rows.length ? '' : shown + ' of ' + rows.length;
}
$('text').addEventListener('input', filter);
$('which').addEventListener('change', filter);

// What a cell is sorted by: of the spans for GPUs, the one that is shown.
function key(row, column, numeric) {
  const cell = row.cells[column];
  const shown = [...cell.querySelectorAll('.v')].find(v => getComputedStyle(v).display !== 'none') || cell;
  return numeric ? Number(shown.dataset.k) : (column === 0 ? cell.querySelector('a') : shown).textContent.trim();
}
const words = new Intl.Collator('en', {numeric: true});
[...table.tHead.rows[0].cells].forEach((head, column) => {
  const button = document.createElement('button');
  button.type = 'button';
  button.append(...head.childNodes);
  head.append(button);
  head.setAttribute('aria-sort', 'none');
  const numeric = 'numeric' in head.dataset;
  button.addEventListener('click', () => {
    const before = head.getAttribute('aria-sort');
    const down = before === 'none' ? numeric : before === 'ascending';
    for (const h of table.tHead.rows[0].cells) h.setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const of = new Map(rows.map(r => [r, key(r.row, column, numeric)]));
    rows.sort((a, b) => {
      const x = of.get(a), y = of.get(b);
      if (x === '' || y === '') return (x === '') - (y === ''); // those without come last
      const order = numeric ? x - y : words.compare(x, y);
      return down ? -order : order;
    });
    table.tBodies[0].append(...rows.map(r => r.row));
    $('all').after(...rows.map(r => r.details));
  });
});

// The kernel that has the focus: in the table its link, else its heading.
function current() {
  const at = document.activeElement;
  const inTable = table.contains(at) || !rows.some(r => r.details.contains(at));
  const shown = rows.filter(r => !r.row.hidden);
  const index = shown.findIndex(r => r.row.contains(at) || r.details.contains(at));
  return {shown, index, inTable};
}
function move(by) {
  const {shown, index, inTable} = current();
  const next = shown[index < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, index + by))];
  if (next) (inTable ? next.row.querySelector('a') : next.details.querySelector('summary')).focus();
}
function setAll(open) {
  for (const r of rows) if (!r.row.hidden) r.details.open = open;
}
$('open-all').addEventListener('click', () => setAll(true));
$('close-all').addEventListener('click', () => setAll(false));
Object.assign(keys, {
  '/': () => { $('text').focus(); $('text').select(); },
  j: () => move(1),
  k: () => move(-1),
  o: () => {
    const {shown, index, inTable} = current();
    if (index < 0) return;
    if (inTable) shown[index].row.querySelector('a').click();
    else {
      const d = shown[index].details;
      d.open = !d.open;
      d.querySelector('summary').focus();
    }
  },
  x: () => setAll(!rows.every(r => r.row.hidden || r.details.open)),
  t: () => {
    const {shown, index} = current();
    const r = shown[Math.max(0, index)];
    if (r) r.row.querySelector('a').focus();
  },
});
reveal();
})();
