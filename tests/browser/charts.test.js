'use strict';
// The charts of ten kinds of studies (write_inputs.py): what is under the pointer is what is named.
const assert = require('node:assert');
const fs = require('node:fs');
const { test, before, after } = require('node:test');
const { launch, close, open } = require('./browser.js');

before(launch);
after(close);

const inputs = fs.readdirSync(process.env.KSTAR_PAGES).filter((name) => name.startsWith('input-')).sort();
const plain = (text) => text.replace(/[\s:,]/g, '');

// Every value of a drawing: its tip and where its mark is, in the window.
function marksOf(drawing) {
  return drawing.evaluate((element) => {
    element.scrollIntoView({ block: 'center' });
    return Array.from(element.querySelectorAll('[data-tip]')).filter((one) => {
      const style = getComputedStyle(one);
      return style.visibility !== 'hidden' && one.getClientRects().length > 0;
    }).map((one) => {
      const shape = one.querySelector('.k-point, .k-rule-place') ?? one;
      const { x, y, width, height } = shape.getBoundingClientRect();
      return { tip: one.dataset.tip, x: x + width / 2, y: y + height / 2, area: one.matches('.k-cell, .k-part') };
    });
  });
}

const tipOf = (page) => page.evaluate(() => {
  const tip = document.getElementById('tip');
  return tip.hidden ? [] : Array.from(tip.children).map((one) => one.textContent);
});

async function checkDrawing(page, drawing, where) {
  const marks = await marksOf(drawing);
  for (const mark of marks) {
    await page.mouse.move(mark.x, mark.y);
    const said = (await tipOf(page)).map(plain);
    const within = (far) => marks.filter((other) => !other.area && Math.hypot(other.x - mark.x, other.y - mark.y) <= far);
    assert.ok(said.includes(plain(mark.tip)), `${where}: at ${JSON.stringify(mark)} the tip says ${JSON.stringify(said)}`);
    if (mark.area) continue;
    for (const other of within(0.5).slice(0, 20)) {
      assert.ok(said.includes(plain(other.tip)), `${where}: ${other.tip} is at the same place as ${mark.tip}`);
    }
    assert.ok(said.length <= within(2.5).length, `${where}: ${said.length} values at ${mark.tip}`);
  }
  return marks.length;
}

for (const name of inputs) {
  test(`the tip names the mark under the pointer: ${name}`, async () => {
    await open(name, { viewport: { width: 1400, height: 900 } }, async (page) => {
      await page.evaluate(() => document.querySelectorAll('details').forEach((one) => { one.open = true; }));
      let marks = 0;
      for (const figure of await page.locator('.chart').all()) {
        const title = await figure.locator('h3').textContent();
        const drawing = figure.locator('.drawing:not([hidden])');
        marks += await checkDrawing(page, drawing, `${name}, ${title}`);
        const scales = /sixty|4096/.test(name) ? await figure.locator('[data-scale]').all() : [];
        for (const button of scales) {
          await button.click();
          await checkDrawing(page, drawing, `${name}, ${title}, other scale`);
        }
      }
      assert.ok(marks > (name.includes('one-k') ? 5 : 10), `${marks} marks`);
    });
  });
}

test('no chart of one K is empty', async () => {
  await open('input-one-k.html', {}, async (page) => {
    const counts = await page.locator('.chart').evaluateAll((all) => all.map((chart) => chart.querySelectorAll('[data-tip]').length));
    assert.ok(counts.length > 0 && Math.min(...counts) > 1, String(counts));
  });
});

test('one K is pointed at in every chart that has it', async () => {
  await open('input-straggler.html', {}, async (page) => {
    // A mark of a chart that has K on an axis, and a run, whose K is said.
    for (const chart of ['.k-kind-speedup', '.k-kind-samples']) {
      const drawing = page.locator('.drawing:not([hidden])', { has: page.locator(chart) }).first();
      const mark = (await marksOf(drawing)).find(({ tip }) => /\bK = 8\n/.test(tip));
      await page.mouse.move(mark.x, mark.y);
      const lines = await page.locator('.drawing:not([hidden]) svg[data-workers]').evaluateAll(
        (all) => all.map((svg) => svg.querySelector('.k-cross')?.getAttribute('d') ?? ''));
      assert.ok(lines.length >= 5 && lines.every((line) => line.startsWith('M')), chart + JSON.stringify(lines));
      await page.mouse.move(1, 1);
      assert.strictEqual(await page.locator('.k-cross:not([d=""])').count(), 0);
    }
  });
});

