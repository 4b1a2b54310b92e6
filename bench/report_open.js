'use strict';
// Opens a report and prints what that cost: seconds until it is loaded, seconds more until a value
// can be pointed at and a column sorted, and the memory of its process.
const fs = require('node:fs');
const { chromium } = require('playwright-core');

// The resident set of the browser's largest renderer, which is that of the page, without what it
// shares with the others.
function rendererMiB(parent) {
  const sizes = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((id) => {
    try {
      const words = fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').split(/[\0 ]/);
      if (!words.includes('--type=renderer') || !words.some((word) => word.includes(parent))) return 0;
      const status = fs.readFileSync(`/proc/${id}/status`, 'utf8');
      return Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024;
    } catch {
      return 0;
    }
  });
  return Math.max(0, ...sizes);
}

(async () => {
  const folder = fs.mkdtempSync('/tmp/kstar-bench-');
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
  const page = context.pages()[0] ?? await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  const begin = performance.now();
  await page.goto('file://' + fs.realpathSync(process.argv[2]));
  const loaded = performance.now();
  // What is folded is opened first, as a reader would.
  await page.evaluate(() => {
    const chart = document.querySelector('.drawing:not([hidden])').closest('details.fold');
    if (chart) chart.open = true;
  });
  await page.locator('.drawing:not([hidden])').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForSelector('#tip:not([hidden])', { state: 'attached' });
  const sorter = page.locator('table.runs thead button').first();
  if (await sorter.count()) {
    await sorter.evaluate((button) => {
      for (let fold = button.closest('details.fold'); fold; fold = fold.parentElement.closest('details.fold')) fold.open = true;
    });
    await sorter.click();
  }
  const usable = performance.now();
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name) => metrics.find((one) => one.name === name).value;
  console.log(JSON.stringify({
    load: (loaded - begin) / 1000, usable: (usable - loaded) / 1000,
    heap: metric('JSHeapTotalSize') / 2 ** 20, processor: metric('ProcessTime'), nodes: metric('Nodes'), memory: rendererMiB(folder),
  }));
  await context.close();
  fs.rmSync(folder, { recursive: true, force: true });
})();
