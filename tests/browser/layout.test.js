'use strict';
// What is seen first, and how much of it: the page around the charts, of ten kinds of studies
// (write_inputs.py) and of forty studies.
const assert = require('node:assert');
const fs = require('node:fs');
const { test, before, after } = require('node:test');
const { launch, close, open, unfold, axe, scrollsSideways } = require('./browser.js');

before(launch);
after(close);

const pages = fs.readdirSync(process.env.KSTAR_PAGES);
const inputs = pages.filter((name) => name.startsWith('input-')).sort();
const desk = { viewport: { width: 1400, height: 900 }, folded: true };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, folded: true };

const boxOf = (page, selector) => page.locator(selector).first().boundingBox();
const pageHeight = (page) => page.evaluate(() => document.documentElement.scrollHeight);

// Of what is seen; page.test.js has all of it open. Takes the rest out of the page: axe-core needs
// minutes for that of forty studies.
async function axeOfSeen(page) {
  await page.evaluate(() => {
    for (const hidden of document.querySelectorAll('.fold > :not(summary)')) hidden.remove();
  });
  return axe(page);
}

// The texts of small drawings that leave them.
const cutLabels = (page) => page.locator('.multiples .stamp text').evaluateAll((all) => all.filter((text) => {
  const box = text.getBoundingClientRect(), whole = text.closest('svg').getBoundingClientRect();
  return box.left < whole.left - 0.5 || box.right > whole.right + 0.5 || box.top < whole.top - 0.5;
}).map((text) => text.textContent));

// The bar of the loss: what is drawn is what is said, and a guess has no share of it.
async function checkLoss(page, name) {
  const bars = await page.locator('#answer .loss').evaluateAll((all) => all.map((loss) => ({
    drawn: Array.from(loss.querySelectorAll('.bar rect')).map((rect) => Number(rect.getAttribute('width'))),
    said: Array.from(loss.querySelectorAll('.shares b')).map((share) => parseFloat(share.textContent)),
    guess: loss.querySelector('.guess') !== null,
  })));
  for (const { drawn, said, guess } of bars) {
    drawn.forEach((width, index) => assert.ok(Math.abs(width - said[index]) <= 0.51, `${name}: ${drawn} for ${said}`));
    if (drawn.length > 0) assert.ok(Math.abs(drawn.reduce((a, b) => a + b, 0) - 100) < 1.1, name);
    if (guess) assert.deepStrictEqual(said, [100], name);
  }
}

// At 1024 x 768 the curve is beside the answer, and all of it is seen.
async function checkLaptop(page, name) {
  await page.setViewportSize({ width: 1024, height: 768 });
  const answer = await boxOf(page, '.answer'), curve = await boxOf(page, '.seen .drawing:not([hidden])');
  assert.ok(curve.y + curve.height <= 768, `${name}: the curve ends at ${curve.y + curve.height}`);
  assert.ok(curve.x >= answer.x + answer.width, `${name}: it is beside the answer`);
}

async function checkPhone(page, name) {
  assert.ok(!await scrollsSideways(page), name);
  if (!/two|one-k/.test(name)) {
    const text = await page.locator('#answer .answer').textContent();
    assert.match(text, /^(Run on (about )?\d+ workers|Undecided|No measured K)/, name);
    const answer = await boxOf(page, '#answer .answer');
    assert.ok(answer.y + answer.height < 844 / 2, `${name}: it ends at ${answer.y + answer.height}`);
    const tops = await page.locator('#answer .first > *:not(.say), #answer .say > *:not(.answer)').evaluateAll(
      (all) => all.map((one) => one.getBoundingClientRect().top));
    assert.ok(Math.min(...tops) >= answer.y + answer.height - 1, `${name}: it is the first thing`);
  }
  await unfold(page);
  assert.ok(!await scrollsSideways(page), `${name}, open`);
}

for (const name of inputs) {
  test(`the answer first, in at most five screens: ${name}`, async () => {
    await open(name, { ...desk, bypassCSP: true }, async (page) => {
      assert.ok(await pageHeight(page) <= 5 * 900, `${await pageHeight(page)} pixels`);
      await checkLoss(page, name);
      if (name !== 'input-one-k.html') await checkLaptop(page, name);
      assert.deepStrictEqual(await axeOfSeen(page), []);
    });
    await open(name, phone, (page) => checkPhone(page, name));
  });
}

