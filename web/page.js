'use strict';
// The page around the charts: opens what a link leads to, copies commands, sorts the ranking. Without
// it everything is there as well.
(() => {
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const said = document.getElementById('said');

  // A link to something folded opens it, and what it is folded in.
  function openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let closed = false;
    for (let details = target.closest('details'); details; details = details.parentElement.closest('details')) {
      closed = closed || !details.open;
      details.open = true;
    }
    if (closed) target.scrollIntoView();
  }

  // Where they are not at the side, the contents are a line to open.
  function setUpContents() {
    const contents = document.querySelector('.contents details');
    if (!contents) return;
    const wide = matchMedia('(min-width: 75.01rem)');
    const fit = () => { contents.open = wide.matches; };
    wide.addEventListener('change', fit);
    fit();
    contents.addEventListener('click', (event) => {
      if (wide.matches && event.target.closest('summary')) event.preventDefault();
      if (!wide.matches && event.target.closest('a')) contents.open = false;
    });
  }

  // A page from a file may not use the clipboard: then the command is chosen, to be copied by hand.
  async function copy(button) {
    const code = button.parentElement.querySelector('code');
    try {
      await navigator.clipboard.writeText(code.textContent);
      said.textContent = 'Copied';
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    } catch {
      getSelection().selectAllChildren(code);
      said.textContent = 'Chosen: copy it with the keys of your system';
    }
  }

  const value = (row, column) => {
    const cell = row.cells[column], sorted = cell.dataset.sort;
    if (sorted !== undefined) return Number(sorted);
    return cell.matches('.words') ? cell.textContent.trim() : '';
  };

  // What has no value comes last, whichever way.
  function compare(a, b) {
    if (a === '' || b === '') return null;
    return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  }

  function setUpSorting(table) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      if (head.matches('.drawn')) return;
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') === 'ascending';
        for (const other of heads) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const body = table.tBodies[0], rows = Array.from(body.rows);
        const places = rows.map((row, place) => ({ row, place, key: value(row, column) }));
        places.sort((a, b) => {
          const order = compare(a.key, b.key);
          if (order === null) return (a.key === '') - (b.key === '') || a.place - b.place;
          return order * (down ? -1 : 1) || a.place - b.place;
        });
        body.replaceChildren(...places.map(({ row }) => row));
      });
    });
  }

  setUpContents();
  addEventListener('hashchange', openTarget);
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) openTarget();
  });
  if (location.hash) openTarget();
  for (const button of all('[data-copy]')) button.addEventListener('click', () => copy(button));
  all('table.sortable').forEach(setUpSorting);
})();
