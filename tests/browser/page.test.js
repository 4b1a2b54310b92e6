'use strict';
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test, before, after } = require('node:test');
const zlib = require('node:zlib');
const { launch, close, open, saved, scratch, axe } = require('./browser.js');

before(launch);
after(close);

const phone = { viewport: { width: 375, height: 740 }, hasTouch: true, isMobile: true };
const pages = ['one.html', 'two.html', 'hostile.html', 'hostile-two.html', 'redacted.html', 'stopped.html'];

// Playwright's own way of waiting needs eval, which the page forbids.
async function until(page, condition) {
  for (let i = 0; i < 100; i += 1) {
    if (await page.evaluate(condition).catch(() => false)) return;
    await page.waitForTimeout(100);
  }
  assert.fail('it never came to that: ' + condition);
}

for (const colorScheme of ['light', 'dark']) {
  test(`axe-core finds nothing wrong, ${colorScheme}`, async () => {
    for (const name of colorScheme === 'light' ? pages : ['one.html', 'two.html']) {
      await open(name, { colorScheme, bypassCSP: true }, async (page) => {
        assert.deepStrictEqual(await axe(page), [], name);
      });
    }
  });
}

test('nothing planted runs, and everything planted is seen as text', async () => {
  for (const name of ['hostile.html', 'hostile-two.html']) {
    await open(name, {}, async (page) => {
      const text = await page.evaluate(() => document.body.innerText);
      for (const seen of ['<script>window.hacked=1</script>', '\\x1b[31m', '\\xe2\\x80\\xae', '{{body}}']) {
        assert.ok(text.includes(seen), `${name} shows ${seen}`);
      }
      assert.strictEqual(await page.locator('main img, main iframe, main object, [onload], [onerror], [onmouseover]').count(), 0);
      assert.strictEqual(await page.locator('a[href]:not([href^="#"]):not([href^="./"])').count(), 0);
      for (const box of await page.locator('.drawing:not([hidden])').all()) {
        await box.focus();
        for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowRight');
      }
      for (const button of await page.locator('.legend button').all()) await button.click();
    });
  }
});

test('a phone scrolls down, not sideways', async () => {
  for (const name of pages) {
    await open(name, phone, async (page) => {
      const { wide, shown } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth, shown: document.documentElement.clientWidth,
      }));
      assert.ok(wide <= shown, `${name}: ${wide} > ${shown}`);
    });
  }
});

test('a touch shows what is known of a value', async () => {
  await open('one.html', phone, async (page) => {
    const mark = page.locator('.drawing:not([hidden]) .k-mark .k-point').first();
    await mark.scrollIntoViewIfNeeded();
    const box = await mark.boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok((await page.locator('#tip').textContent()).length > 3);
    assert.ok(await page.locator('#tip').isVisible());
  });
});

test('pointing at a value shows it, leaving hides it', async () => {
  await open('one.html', {}, async (page) => {
    const mark = page.locator('.drawing:not([hidden]) .k-mark .k-point').first();
    await mark.scrollIntoViewIfNeeded();
    const box = await mark.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(await page.locator('#tip').isVisible());
    await page.mouse.move(2, 2);
    assert.ok(await page.locator('#tip').isHidden());
  });
});

test('the keyboard alone reaches every control and every value', async () => {
  await open('one.html', {}, async (page) => {
    await page.keyboard.press('Tab');
    assert.strictEqual(await page.evaluate(() => document.activeElement.className), 'skip');
    const reached = new Set();
    for (let i = 0; i < 160; i += 1) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => {
        const now = document.activeElement;
        const name = now.dataset.scale || now.dataset.picture || now.dataset.save || now.type || now.tagName;
        return now.classList.contains('drawing') ? 'drawing' : name;
      }));
    }
    for (const control of ['drawing', 'svg', 'png', 'table', 'runs', 'study', 'SUMMARY']) {
      assert.ok(reached.has(control), `${control} is among ${[...reached]}`);
    }
    await page.locator('.drawing:not([hidden])').first().focus();
    const heard = new Set();
    for (let i = 0; i < 4; i += 1) {
      await page.keyboard.press('ArrowRight');
      heard.add(await page.locator('#said').textContent());
    }
    assert.strictEqual(heard.size, 4);
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#tip').isHidden());
  });
});

test('an axis that can be read on both scales changes to the other', async () => {
  await open('one.html', {}, async (page) => {
    const button = page.locator('[data-scale]').first();
    const figure = page.locator('.chart', { has: button }).first();
    const before = await figure.locator('.drawing:not([hidden]) svg').getAttribute('id');
    const pressed = await button.getAttribute('aria-pressed');
    await button.click();
    assert.notStrictEqual(await figure.locator('.drawing:not([hidden]) svg').getAttribute('id'), before);
    assert.notStrictEqual(await button.getAttribute('aria-pressed'), pressed);
    assert.strictEqual(await figure.locator('.drawing:not([hidden])').count(), 1);
  });
});