test('the strip says what failed, was assumed or comes from elsewhere, and is not there without', async () => {
  const strip = (name) => open(name, desk, async (page) => (await page.locator('#answer .strip li').allTextContents()).join(' '));
  assert.match(await strip('input-failures.html'), /Failed K\s=\s8 crashed 3 of 4; K\s=\s16 crashed 3 of 4\./);
  assert.match(await strip('input-single.html'), /Single runs .*Imported From csv/);
  assert.match(await strip('ugly-flat.html'), /No speedup S stays near 1/);
  assert.strictEqual(await strip('input-straggler.html'), '');
});

test('a K that mostly fails is not advised without saying so, and is what to look at next', async () => {
  await open('input-failures.html', desk, async (page) => {
    assert.match(await page.locator('#answer .answer').textContent(), /^Run on 8 workers once they no longer fail \(3 of 4 runs did\)/);
    assert.match(await page.locator('#answer .next').textContent(), /See why K\s=\s8 fails:.*--workers 8 /s);
  });
});

test('why not more is about the K behind K*, and never contradicts the answer', async () => {
  await open('input-to-4096.html', desk, async (page) => {
    assert.match(await page.locator('#answer .loss').textContent(), /At K\s=\s16, 31% of the efficiency is lost/);
    assert.match(await page.locator('#answer .command').textContent(), /--workers 1,16 /);
  });
  await open('ugly-jumping.html', desk, async (page) => {
    assert.match(await page.locator('#answer .answer').textContent(), /^Run on 2 workers; 4 would be 1\.5\dx slower; 32 is good again, at \d+%\.$/);
    assert.match(await page.locator('#answer .loss').textContent(), /At K\s=\s4, 6\d% of the efficiency is lost/);
    assert.doesNotMatch(await page.locator('main').textContent(), /Why it bends/);
  });
  await open('ugly-superlinear.html', desk, async (page) => {
    assert.match(await page.locator('#answer .strip').textContent(), /Above linear E\(\d+\)\s=\s\S+ is above 1: check the baseline/);
    assert.match(await page.locator('#answer .loss').textContent(), /Nothing is lost/);
  });
  await open('ugly-noisy.html', desk, async (page) => {
    assert.strictEqual(await page.locator('#answer .bar').count(), 0);
    assert.match(await page.locator('#answer .loss').textContent(), /too few runs to separate a loss from the noise/);
  });
});

test('the command can be copied', async () => {
  await open('input-strong.html', { ...desk, permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const command = await page.locator('.command code').first().textContent();
    assert.match(command, /^kstar /);
    await page.locator('[data-copy]').first().click();
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), command);
  });
});

test('weak scaling has no card of a ceiling; time to train has its split as main chart', async () => {
  await open('input-weak.html', desk, async (page) => {
    assert.strictEqual(await page.locator('.facts', { hasText: 'Ceiling' }).count(), 0);
  });
  await open('input-mlperf.html', desk, async (page) => {
    const chart = page.locator('.seen .chart');
    assert.strictEqual(await chart.getAttribute('data-name'), 'split');
    assert.match(await chart.locator('h3').textContent(), /algorithm x system x fixed time/);
    assert.strictEqual(await chart.locator('.drawing:not([hidden])').getAttribute('data-x'), 'log');
    assert.match(await page.locator('#answer .shares').textContent(), /algorithm.*system/s);
  });
});

test('of two studies the comparison is first, with the ratio and its interval at each K', async () => {
  await open('input-two.html', desk, async (page) => {
    const first = await page.locator('main > section').first().getAttribute('id');
    assert.strictEqual(first, 'comparison');
    const rows = await page.locator('.ratios tbody tr').evaluateAll((all) => all.map((row) => ({
      ratio: Number(row.cells[3].textContent), interval: row.cells[4].textContent, drawn: row.querySelectorAll('.small-range').length,
    })));
    assert.strictEqual(rows.length, 5);
    for (const { ratio, interval, drawn } of rows) {
      const [low, high] = interval.split('..').map(Number);
      assert.ok(low <= ratio && ratio <= high && drawn === 1, `${low} ${ratio} ${high}`);
    }
  });
});

