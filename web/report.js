'use strict';
// Brings the report to life, but for its charts (charts.js). Every number is in the page already;
// this only shows, hides, sorts and saves. Without it the page still reads.
(() => {
  const root = document.documentElement;
  const { all, make, save, folded } = kstarCharts;

  // A page from file:// may have no storage: then nothing is remembered.
  function remember(name, value) {
    try {
      if (value !== undefined) sessionStorage.setItem(name, value);
      return sessionStorage.getItem(name);
    } catch {
      return null;
    }
  }

  // Light or dark: as the system says, until somebody says otherwise.
  function setUpTheme() {
    const button = document.getElementById('theme');
    const system = matchMedia('(prefers-color-scheme: dark)');
    const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
    const show = () => button.setAttribute('aria-pressed', String(isDark()));
    const chosen = remember('kstar-theme');
    if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen;
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      remember('kstar-theme', root.dataset.theme);
      show();
    });
    system.addEventListener('change', show);
    show();
  }

  // The raw table: in order, a page at a time.
  function setUpRuns(table) {
    const data = document.querySelector(`[data-runs-of="${table.dataset.runs}"]`);
    if (!data) return;
    const { columns, rows } = JSON.parse(data.textContent);
    const body = table.tBodies[0], caption = table.caption;
    const screenful = 25, sheets = 500;
    let size = screenful, order = rows.map((_, index) => index), page = 0;

    const pager = make('div', undefined, { class: 'pager' });
    const back = make('button', 'Previous', { type: 'button' });
    const next = make('button', 'Next', { type: 'button' });
    const where = make('span', undefined, { 'aria-live': 'polite' });
    pager.append(back, next, where);
    if (rows.length > size) table.parentElement.after(pager);

    const show = () => {
      const from = page * size, shown = order.slice(from, from + size);
      body.replaceChildren(...shown.map((index) => {
        const row = make('tr');
        rows[index].forEach((value, column) => {
          const cell = make('td', value === null ? '' : String(value));
          if (columns[column].words) cell.className = 'words';
          row.append(cell);
        });
        return row;
      }));
      caption.textContent = shown.length < rows.length && size === sheets
        ? `The first ${shown.length} of ${rows.length} runs`
        : `All ${rows.length} runs; click a column name to sort`;
      where.textContent = `${from + 1} to ${from + shown.length} of ${rows.length}`;
      back.disabled = page === 0;
      next.disabled = from + size >= rows.length;
    };
    back.addEventListener('click', () => { page -= 1; show(); });
    next.addEventListener('click', () => { page += 1; show(); });

    all('thead th', table).forEach((head, column) => {
      const button = make('button', head.textContent, { type: 'button' });
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const down = head.getAttribute('aria-sort') === 'ascending';
        for (const other of all('thead th', table)) other.removeAttribute('aria-sort');
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        order.sort((a, b) => compare(rows[a][column], rows[b][column]) * (down ? -1 : 1) || a - b);
        page = 0;
        show();
      });
    });
    show();
    // On paper there is no next page of it.
    addEventListener('beforeprint', () => { [size, page] = [sheets, 0]; show(); });
    addEventListener('afterprint', () => { size = screenful; show(); });
  }

  // What is missing comes last.
  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  }

  // A cell that a spreadsheet would take for a formula is made text.
  function csvCell(value) {
    if (value === null || typeof value === 'number') return value === null ? '' : String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? "'" + value : value;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function setUpSaving(button) {
    const of = button.dataset.of, kind = button.dataset.save;
    const files = JSON.parse(document.querySelector(`[data-files-of="${of}"]`).textContent);
    const runs = document.querySelector(`[data-runs-of="${of}"]`);
    if (kind === 'runs' && !runs) {
      button.hidden = true;
      return;
    }
    button.addEventListener('click', () => {
      if (kind === 'runs') {
        const { columns, rows } = JSON.parse(runs.textContent);
        const lines = [columns.map((column) => column.name), ...rows];
        save(`${files.stem}-runs.csv`, 'text/csv', lines.map((line) => line.map(csvCell).join(',') + '\n'));
      } else if (kind === 'study') {
        const packed = all('[type="application/x-kstar-study"]')[of - 1].textContent.trim();
        const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
        save(`${files.stem}.jsonl.gz`, 'application/gzip', [bytes]);
      } else {
        save(files[kind].name, files[kind].type, [files[kind].content]);
      }
    });
  }

  // Paper has no buttons to open what is closed.
  function setUpPrinting() {
    let closed = [];
    addEventListener('beforeprint', () => {
      for (const drawing of folded) drawing.fold(false);
      closed = all('details:not([open])');
      for (const details of closed) details.open = true;
    });
    addEventListener('afterprint', () => {
      for (const details of closed) details.open = false;
      for (const drawing of folded) drawing.fold(true);
    });
  }

  // What the reader opened, switched or chose, in the order of the page; a page that was written anew
  // may have more of it.
  function state() {
    return {
      place: scrollY,
      open: all('details').map((details) => details.open),
      pressed: all('.chart button[aria-pressed]').map((button) => button.getAttribute('aria-pressed')),
      steps: all('.stepper input').map((input) => input.value),
    };
  }

  function restore({ place, open, pressed, steps }) {
    all('details').forEach((details, index) => { if (index in open) details.open = open[index]; });
    all('.chart button[aria-pressed]').forEach((button, index) => {
      if (index in pressed && button.getAttribute('aria-pressed') !== pressed[index]) button.click();
    });
    all('.stepper input').forEach((input, index) => {
      if (index in steps) input.value = steps[index];
      input.dispatchEvent(new Event('input'));
    });
    scrollTo(0, place);
  }

  // While the study grows the page loads itself anew, as the reader left it.
  function setUpReload() {
    const left = remember('kstar-left');
    if (left) restore(JSON.parse(left));
    remember('kstar-left', '');
    let seconds = Number(document.body.dataset.reload);
    if (!seconds) return;
    const live = document.getElementById('live');
    const silence = Date.now() / 1000 - Number(live.dataset.written);
    const patience = Number(live.dataset.patience);
    if (patience && silence > patience) {
      const long = silence < 7200 ? `${Math.round(silence / 60)} min` : `${Math.round(silence / 3600)} h`;
      live.append(make('p', `No update for ${long}: a run takes much longer than the ones before, `
        + 'or kstar was killed. This page checks again every minute.', { class: 'silent' }));
      seconds = 60;
    }
    setTimeout(() => {
      remember('kstar-left', JSON.stringify(state()));
      location.reload();
    }, seconds * 1000);
  }

  setUpTheme();
  kstarCharts.setUp();
  all('table.runs').forEach(setUpRuns);
  all('[data-save]').forEach(setUpSaving);
  setUpPrinting();
  setUpReload();
})();