test('a series can be switched off and on', async () => {
  await open('two.html', {}, async (page) => {
    const button = page.locator('.legend button').first();
    const name = await button.getAttribute('data-series');
    const figure = page.locator('.chart').filter({ has: button }).first();
    const groups = () => figure.locator('.drawing:not([hidden]) .k-series').evaluateAll(
      (all, of) => all.filter((group) => group.dataset.series === of && getComputedStyle(group).visibility !== 'hidden').length, name);
    const before = await groups();
    assert.ok(before > 0);
    await button.click();
    assert.strictEqual(await button.getAttribute('aria-pressed'), 'false');
    assert.strictEqual(await groups(), 0);
    await button.click();
    assert.strictEqual(await groups(), before);
  });
});

test('the slider steps through what is predicted', async () => {
  await open('one.html', {}, async (page) => {
    const slider = page.locator('.stepper.values input').first();
    await slider.focus();
    const output = page.locator('.stepper.values output').first();
    const first = await output.textContent();
    await page.keyboard.press('ArrowRight');
    assert.notStrictEqual(await output.textContent(), first);
    assert.strictEqual(await slider.getAttribute('aria-valuetext'), (await output.locator('p').allTextContents()).join('; '));
    assert.ok(await page.locator('.k-mark.chosen').count() > 0);
  });
});

test('of several studies the slider tells of those that are on, at one K', async () => {
  await open('two.html', {}, async (page) => {
    const chart = page.locator('figure', { has: page.locator('.stepper.values') }).first();
    const output = chart.locator('output').first();
    const names = (await output.textContent()).match(/predicted at K = \d+/g);
    assert.strictEqual(names.length, 2);
    assert.strictEqual(new Set(names).size, 1);
    await chart.locator('.legend button', { hasText: 'predicted' }).first().click();
    assert.strictEqual((await output.textContent()).match(/predicted at K/g).length, 1);
  });
});

test('a drawing without its own legend takes no room for it', async () => {
  await open('one.html', {}, async (page) => {
    const apart = await page.locator('.drawing:not([hidden]) svg.short').evaluateAll((all) => all.map((svg) => {
      const [, , width, height] = svg.getAttribute('viewBox').split(' ').map(Number);
      return Math.abs(svg.clientHeight - svg.clientWidth * height / width);
    }));
    assert.ok(apart.length > 2 && Math.max(...apart) < 2, String(apart));
  });
});

test('every picture can be saved as SVG and PNG', async () => {
  await open('one.html', {}, async (page) => {
    for (const figure of await page.locator('.chart').all()) {
      const svg = await saved(page, () => figure.locator('[data-picture=svg]').click());
      assert.match(svg.name, /^kstar-[a-z-]+\.svg$/);
      const problem = await page.evaluate((text) => {
        const read = new DOMParser().parseFromString(text, 'image/svg+xml');
        return read.querySelector('parsererror') ? 'not well-formed' : read.documentElement.tagName;
      }, svg.bytes.toString());
      assert.strictEqual(problem, 'svg');
      const caption = await figure.locator('.source').textContent();
      assert.ok(svg.bytes.toString().includes(caption.trim().split(' ')[0]), 'it carries its source');
      const png = await saved(page, () => figure.locator('[data-picture=png]').click());
      assert.strictEqual(png.bytes.subarray(1, 4).toString(), 'PNG');
      assert.ok(png.bytes.readUInt32BE(16) > 1000, 'wide enough to print');
    }
  });
});

