'use strict';
// One browser for a file of tests. Every page that is opened is watched: an error on its console, or
// a request for anything but itself, fails the test.
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { chromium } = require('playwright-core');

const pages = process.env.KSTAR_PAGES;
const flags = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
];
let browser;

async function launch() {
  // needs: chromium
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
}

async function close() {
  await browser.close();
}

const address = (name) => 'file://' + path.join(pages, name);

// What is folded away cannot be pressed.
async function unfold(page) {
  await page.evaluate(() => {
    for (const fold of document.querySelectorAll('details.fold')) fold.open = true;
  });
}

// Opens a page in a context of its own, gives it to `look`, and judges what happened meanwhile. Its
// sections are open unless it is to be seen as it is: `folded`.
async function open(name, { folded = false, ...options }, look) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  context.setDefaultTimeout(180000);  // on cores that others use
  const page = await context.newPage();
  const troubles = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(message.text());
  });
  page.on('pageerror', (error) => troubles.push(String(error)));
  page.on('dialog', (dialog) => troubles.push('dialog: ' + dialog.message()));
  page.on('request', (request) => {
    const url = request.url();
    if (url !== address(name) && !url.startsWith('blob:') && !url.startsWith('data:')) {
      troubles.push('request: ' + url);
    }
  });
  try {
    await page.goto(address(name));
    if (!folded) await unfold(page);
    const result = await look(page);
    assert.strictEqual(await page.evaluate(() => window.hacked), undefined, 'a planted script ran');
    assert.deepStrictEqual(troubles, []);
    return result;
  } finally {
    await context.close();
  }
}

// What axe-core finds wrong, in words; needs bypassCSP.
async function axe(page) {
  await page.evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
}

const scrollsSideways = (page) => page.evaluate(
  () => document.documentElement.scrollWidth > document.documentElement.clientWidth);

// What pressing something saves: its name and its bytes.
async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}

const scratch = () => fs.mkdtempSync(path.join(os.tmpdir(), 'kstar-browser-'));

module.exports = { launch, close, open, unfold, saved, scratch, address, axe, scrollsSideways };
