'use strict';
// Pages of documents: kstar predict, kstar plan, and one with every kind of block and hostile text.
const assert = require('node:assert');
const fs = require('node:fs');
const { test, before, after } = require('node:test');
const { launch, close, open, axe, scrollsSideways } = require('./browser.js');

before(launch);
after(close);

const pages = fs.readdirSync(process.env.KSTAR_PAGES).filter((name) => name.startsWith('document')).sort();
const desk = { viewport: { width: 1400, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

for (const name of pages) {
  test(`a document is a page that can be used by everyone: ${name}`, async () => {
    for (const colorScheme of ['light', 'dark']) {
      await open(name, { ...desk, colorScheme, bypassCSP: true }, async (page) => {
        assert.deepStrictEqual(await axe(page), []);
      });
    }
    await open(name, { ...phone, folded: true }, async (page) => assert.ok(!await scrollsSideways(page)));
    await open(name, phone, async (page) => assert.ok(!await scrollsSideways(page), 'open'));
  });

  test(`its answer is first, its chart beside it and alive: ${name}`, async () => {
    await open(name, { ...desk, folded: true }, async (page) => {
      const answer = await page.locator('.answer').first().boundingBox();
      const chart = await page.locator('.seen .drawing:not([hidden])').first().boundingBox();
      assert.ok(answer.y < 300 && chart.x >= answer.x + answer.width && chart.y + chart.height <= 900);
      const point = await page.locator('.seen .drawing:not([hidden]) [data-tip]').first().boundingBox();
      await page.mouse.move(point.x + point.width / 2, point.y + point.height / 2);
      assert.ok(await page.locator('#tip').isVisible());
    });
  });
}