test('a bar stands on its foot when a part is off, and nothing leaves the whole', async () => {
  await open('input-straggler.html', {}, async (page) => {
    const figure = page.locator('.chart', { has: page.locator('.k-kind-breakdown') });
    const parts = () => figure.locator('.k-series:not(.off) .k-part').evaluateAll((all) => all.map((part) => {
      const { x, top, bottom } = part.getBoundingClientRect();
      return { x, top: top + scrollY, bottom: bottom + scrollY };
    }));
    const before = await parts();
    const foot = Math.max(...before.map(({ bottom }) => bottom));
    await figure.locator('.legend button', { hasText: 'compute' }).click();
    const now = await parts();
    assert.ok(now.length < before.length);
    for (const { x } of now) {
      const lowest = Math.max(...now.filter((part) => Math.abs(part.x - x) < 1).map(({ bottom }) => bottom));
      assert.ok(Math.abs(lowest - foot) < 1.5, `${lowest} is not ${foot}`);
    }
    await figure.locator('.legend button', { hasText: 'compute' }).click();
    const whole = Math.min(...before.map(({ top }) => top));
    const ranges = await figure.locator('.k-range').evaluateAll((all) => all.map((range) => range.getBoundingClientRect().top + scrollY));
    assert.ok(Math.min(...ranges) > whole - 1.5, 'no whisker goes past 1');
  });
});

test('another threshold moves K* and the bend, in words and in both charts', async () => {
  await open('input-strong.html', {}, async (page) => {
    const box = page.locator('.threshold'), output = box.locator('output');
    const first = await output.textContent();
    const places = () => page.locator('.drawing:not([hidden]) svg.k-kind-speedup, .drawing:not([hidden]) svg.k-kind-efficiency').evaluateAll(
      (all) => all.map((svg) => Array.from(svg.querySelectorAll('.k-rule:not(.moved)')).map((rule) => rule.dataset.tip.split('\n')[0])));
    const before = await places();
    assert.strictEqual(before.length, 2);
    assert.deepStrictEqual(before[0], before[1]);
    await box.locator('input').focus();
    await page.keyboard.press('Home');
    assert.notStrictEqual(await output.textContent(), first);
    const now = await places();
    assert.deepStrictEqual(now[0], now[1]);
    assert.notDeepStrictEqual(now, before);
    for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowRight');
    assert.strictEqual(await output.textContent(), first);
    assert.deepStrictEqual(await places(), before);
  });
});

test('the slider of K speaks of every study', async () => {
  await open('input-two.html', {}, async (page) => {
    const stepper = page.locator('.stepper.values').first();
    const last = Number(await stepper.locator('input').getAttribute('max'));
    for (let i = 0; i <= last; i += 1) {
      await stepper.locator('input').evaluate((input, value) => {
        input.value = value;
        input.dispatchEvent(new Event('input'));
      }, i);
      const text = await stepper.locator('output').innerText();
      assert.ok(/before/.test(text) && /after/.test(text), text);
    }
  });
});

test('a price scales the costs, and nothing else', async () => {
  await open('input-strong.html', {}, async (page) => {
    const figure = page.locator('.chart', { has: page.locator('.price') });
    const number = async () => Number(/cost\t(\S+)/.exec(await figure.locator('[data-tip]').first().getAttribute('data-tip'))[1]);
    const hours = await number();
    await figure.locator('.price input').fill('2.5');
    assert.ok(Math.abs((await number()) / hours - 2.5) < 0.02);
    await figure.locator('.price input').fill('');
    assert.strictEqual(await number(), hours);
  });
});

test('the waterfall has every K, and each falls from 100% to E', async () => {
  await open('input-straggler.html', {}, async (page) => {
    const figure = page.locator('.chart', { has: page.locator('.k-kind-waterfall') });
    const input = figure.locator('.stepper input');
    const seen = new Set();
    for (let i = 0; i <= Number(await input.getAttribute('max')); i += 1) {
      await input.evaluate((one, value) => { one.value = value; one.dispatchEvent(new Event('input')); }, i);
      seen.add(await figure.locator('h3').textContent());
      const parts = await figure.locator('.drawing:not([hidden]) .k-part[data-part]').evaluateAll((all) => all.sort(
        (a, b) => Number(a.getAttribute('x')) - Number(b.getAttribute('x'))).map(
        (part) => [Number(part.getAttribute('y')), Number(part.getAttribute('height'))]));
      const [foot] = parts.slice(-1);
      for (let j = 1; j < parts.length; j += 1) {
        const above = parts[j - 1][0] + parts[j - 1][1];
        assert.ok(Math.abs(parts[j][0] - above) < 0.1, `${parts}`);
      }
      assert.ok(foot[1] > 0);
    }
    assert.ok(seen.size > 1, [...seen].join());
  });
});

test('more than thirty points leave the fit visible, above them', async () => {
  await open('input-sixty.html', {}, async (page) => {
    const order = await page.locator('.drawing:not([hidden]) svg.k-kind-speedup').evaluate((svg) => {
      const marks = Array.from(svg.querySelectorAll('.k-mark'));
      const line = svg.querySelector('[data-series="fitted"] .k-line');
      return marks.length > 50 && marks.every((mark) => mark.compareDocumentPosition(line) & Node.DOCUMENT_POSITION_FOLLOWING);
    });
    assert.ok(order);
  });
});
