'use strict';
// Brings the report to life. Every number and every drawing is in the page already; this only
// shows, hides, sorts and saves. Without it the page still reads.
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const said = document.getElementById('said');
  const tip = document.getElementById('tip');
  root.classList.add('alive');

  function make(tag, text, attributes = {}) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  // A page from file:// may have no storage: then nothing is remembered.
  function remember(name, value) {
    try {
      if (value !== undefined) sessionStorage.setItem(name, value);
      return sessionStorage.getItem(name);
    } catch {
      return null;
    }
  }

  function save(name, type, parts) {
    const address = URL.createObjectURL(new Blob(parts, { type }));
    const link = make('a', undefined, { href: address, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    said.textContent = 'Saved ' + name;
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

  // One drawing of a chart: its values, and the one that is pointed at.
  class Drawing {
    constructor(element, title) {
      this.element = element;
      this.svg = element.querySelector('svg');
      this.at = -1;
      this.off = new Set();
      element.tabIndex = 0;
      element.setAttribute('role', 'group');
      element.setAttribute('aria-label', title + ': arrow keys move between its values');
      element.addEventListener('pointermove', (event) => this.pointAt(event));
      element.addEventListener('pointerdown', (event) => this.pointAt(event));
      // A finger is lifted to see what was below it: the next touch elsewhere ends it.
      element.addEventListener('pointerleave', (event) => {
        if (event.pointerType === 'mouse') this.leave();
      });
      document.addEventListener('pointerdown', (event) => {
        if (!element.contains(event.target)) this.leave();
      });
      element.addEventListener('keydown', (event) => this.key(event));
      element.addEventListener('blur', () => this.leave());
    }

    // The buttons below name the series: the drawing's own list of them is for paper and for files.
    fold(short) {
      const legend = this.svg.querySelector('.k-legend');
      if (!legend || all('.k-entry', legend).some((entry) => !entry.dataset.series)) return;
      this.full ??= this.svg.getAttribute('viewBox');
      this.tall ??= this.svg.getAttribute('height');
      const [x, y, width, height] = this.full.split(' ').map(Number);
      const tops = all('text', legend).map((text) => Number(text.getAttribute('y')));
      const below = Math.min(...tops) - 12;
      const last = below > height / 2;  // else it stands beside or above
      this.svg.classList.toggle('short', short && last);
      this.svg.setAttribute('viewBox', short && last ? `${x} ${y} ${width} ${below}` : this.full);
      this.svg.setAttribute('height', short && last ? `${below}pt` : this.tall);
    }

    // Found when first needed: a chart may have thousands.
    get values() {
      if (!this.found) {
        this.found = all('[data-tip]', this.svg).map((element) => {
          const group = element.closest('[data-series]');
          return { element, tip: element.dataset.tip, series: group ? group.dataset.series : '', rule: element.matches('.k-rule') };
        });
        // What stands further left comes first, whatever series it is of.
        for (const value of this.found) value.box = value.element.getBBox();
        this.found.sort((a, b) => centre(a.box).x - centre(b.box).x || a.box.y - b.box.y);
      }
      return this.found;
    }

    shown(value) {
      return !this.off.has(value.series);
    }

    // The place of an event in the drawing's own coordinates.
    place(event) {
      return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    }

    pointAt(event) {
      const place = this.place(event);
      let near = this.nearest(place, (value) => !value.rule);
      if (near < 0) near = this.nearest(place, (value) => value.rule);
      if (near < 0) this.leave();
      else if (near !== this.at) this.show(near, false);
    }

    // A rule is as tall as the plot: it is meant where nothing else is near.
    nearest(place, among) {
      const reach = 10;
      let best = -1, distance = reach * reach;
      this.values.forEach((value, index) => {
        if (!this.shown(value) || !among(value)) return;
        const { x, y, width, height } = value.box;
        const dx = Math.max(x - place.x, 0, place.x - x - width);
        const dy = Math.max(y - place.y, 0, place.y - y - height);
        const away = dx * dx + dy * dy;
        if (away < distance) [best, distance] = [index, away];
      });
      return best;
    }

    key(event) {
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      if (event.key === 'Escape') return this.leave();
      const count = this.values.length;
      let step = steps[event.key], next = this.at;
      if (event.key === 'Home') [step, next] = [1, -1];
      if (event.key === 'End') [step, next] = [-1, count];
      if (!step || !count) return;
      event.preventDefault();
      if (this.at < 0 && step < 0 && event.key !== 'End') next = count;
      do next += step; while (next >= 0 && next < count && !this.shown(this.values[next]));
      if (next >= 0 && next < count) this.show(next, true);
    }

    show(index, aloud) {
      this.leave();
      this.at = index;
      const value = this.values[index];
      value.element.classList.add('pointed');
      tip.textContent = value.tip;
      tip.hidden = false;
      const box = value.element.getBoundingClientRect();
      const width = tip.offsetWidth, wide = root.clientWidth;
      const left = Math.min(Math.max(box.left + box.width / 2 - width / 2, 8), wide - width - 8);
      const above = box.top - tip.offsetHeight - 8;
      tip.style.left = `${left + scrollX}px`;
      tip.style.top = `${(above > 0 ? above : box.bottom + 8) + scrollY}px`;
      if (aloud) said.textContent = value.tip;
    }

    leave() {
      if (this.at < 0) return;
      this.values[this.at].element.classList.remove('pointed');
      this.at = -1;
      tip.hidden = true;
    }

    // Series that are switched off are neither seen nor walked over.
    switchSeries(series, on) {
      this.leave();
      if (on) this.off.delete(series);
      else this.off.add(series);
      for (const group of ofSeries(this.svg, series)) group.classList.toggle('off', !on);
    }
  }

  // By its name, which may be anything.
  function ofSeries(svg, series) {
    return all('[data-series]', svg).filter((group) => group.dataset.series === series);
  }

  function centre(box) {
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  // The drawing as a file of its own: with title and source, without what is switched off.
  function picture(figure, drawing) {
    drawing.fold(false);
    const svg = drawing.svg.cloneNode(true);
    drawing.fold(true);
    svg.classList.remove('short');
    for (const group of all('.off', svg)) group.remove();
    for (const element of all('.pointed', svg)) element.classList.remove('pointed');
    const [x, y, width, height] = svg.getAttribute('viewBox').split(/[\s,]+/).map(Number);
    const size = 8, line = size * 1.35;
    const source = figure.querySelector('.source');
    const lines = source ? wrapped(source.textContent, Math.floor(width / (size * 0.47))) : [];
    const write = (text, down, more = {}) => {
      const fonts = 'Liberation Sans, Arial, Helvetica, sans-serif';
      const element = draw('text', {
        x: x + 4, y: down, 'font-size': size, 'font-family': fonts, fill: '#222', ...more,
      });
      element.textContent = text;
      svg.append(element);
    };
    const head = line * 1.6, foot = lines.length ? line * (lines.length + 0.6) : 0;
    const whole = { x, y: y - head, width, height: height + head + foot };
    svg.prepend(draw('rect', { ...whole, fill: '#fff' }));
    write(figure.querySelector('h3').textContent, y - head + line, { 'font-weight': 'bold', 'font-size': size * 1.2 });
    lines.forEach((text, index) => write(text, y + height + line * (index + 1)));
    svg.setAttribute('viewBox', [whole.x, whole.y, whole.width, whole.height].join(' '));
    svg.setAttribute('width', whole.width + 'pt');
    svg.setAttribute('height', whole.height + 'pt');
    return { text: new XMLSerializer().serializeToString(svg), width: whole.width, height: whole.height };
  }

  function wrapped(text, columns) {
    const lines = [''];
    for (const word of text.trim().split(/\s+/)) {
      const last = lines.length - 1;
      if (lines[last] && lines[last].length + 1 + word.length > columns) lines.push(word);
      else lines[last] += (lines[last] ? ' ' : '') + word;
    }
    return lines;
  }

  async function savePng(name, { text, width, height }) {
    const image = new Image();
    const address = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    try {
      image.src = address;
      await image.decode();
      const scale = 300 / 72;
      const canvas = make('canvas', undefined, {
        width: Math.round(width * scale), height: Math.round(height * scale),
      });
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
      save(name, 'image/png', [blob]);
    } catch {
      said.textContent = 'This browser cannot create a PNG; save the SVG instead.';
    } finally {
      URL.revokeObjectURL(address);
    }
  }

  const folded = [];

  function setUpChart(figure) {
    const title = figure.querySelector('h3').textContent;
    const drawings = all('.drawing', figure).map((element) => new Drawing(element, title));
    const current = () => drawings.find((drawing) => !drawing.element.hidden);

    for (const button of all('[data-scale]', figure)) {
      button.addEventListener('click', () => {
        const axis = button.dataset.scale, now = current().element.dataset;
        const wanted = { x: now.x, y: now.y, [axis]: now[axis] === 'log' ? 'linear' : 'log' };
        for (const { element } of drawings) {
          element.hidden = element.dataset.x !== wanted.x || element.dataset.y !== wanted.y;
        }
        button.setAttribute('aria-pressed', String(wanted[axis] === 'log'));
      });
    }

    for (const button of all('.legend [data-series]', figure)) {
      const series = button.dataset.series;
      addSwatch(button, current().svg, series);
      button.addEventListener('click', () => {
        const on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(on));
        for (const drawing of drawings) drawing.switchSeries(series, on);
        step();
      });
    }

    for (const button of all('[data-picture]', figure)) {
      button.setAttribute('aria-label', `Save ${title} as ${button.dataset.picture.toUpperCase()}`);
      button.addEventListener('click', () => {
        const made = picture(figure, current()), name = `kstar-${figure.dataset.name}`;
        if (button.dataset.picture === 'svg') save(`${name}.svg`, 'image/svg+xml', [made.text]);
        else savePng(`${name}.png`, made);
      });
    }
    const stepper = figure.querySelector('.stepper');
    const step = stepper ? setUpStepper(stepper, drawings) : () => {};
    if (figure.querySelector('.legend')) folded.push(...drawings);
  }

  const drawn = 'http://www.w3.org/2000/svg';

  function draw(tag, attributes) {
    const element = document.createElementNS(drawn, tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) element.setAttribute(name, value);
    }
    return element;
  }

  // What a series looks like, beside its name: as in the drawing's own list of them. Those that are
  // named at their lines are in no list.
  function addSwatch(button, svg, series) {
    const entry = all('.k-entry', svg).find((one) => one.dataset.series === series);
    const group = ofSeries(svg, series).find((one) => one.classList.contains('k-series'));
    if (!entry && !group) return;
    const key = entry && entry.querySelector('.k-key');
    const { x, y } = key ? centre(key.getBBox()) : { x: 0, y: 0 };
    const swatch = draw('svg', { viewBox: `${x - 10} ${y - 4} 20 8`, class: 'swatch', 'aria-hidden': 'true' });
    if (key) {
      swatch.append(key.cloneNode(true));
    } else {
      const drawn = group.querySelector('.k-line');
      const line = draw('path', {
        d: 'M-9 0H9', 'stroke-width': 1.6, 'stroke-dasharray': drawn && drawn.getAttribute('stroke-dasharray'),
        class: group.getAttribute('class').replace(/k-(series|under|over)/g, ''),
      });
      for (const name of ['fill', 'stroke']) line.setAttribute(name, group.getAttribute(name));
      swatch.append(line);
    }
    button.prepend(swatch);
  }

  // One place at a time, with what the series that are on say of it.
  function setUpStepper(stepper, drawings) {
    const input = stepper.querySelector('input'), output = stepper.querySelector('output');
    const steps = JSON.parse(stepper.querySelector('script').textContent);
    const show = () => {
      const { at, values } = steps[Number(input.value)];
      const words = values.filter(([series]) => !drawings[0].off.has(series)).map(([, tip]) => tip).join('; ');
      output.textContent = words;
      input.setAttribute('aria-valuetext', words);
      for (const { svg } of drawings) {
        for (const mark of all('[data-step]', svg)) {
          mark.classList.toggle('chosen', Number(mark.dataset.step) === at);
        }
      }
    };
    input.addEventListener('input', show);
    show();
    return show;
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
  all('.chart').forEach(setUpChart);
  all('table.runs').forEach(setUpRuns);
  all('[data-save]').forEach(setUpSaving);
  for (const drawing of folded) drawing.fold(true);
  setUpPrinting();
  setUpReload();
})();