test('no half of a row is empty: a chart alone in it has its words at its side', async () => {
  await open('input-strong.html', desk, async (page) => {
    const drawing = await boxOf(page, '#curves .drawing:not([hidden])'), words = await boxOf(page, '#curves figcaption');
    assert.ok(words.x >= drawing.x + drawing.width && words.y < drawing.y + drawing.height);
  });
});

test('where the time goes stands with the causes', async () => {
  await open('input-straggler.html', desk, async (page) => {
    const names = await page.locator('#causes .chart').evaluateAll((all) => all.map((chart) => chart.dataset.name));
    assert.deepStrictEqual(names, ['waterfall', 'breakdown']);
  });
});

test('a ranking says which study to check first', async () => {
  await open('ranking.html', desk, async (page) => {
    const named = await page.locator('.ranking tbody tr').evaluateAll((all) => all.map((row) => [row.cells[1].textContent, row.cells[7].textContent]));
    assert.deepStrictEqual(Object.fromEntries(named), { jumping: '', flat: 'no speedup', strong: '' });
  });
});

test('contents stand at the side, and lead to what is folded', async () => {
  await open('input-strong.html', desk, async (page) => {
    const nav = await boxOf(page, '.contents'), answer = await boxOf(page, '#answer');
    assert.ok(nav.x + nav.width <= answer.x);
    await page.locator('.contents a', { hasText: 'Every run' }).click();
    assert.ok(await page.locator('#runs-1').evaluate((fold) => fold.open));
    assert.ok(await page.locator('table.runs').isVisible());
    const links = await page.locator('.contents a').evaluateAll((all) => all.map((link) => link.hash.slice(1)));
    for (const id of links) assert.strictEqual(await page.locator(`[id="${id}"]`).count(), 1, id);
  });
});

test('everything but the answer, the curves and the causes is folded', async () => {
  await open('input-straggler.html', desk, async (page) => {
    assert.deepStrictEqual(await page.locator('main > section').evaluateAll((all) => all.map((one) => one.id)), ['answer', 'curves', 'causes']);
    assert.strictEqual(await page.locator('main > details[open]').count(), 0);
    const folds = await page.locator('main > details.fold > summary h2').allTextContents();
    for (const title of ['More charts', 'Numbers', 'Findings', 'Notes', 'Every run', 'Downloads']) assert.ok(folds.includes(title), title);
  });
});

test('no cell of the runs is broken inside a word, at any width', async () => {
  await open('input-straggler.html', {}, async (page) => {
    for (const width of [390, 768, 1024, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      const tall = await page.locator('table.runs tbody td:not(.long)').evaluateAll((all) => all.filter((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set(Array.from(range.getClientRects(), (box) => Math.round(box.top))).size > 1;
      }).map((cell) => cell.textContent));
      assert.deepStrictEqual(tall, [], String(width));
    }
  });
});

test('forty studies are a ranking with sparklines and small multiples, in at most twenty screens', async () => {
  await open('forty.html', { ...desk, bypassCSP: true }, async (page) => {
    assert.ok(await pageHeight(page) <= 20 * 900, `${await pageHeight(page)} pixels`);
    assert.strictEqual(await page.locator('.ranking tbody tr').count(), 40);
    assert.strictEqual(await page.locator('.ranking .spark').count(), 40);
    assert.strictEqual(await page.locator('.multiples .stamp').count(), 40);
    assert.deepStrictEqual(await cutLabels(page), []);
    assert.match(await page.locator('.multiples li').first().textContent(), /K\* = 64\+/);
    const best = await page.locator('.ranking tbody tr').evaluateAll((all) => all.map((row) => Number(row.cells[2].dataset.sort ?? 0)));
    assert.deepStrictEqual(best, [...best].sort((a, b) => b - a));
    await page.locator('.ranking thead button', { hasText: 'T(K*)' }).click();
    const times = await page.locator('.ranking tbody tr').evaluateAll((all) => all.map((row) => row.cells[4].dataset.sort).filter(Boolean).map(Number));
    assert.deepStrictEqual(times, [...times].sort((a, b) => a - b));
    await page.locator('.ranking a').first().click();
    assert.strictEqual(await page.evaluate(() => document.querySelector(location.hash).open), true);
    assert.deepStrictEqual(await axeOfSeen(page), []);
  });
  await open('forty.html', phone, async (page) => assert.ok(!await scrollsSideways(page)));
});
