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
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
}

async function close() {
  await browser.close();
}

const address = (name) => 'file://' + path.join(pages, name);

// Opens a page in a context of its own, gives it to `look`, and judges what happened meanwhile.
async function open(name, options, look) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
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
    const result = await look(page);
    assert.strictEqual(await page.evaluate(() => window.hacked), undefined, 'a planted script ran');
    assert.deepStrictEqual(troubles, []);
    return result;
  } finally {
    await context.close();
  }
}

// What pressing something saves: its name and its bytes.
async function saved(page, press) {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
}

const scratch = () => fs.mkdtempSync(path.join(os.tmpdir(), 'kstar-browser-'));

module.exports = { launch, close, open, saved, scratch, address };
