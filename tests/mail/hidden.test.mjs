// What a browser shows of tests/cases/hidden.jsonl: each snippet is drawn in Chromium with its probe and with the
// probe's letters in another order; where that makes no difference, the probe cannot be seen. The verdicts are in the
// file, for tests/suite/hidden.rs to hold the reader to. `MEMFOLD_RECORD=1 node tests/mail/hidden.test.mjs` writes them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { launch } from '../chromium.mjs';

const file = new URL('../cases/hidden.jsonl', import.meta.url);
const cases = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const record = process.env.MEMFOLD_RECORD === '1';

/** The windows of a desktop, and a phone's. */
const DESKTOP = [1024, 1920];
const PHONE = 400;
const HEIGHT = 900;
/** Letters of a lower contrast, of fewer pixels or of a lower height cannot be read. */
const CONTRAST = 20;
const PIXELS = 12;
const LETTER = 4;

let browser;
let scale;
const pages = new Map();

before(async () => {
  browser = await launch({ args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars'] });
  scale = await (await browser.newContext()).newPage();
  for (const width of [...DESKTOP, PHONE]) {
    // Nothing runs in a mail, and nothing is loaded.
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: HEIGHT }, colorScheme: 'light' });
    const page = await context.newPage();
    let html = '';
    await page.route('**/*', (route) =>
      route.request().url() === 'http://mail.test/' ? route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }) : route.abort(),
    );
    const show = async (snippet) => {
      html = snippet;
      await page.goto('http://mail.test/');
      if (/animation/.test(snippet)) await page.waitForTimeout(400);
      return page.screenshot({ animations: 'allow', caret: 'hide' });
    };
    pages.set(width, show);
  }
});

after(() => browser?.close());

/** The letters of each word the other way round: as wide, and drawn otherwise. */
const turned = (text) => text.split(' ').map((word) => [...word].reverse().join('')).join(' ');

/** How many pixels differ, and how high the lines are that do. */
function differences(a, b) {
  const of = (png) => `data:image/png;base64,${png.toString('base64')}`;
  return scale.evaluate(
    async ([a, b, contrast]) => {
      const pixels = async (url) => {
        const image = await createImageBitmap(await (await fetch(url)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext('2d', { willReadFrequently: true });
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [one, other] = [await pixels(a), await pixels(b)];
      let count = 0;
      const rows = new Set();
      for (let i = 0; i < one.data.length; i += 4) {
        const by = Math.max(...[0, 1, 2].map((n) => Math.abs(one.data[i + n] - other.data[i + n])));
        if (by < contrast) continue;
        count += 1;
        rows.add(Math.floor(i / 4 / one.width));
      }
      return { count, height: rows.size };
    },
    [of(a), of(b), CONTRAST],
  );
}

async function seen({ html, probe }, width) {
  assert.ok(html.includes(probe) && turned(probe) !== probe, `no probe in ${html}`);
  const show = pages.get(width);
  const [a, b] = [await show(html), await show(html.replaceAll(probe, turned(probe)))];
  if (a.equals(b)) return false;
  const { count, height } = await differences(a, b);
  return count >= PIXELS && height >= LETTER;
}

/** Only these can look otherwise in another window. */
const varies = /media|width|v[wh]|%|right|center/;

test('Chromium shows and hides what the file says', { timeout: 600_000 }, async () => {
  assert.equal(new Set(cases.map((c) => c.id)).size, cases.length);
  const wrong = [];
  for (const one of cases) {
    const [narrow, wide] = DESKTOP;
    const windows = varies.test(one.html) ? [narrow, wide, PHONE] : [narrow];
    const shown = await Promise.all(windows.map((width) => seen(one, width)));
    const verdict = { desktop: shown[0] && (shown[1] ?? true), phone: shown[2] ?? shown[0] };
    if (record) Object.assign(one, verdict);
    else if (verdict.desktop !== one.desktop || verdict.phone !== one.phone) wrong.push({ id: one.id, ...verdict });
  }
  if (record) writeFileSync(file, cases.map((c) => `${JSON.stringify(c)}\n`).join(''));
  assert.deepEqual(wrong, []);
  const shown = cases.filter((c) => c.desktop).length;
  assert.ok(shown >= 50 && cases.length - shown >= 100, `${shown} of ${cases.length} are shown`);
});
