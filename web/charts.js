'use strict';
// Brings the charts to life. Every number and every drawing is in the page already; this only
// shows, hides, moves, scales and saves. Without it the page still reads.
const kstarCharts = (() => {
  const root = document.documentElement;
  const all = (selector, from = document) => Array.from(from.querySelectorAll(selector));
  const said = document.getElementById('said');
  const tip = document.getElementById('tip');
  const drawings = [];

  function make(tag, text, attributes = {}) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  function draw(tag, attributes, from) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) element.setAttribute(name, value);
    }
    if (from) from.append(element);
    return element;
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

  const centre = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const data = (element) => JSON.parse(element.querySelector('script').textContent);

  // By its name, which may be anything.
  function ofSeries(svg, series) {
    return all('[data-series]', svg).filter((group) => group.dataset.series === series);
  }

  // A tip has lines: what it is, then names with numbers, then notes.
  function tipLines(text) {
    const [head, ...rows] = text.split('\n');
    return { head, rows: rows.map((row) => row.split('\t')) };
  }

  function oneLine(text) {
    const { head, rows } = tipLines(text);
    const words = rows.map(([name, value]) => (value === undefined ? name : `${name} ${value}`));
    return words.length ? `${head}: ${words.join(', ')}` : head;
  }

  function tipTable(text) {
    const { head, rows } = tipLines(text);
    if (!rows.length) return make('p', head);
    const table = make('table');
    table.createCaption().textContent = head;
    for (const [name, value] of rows) {
      const row = table.insertRow();
      if (value === undefined) {
        row.append(make('td', name, { colspan: 2, class: 'note' }));
      } else {
        row.append(make('th', name, { scope: 'row' }), make('td', value));
      }
    }
    return table;
  }

  // Values at one place are listed together; many of them in a line each.
  function fillTip(values) {
    const tables = 3, lines = 24;
    const shown = values.slice(0, lines);
    tip.replaceChildren(...shown.map(({ text }) => (values.length > tables ? make('p', oneLine(text)) : tipTable(text))));
    if (values.length > lines) tip.append(make('p', `and ${values.length - lines} more`));
  }

  // Where the values of an axis lie: "START END LOW HIGH SCALE".
  class Axis {
    constructor(text) {
      const [start, end, low, high, scale] = text.split(' ');
      [this.start, this.end, this.low, this.high] = [start, end, low, high].map(Number);
      this.log = scale === 'log';
    }

    share(value) {
      if (this.log) return Math.log(value / this.low) / Math.log(this.high / this.low);
      return (value - this.low) / (this.high - this.low);
    }

    at(value) {
      return this.start + this.share(value) * (this.end - this.start);
    }

    value(at) {
      const share = (at - this.start) / (this.end - this.start);
      return this.log ? this.low * (this.high / this.low) ** share : this.low + share * (this.high - this.low);
    }

    holds(value) {
      const share = this.share(value);
      return share > -0.001 && share < 1.001;
    }
  }

  // One drawing of a chart: its values, and the ones that are pointed at.
  class Drawing {
    constructor(element, title) {
      this.element = element;
      this.svg = element.querySelector('svg');
      this.across = new Axis(this.svg.dataset.across);
      this.up = new Axis(this.svg.dataset.up);
      this.names = this.svg.dataset.names ? this.svg.dataset.names.split(' ').map(Number) : null;
      this.pointed = [];
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
      drawings.push(this);
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
      this.found ??= all('[data-tip]', this.svg).map((element) => this.valueOf(element)).sort(
        // What stands further left comes first, whatever series it is of.
        (a, b) => a.place.x - b.place.x || a.place.y - b.place.y);
      return this.found;
    }

    // A mark is where its shape is, however long its interval; an area is all of it.
    valueOf(element) {
      const group = element.closest('[data-series]');
      const rule = element.matches('.k-rule'), area = element.matches('.k-cell, .k-part');
      const shape = element.querySelector('.k-point, .k-rule-place') ?? element;
      const box = shape.getBBox();
      box.y += Number(element.dataset.moved ?? 0);
      return {
        element, rule, area, box, place: centre(box),
        get text() { return element.dataset.tip; },
        series: group ? group.dataset.series : '',
      };
    }

    shown(value) {
      return !this.off.has(value.series) && !value.element.classList.contains('moved');
    }

    // The place of an event in the drawing's own coordinates, and how many of those a pixel is.
    place(event) {
      const matrix = this.svg.getScreenCTM().inverse();
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
      return { x, y, pixel: matrix.a };
    }

    pointAt(event) {
      const place = this.place(event);
      const near = this.under(place);
      if (!near.length) this.leave();
      else if (near[0] !== this.at || near.length !== this.pointed.length) this.show(near, false);
      pointTogether(this, near.length ? this.workersAt(this.values[near[0]]) : this.workersOf(place));
    }

    // The nearest mark with those on the same place; else the area below; else a line that is near.
    under(place) {
      return this.nearest(place, 14 * place.pixel, 1.2 * place.pixel)
        ?? this.areasAt(place) ?? this.linesNear(place, 6 * place.pixel);
    }

    nearest(place, reach, same) {
      const away = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
      let best = -1, distance = reach;
      this.values.forEach((value, index) => {
        if (value.area || !this.shown(value)) return;
        const now = away(value.place, place);
        if (now < distance) [best, distance] = [index, now];
      });
      if (best < 0) return null;
      const at = this.values[best].place, together = [best];
      this.values.forEach((value, index) => {
        if (index !== best && !value.area && this.shown(value) && away(value.place, at) <= same) together.push(index);
      });
      return together;
    }

    // Areas that are too thin to be hit are meant together.
    areasAt(place) {
      const found = this.values.map((value, index) => [value, index]).filter(([value]) => {
        if (!value.area || !this.shown(value)) return false;
        const { x, y, width, height } = value.box, more = height < 3 * place.pixel ? 1.5 * place.pixel : 0;
        return place.x >= x && place.x <= x + width && place.y >= y - more && place.y <= y + height + more;
      });
      return found.length ? found.map(([, index]) => index) : null;
    }

    // The line of a rule, or the bar that its interval is.
    linesNear(place, reach) {
      const low = Math.min(this.up.start, this.up.end), high = Math.max(this.up.start, this.up.end);
      if (place.y < low - reach || place.y > high + reach) return [];
      return this.values.map((value, index) => [value, index]).filter(([value]) => {
        if (!value.rule || !this.shown(value)) return false;
        const bar = value.element.querySelector('.k-rule-interval')?.getBBox();
        const on = bar && Math.abs(place.y - bar.y - bar.height / 2) <= reach / 2 && place.x >= bar.x && place.x <= bar.x + bar.width;
        return on || Math.abs(value.place.x - place.x) <= reach;
      }).map(([, index]) => index);
    }

    // The K of a place, where the chart has K on an axis.
    workersOf(place) {
      const axis = this.svg.dataset.workers;
      if (!axis) return null;
      const value = axis === 'x' ? this.across.value(place.x) : this.up.value(place.y);
      if (this.names) return this.names[Math.round(value)] ?? null;
      return value >= this.across.low * 0.999 && value <= this.across.high * 1.001 ? value : null;
    }

    // Of a value: by its place or, in a chart of runs or of costs, by what it says.
    workersAt(value) {
      if (this.svg.dataset.workers) return this.workersOf(value.place);
      const [, workers] = /\bK = (\d+)/.exec(value.text) ?? [];
      return workers === undefined ? null : Number(workers);
    }

    // A line at that K, or none.
    cross(workers) {
      const lines = workers === null ? '' : this.crossAt(workers);
      if (!lines && !this.line) return;
      this.line ??= draw('path', { class: 'k-cross', fill: 'none' }, this.svg);
      this.line.setAttribute('d', lines);
    }

    crossAt(workers) {
      const { across, up } = this;
      if (!this.names) return across.holds(workers) ? `M${across.at(workers)} ${up.start}V${up.end}` : '';
      const places = this.names.map((one, index) => [one, index]).filter(([one]) => one === Math.round(workers));
      return places.map(([, index]) => (this.svg.dataset.workers === 'x'
        ? `M${across.at(index)} ${up.start}V${up.end}` : `M${across.start} ${up.at(index)}H${across.end}`)).join('');
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
      if (next < 0 || next >= count) return;
      this.show([next], true);
      pointTogether(this, this.workersAt(this.values[next]));
    }

    show(indices, aloud) {
      this.unmark();
      this.at = indices[0];
      this.pointed = indices.map((index) => this.values[index]);
      for (const { element } of this.pointed) element.classList.add('pointed');
      fillTip(this.pointed);
      tip.hidden = false;
      const value = this.pointed[0];
      const box = (value.element.querySelector('.k-point, .k-rule-place') ?? value.element).getBoundingClientRect();
      const width = tip.offsetWidth, wide = root.clientWidth;
      const left = Math.min(Math.max(box.left + box.width / 2 - width / 2, 8), wide - width - 8);
      const above = box.top - tip.offsetHeight - 10;
      tip.style.left = `${left + scrollX}px`;
      tip.style.top = `${(above > 0 ? above : box.bottom + 10) + scrollY}px`;
      if (aloud) said.textContent = oneLine(value.text);
    }

    unmark() {
      for (const { element } of this.pointed) element.classList.remove('pointed');
      this.pointed = [];
      this.at = -1;
    }

    leave() {
      pointTogether(this, null);
      if (this.at < 0) return;
      this.unmark();
      tip.hidden = true;
    }

    // Series that are switched off are neither seen nor walked over.
    switchSeries(series, on) {
      this.leave();
      if (on) this.off.delete(series);
      else this.off.add(series);
      for (const group of ofSeries(this.svg, series)) group.classList.toggle('off', !on);
      this.restack();
    }

    // What is left of a bar stands on its foot again.
    restack() {
      const bars = new Map();
      for (const part of all('.k-part[data-part]', this.svg)) {
        const place = part.getAttribute('x');
        bars.set(place, [...(bars.get(place) ?? []), part]);
      }
      for (const parts of bars.values()) {
        const bottom = (part) => Number(part.getAttribute('y')) + Number(part.getAttribute('height'));
        let foot = Math.max(...parts.map(bottom));
        for (const part of parts.sort((a, b) => bottom(b) - bottom(a))) {
          const series = part.closest('[data-series]').dataset.series;
          if (this.off.has(series)) continue;
          this.movePart(part, series, foot - bottom(part));
          foot -= Number(part.getAttribute('height'));
        }
      }
      this.found = undefined;
    }

    movePart(part, series, down) {
      const ranges = ofSeries(this.svg, series).flatMap((group) => all('.k-range', group));
      for (const element of [part, ...ranges.filter((range) => range.dataset.part === part.dataset.part)]) {
        element.setAttribute('transform', `translate(0 ${down})`);
      }
      part.dataset.moved = down;
    }
  }

  // One K in every chart that has K on an axis.
  let crossed = null;
  function pointTogether(from, workers) {
    if (workers === null && crossed !== from) return;
    crossed = workers === null ? null : from;
    for (const drawing of drawings) {
      if (drawing.svg.dataset.workers && !drawing.element.hidden) drawing.cross(workers);
    }
  }

  // The drawing as a file of its own: with title and source, without what is switched off.
  function picture(figure, drawing) {
    drawing.fold(false);
    const svg = drawing.svg.cloneNode(true);
    drawing.fold(true);
    svg.classList.remove('short');
    for (const group of all('.off, .moved, .k-cross', svg)) group.remove();
    for (const element of all('.pointed', svg)) element.classList.remove('pointed');
    const [x, y, width, height] = svg.getAttribute('viewBox').split(/[\s,]+/).map(Number);
    const size = 8, line = size * 1.35;
    const source = figure.querySelector('.source');
    const lines = source ? wrapped(source.textContent, Math.floor(width / (size * 0.47))) : [];
    const write = (text, down, more = {}) => {
      const fonts = 'Liberation Sans, Arial, Helvetica, sans-serif';
      const element = draw('text', {
        x: x + 4, y: down, 'font-size': size, 'font-family': fonts, fill: '#222', ...more,
      }, svg);
      element.textContent = text;
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

  // What a series looks like, beside its name: its area, its line and one of its marks.
  function addSwatch(button, svg, series) {
    const groups = ofSeries(svg, series).filter((one) => one.classList.contains('k-series'));
    if (!groups.length) return;
    const swatch = draw('svg', { viewBox: '-14 -7 28 14', class: 'swatch', 'aria-hidden': 'true' });
    for (const group of groups) {
      const inside = draw('g', { class: group.getAttribute('class').replace(/k-(series|under|over)/g, ''), fill: group.getAttribute('fill'), stroke: group.getAttribute('stroke') }, swatch);
      addKey(group, inside);
    }
    button.prepend(swatch);
  }

  function addKey(group, inside) {
    const area = group.querySelector('.k-band, .k-part'), line = group.querySelector('.k-line');
    const mark = group.querySelector('.k-point, .k-dot');
    if (area) {
      const opacity = Math.max(0.3, Number(area.getAttribute('fill-opacity') ?? 1));
      draw('rect', { x: -12, y: -5.5, width: 24, height: 11, 'fill-opacity': opacity, stroke: 'none' }, inside);
    }
    if (line) draw('path', { d: 'M-13 0H13', 'stroke-width': 2.2, 'stroke-dasharray': line.getAttribute('stroke-dasharray') }, inside);
    if (!mark) return;
    const copy = mark.cloneNode();
    const { x, y } = centre(mark.getBBox());
    copy.removeAttribute('data-tip');
    copy.removeAttribute('fill-opacity');
    const size = Math.max(mark.getBBox().width, 1);
    copy.setAttribute('transform', `scale(${9 / size}) translate(${-x} ${-y})`);
    inside.append(copy);
  }

  // One place at a time, with what the series that are on say of it.
  function setUpStepper(stepper, own) {
    const input = stepper.querySelector('input'), output = stepper.querySelector('output');
    const steps = data(stepper);
    const show = () => {
      const { at, values } = steps[Number(input.value)];
      const words = values.filter(([series]) => !own[0].off.has(series)).map(([, text]) => oneLine(text));
      output.replaceChildren(...words.map((text) => make('p', text)));
      input.setAttribute('aria-valuetext', words.join('; '));
      for (const { svg } of own) {
        for (const mark of all('[data-step]', svg)) {
          mark.classList.toggle('chosen', Number(mark.dataset.step) === at);
        }
      }
    };
    input.addEventListener('input', show);
    show();
    return show;
  }

  // One drawing for each K: the slider chooses.
  function setUpPlaces(places, figure, own) {
    const input = places.querySelector('input'), output = places.querySelector('output');
    const steps = data(places);
    const show = () => {
      const { at, title, summary } = steps[Number(input.value)];
      for (const drawing of own) {
        drawing.leave();
        drawing.element.hidden = Number(drawing.element.dataset.at) !== at;
      }
      figure.querySelector('h3').textContent = title;
      figure.querySelector('.summary').textContent = summary;
      output.textContent = `K = ${at}`;
      input.setAttribute('aria-valuetext', `K = ${at}`);
    };
    input.addEventListener('input', show);
    show();
  }

  // Costs of one unit of price, times the price: nothing else depends on it.
  function setUpPrice(box, figure, own) {
    const input = box.querySelector('input'), output = box.querySelector('output');
    const { goals, unit } = data(box);
    const number = (value) => String(Number(value.toPrecision(3)));
    const labels = own.flatMap(({ svg, up }) => all('.k-axes .k-number', svg).filter(
      (label) => label.getAttribute('text-anchor') === 'middle' && Number(label.getAttribute('y')) > Math.max(up.start, up.end)));
    const marks = own.flatMap(({ svg }) => all('[data-tip]', svg));
    const axes = own.flatMap(({ svg }) => all('.k-axis-label', svg)).filter((label) => label.textContent.startsWith('cost'));
    const firsts = new Map([...labels, ...axes].map((label) => [label, label.textContent]));
    const tips = new Map(marks.map((mark) => [mark, mark.dataset.tip]));
    const show = () => {
      const price = Number(input.value);
      const given = input.value !== '' && price > 0 && Number.isFinite(price);
      const factor = given ? price : 1;
      for (const label of labels) label.textContent = given ? number(Number(firsts.get(label)) * factor) : firsts.get(label);
      for (const label of axes) label.textContent = given ? 'cost (in the unit of the price)' : firsts.get(label);
      for (const mark of marks) {
        mark.dataset.tip = given
          ? tips.get(mark).replace(/\ncost\t(\S+) .*/, (_, cost) => `\ncost\t${number(Number(cost) * factor)}`) : tips.get(mark);
      }
      output.replaceChildren(...goals.map(({ name, workers, time, cost }) => make('p',
        `${name}: K = ${workers}, ${time}, ${number(cost * factor)}${given ? '' : ' ' + unit}`)));
    };
    input.addEventListener('input', show);
    show();
  }

  function setUpChart(figure) {
    const title = figure.querySelector('h3').textContent;
    const own = all('.drawing', figure).map((element) => new Drawing(element, title));
    const current = () => own.find((drawing) => !drawing.element.hidden) ?? own[0];

    for (const button of all('[data-scale]', figure)) {
      button.addEventListener('click', () => {
        const axis = button.dataset.scale, now = current().element.dataset;
        const wanted = { x: now.x, y: now.y, [axis]: now[axis] === 'log' ? 'linear' : 'log' };
        for (const { element } of own) {
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
        for (const drawing of own) drawing.switchSeries(series, on);
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
    const stepper = figure.querySelector('.stepper.values');
    const step = stepper ? setUpStepper(stepper, own) : () => {};
    const places = figure.querySelector('.stepper.places');
    if (places) setUpPlaces(places, figure, own);
    const price = figure.querySelector('.price');
    if (price) setUpPrice(price, figure, own);
    if (figure.querySelector('.legend')) folded.push(...own);
  }

  const folded = [];

  // Another threshold: K* and the bend of every study move, in words and in the charts.
  function setUpThreshold(box) {
    const input = box.querySelector('input'), output = box.querySelector('output');
    const steps = data(box), first = input.value;
    const show = () => {
      const { value, studies } = steps[Number(input.value)];
      box.querySelector('label b').textContent = value;
      input.setAttribute('aria-valuetext', value);
      output.replaceChildren(...studies.map(({ name, text }) => make('p', name ? `${name}: ${text}` : text)));
      const kinds = drawings.filter(({ svg }) => svg.matches('.k-kind-speedup, .k-kind-efficiency'));
      for (const drawing of kinds) {
        drawing.leave();
        moveRules(drawing, input.value === first ? null : studies, Number(value));
        moveBound(drawing, Number(value));
        drawing.found = undefined;
      }
      for (const label of all('.legend [data-series^="threshold "] bdi')) label.textContent = `threshold ${value}`;
    };
    input.addEventListener('input', show);
    show();
  }

  // Those that were drawn stand for the threshold that the page was written with.
  function moveRules(drawing, studies, threshold) {
    const { svg } = drawing;
    for (const old of all('.k-moved', svg)) old.remove();
    for (const rule of all('[data-rule], [data-flag]', svg)) rule.classList.toggle('moved', studies !== null);
    if (!studies) return;
    const rules = studies.flatMap(({ name, color, kstar, bend }) => [
      kstar && { ...kstar, words: 'K*', name, color },
      bend && { ...bend, words: 'bend', name, color, dashed: true },
    ]).filter(Boolean);
    let lane = 0;
    for (const rule of rules) {
      if (drawing.across.holds(rule.at)) drawRule(drawing, rule, rule.low < rule.high ? lane++ : 0, threshold);
    }
  }

  function drawRule({ svg, across, up }, { at, low, high, words, name, color, dashed }, lane, threshold) {
    const x = across.at(at), bottom = up.start, top = up.end;
    const group = draw('g', { class: `k-rule k-moved ${color}` });
    const head = name ? `${name}, ` : '';
    const endless = high >= 1e300;
    group.dataset.tip = words === 'K*'
      ? `${head}K* = ${at}${endless ? ' or more' : ''}\ninterval\t${low} ${endless ? 'or more' : `to ${high}`}\n` +
        (endless ? `E is ${threshold} or more at every measured K` : `E falls below ${threshold} after it`)
      : `${head}bend\nE falls below ${threshold}\tat K = ${at}`;
    if (low < high) {
      const y = bottom - 3.8 - 5.2 * lane, ends = [low, high].map((end) => Math.min(Math.max(across.at(end), across.start), across.end));
      draw('path', { class: 'k-rule-interval', fill: 'none', 'stroke-width': 1.4, d: `M${ends[0]} ${y}H${ends[1]}M${ends[0]} ${y - 2}v4M${ends[1]} ${y - 2}v4` }, group);
    }
    draw('path', { class: 'k-rule-line', fill: 'none', 'stroke-width': 0.9, 'stroke-dasharray': dashed ? '2.5 1.5' : null, d: `M${x} ${bottom}V${top}` }, group);
    draw('path', { class: 'k-rule-place', stroke: 'none', d: `M${x} ${bottom - 3.4}l3.1 5.5h-6.2Z` }, group);
    const right = dashed && x < across.end - 22;  // else its name would leave the drawing
    const text = draw('text', { class: 'k-label', x: x + (right ? 2 : -2), y: top - 3, 'text-anchor': right ? 'start' : 'end', stroke: 'none' }, group);
    text.textContent = words;
    svg.insertBefore(group, svg.querySelector('.k-series'));
  }

  function moveBound({ svg, up }, threshold) {
    for (const group of all('.k-series', svg)) {
      const [, value] = /^threshold (\S+)$/.exec(group.dataset.series ?? '') ?? [];
      if (!value) continue;
      group.setAttribute('transform', `translate(0 ${up.at(threshold) - up.at(Number(value))})`);
      for (const text of all('text', group)) text.textContent = `threshold ${threshold}`;
    }
  }

  function setUp() {
    root.classList.add('alive');
    all('.chart').forEach(setUpChart);
    all('.threshold').forEach(setUpThreshold);
    for (const drawing of folded) drawing.fold(true);
  }

  return { all, make, save, said, setUp, folded };
})();