test('the table, the runs and the study can be taken out', async () => {
  await open('hostile.html', {}, async (page) => {
    const table = await saved(page, () => page.locator('[data-save=table]').click());
    assert.match(table.bytes.toString(), /^K,role,shape,runs,T,/);
    const runs = await saved(page, () => page.locator('[data-save=runs]').click());
    const lines = runs.bytes.toString().trim().split('\n');
    assert.ok(lines.length > 10);
    for (const cell of lines.flatMap((line) => line.split(','))) assert.ok(!/^"?[=+@]/.test(cell), cell);
    const study = await saved(page, () => page.locator('[data-save=study]').click());
    assert.match(zlib.gunzipSync(study.bytes).toString(), /^\{"kstar":"study"/);
  });
});

test('the runs are sorted by a column, a page at a time', async () => {
  await open('one.html', {}, async (page) => {
    const table = page.locator('table.runs');
    const names = await table.locator('thead th').allTextContents();
    const column = names.indexOf('T (s)');
    const cells = () => table.locator(`tbody td:nth-child(${column + 1})`).allTextContents();
    await table.locator('thead button').nth(column).click();
    const up = (await cells()).filter(Boolean).map(Number);
    assert.deepStrictEqual(up, [...up].sort((a, b) => a - b));
    await table.locator('thead button').nth(column).click();
    assert.strictEqual(await table.locator('thead th').nth(column).getAttribute('aria-sort'), 'descending');
    assert.ok(Number((await cells())[0]) > up[0]);
    const first = await cells();
    await page.locator('.pager button', { hasText: 'Next' }).click();
    assert.notDeepStrictEqual(await cells(), first);
  });
});

test('dark is the system’s choice, or the reader’s', async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await open('one.html', { colorScheme: 'dark' }, async (page) => {
    const dark = await ground(page);
    await page.locator('#theme').click();
    const light = await ground(page);
    assert.notStrictEqual(light, dark);
    await page.reload();
    assert.strictEqual(await ground(page), light);
  });
});

test('on paper everything is open, light and without controls', async () => {
  const folder = scratch();
  await open('one.html', { colorScheme: 'dark' }, async (page) => {
    await page.emulateMedia({ media: 'print' });
    const visible = await page.locator('button:visible:not(th button)').count();
    assert.strictEqual(visible, 0);
    assert.strictEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    await page.pdf({ path: path.join(folder, 'page.pdf'), format: 'A4' });
  });
  const text = execFileSync('pdftotext', ['-layout', path.join(folder, 'page.pdf'), '-']).toString();
  for (const words of ['Run on 12 workers', 'The checklist', 'Findings', 'Not applicable', 'Where the numbers come from', 'Every run']) {
    assert.ok(text.includes(words), `the print has ${words}`);
  }
  assert.match(text, /order +K +program +status +T \(s\)/);
  assert.ok(!text.includes('Downloads') || !text.includes('Table as CSV'));
});

test('without its script it still reads', async () => {
  await open('one.html', { javaScriptEnabled: false, folded: true }, async (page) => {
    assert.ok(await page.locator('.drawing:not([hidden]) svg').first().isVisible());
    assert.ok(await page.locator('table.runs tbody tr').count() > 5);
    assert.strictEqual(await page.locator('button:visible').count(), 0);
  }).catch((error) => {
    if (!/window\.hacked|evaluate/.test(String(error))) throw error;
  });
});

test('a page of a study that grows loads itself anew, where the reader was', async () => {
  await open('live.html', { folded: true }, async (page) => {
    assert.ok(await page.locator('progress').isVisible());
    await page.evaluate(() => { scrollTo(0, 300); window.old = true; });
    await until(page, () => !window.old && scrollY === 300);
  });
  // What was opened, switched and chosen is so again.
  await open('live.html', { folded: true }, async (page) => {
    await page.evaluate(() => { window.old = true; });
    await page.locator('.chart details').first().evaluate((details) => { details.open = true; });
    const button = page.locator('.chart .legend button').first();
    await button.click();
    await page.locator('.stepper.values input').first().evaluate((input) => {
      input.value = 2;
      input.dispatchEvent(new Event('input'));
    });
    const words = await page.locator('.stepper.values output').first().textContent();
    await until(page, () => !window.old && document.querySelector('.chart details').open);
    assert.strictEqual(await button.getAttribute('aria-pressed'), 'false');
    assert.strictEqual(await page.locator('.stepper.values output').first().textContent(), words);
  });
  // kstar was killed: the page says that nothing comes, and stops hurrying.
  await open('silent.html', {}, async (page) => {
    assert.ok(await page.getByText(/No update for \d+ h/).isVisible());
    await page.evaluate(() => { window.old = true; });
    await page.waitForTimeout(1500);
    assert.ok(await page.evaluate(() => window.old));
  });
  await open('stopped.html', {}, async (page) => {
    await page.evaluate(() => { window.old = true; });
    await page.waitForTimeout(1500);
    assert.ok(await page.evaluate(() => window.old));
  });
});

test('a redacted page has no secret anywhere', async () => {
  const text = fs.readFileSync(path.join(process.env.KSTAR_PAGES, 'redacted.html'), 'utf8');
  assert.ok(!text.includes('hunter2'));
  const packed = /<script type="application\/x-kstar-study"[^>]*>([^<]+)</.exec(text)[1];
  assert.ok(!zlib.gunzipSync(Buffer.from(packed, 'base64')).includes('hunter2'));
});
