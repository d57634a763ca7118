// What a browser shows of tests/cases/hidden.jsonl: each snippet is drawn in Chromium with its probe and with the
// probe's letters in another order; where that makes no difference, the probe cannot be seen. The verdicts are in the
// file, for tests/suite/hidden.rs to hold the reader to. `MEMFOLD_RECORD=1 node tests/mail/hidden.test.mjs` writes them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { launch } from '../chromium.mjs';

const file = new URL('../cases/hidden.jsonl', import.meta.url);
const record = process.env.MEMFOLD_RECORD === '1';
const every = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
/** All of them in `make soak`; here each fifth. */
const cases = record || process.env.MEMFOLD_SOAK ? every : every.filter((_, n) => n % 5 === 0);

/** The windows of a desktop, and a phone's. */
const DESKTOP = [1024, 1920];
const PHONE = 400;
const HEIGHT = 600;
/** Letters of a lower contrast, of fewer pixels or of a lower height cannot be read. */
const CONTRAST = 20;
const PIXELS = 12;
const LETTER = 4;

/** How wide and high a sheet of many windows may be. */
const SHEET = 4_096;
/** As every animation has begun and none of a second has ended. */
const BEGUN = 400;

let browser;
let scale;

before(async () => {
  browser = await launch({ args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--hide-scrollbars'] });
  scale = await (await browser.newContext()).newPage();
});

after(() => browser?.close());

/** The letters of each word the other way round: as wide, and drawn otherwise. */
const turned = (text) => text.split(' ').map((word) => [...word].reverse().join('')).join(' ');

/** A window of a mail: a page of its own, as one opened by itself. */
const frame = (html) => `<iframe src="data:text/html;charset=utf-8,${encodeURIComponent(html)}"></iframe>`;

/** In each place both drawings lie on each other, so that what is equal is black. */
const sheet = (some, width) => `<!doctype html><style>
body { margin: 0; background: #fff }
div { position: absolute; width: ${width}px; height: ${HEIGHT}px; overflow: hidden; isolation: isolate; background: #fff }
div > div { mix-blend-mode: difference; left: 0; top: 0 }
iframe { position: absolute; left: 0; top: 0; border: 0; width: 100%; height: 100% }
</style>${some
  .map(({ html, probe }, n) => {
    const [left, top] = place(n, width);
    return `<div style="left:${left}px;top:${top}px">${frame(html)}<div>${frame(html.replaceAll(probe, turned(probe)))}</div></div>`;
  })
  .join('')}`;

const across = (width) => Math.floor(SHEET / width);
const place = (n, width) => [(n % across(width)) * width, Math.floor(n / across(width)) * HEIGHT];

/** How many pixels of each place are not black, and how high the lines are that have them. */
function differences(png, places, width) {
  return scale.evaluate(
    async ([url, places, width, height, contrast]) => {
      const image = await createImageBitmap(await (await fetch(url)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d', { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      return places.map(([left, top]) => {
        const { data } = context.getImageData(left, top, width, height);
        let count = 0;
        const rows = new Set();
        for (let i = 0; i < data.length; i += 4) {
          if (Math.max(data[i], data[i + 1], data[i + 2]) < contrast) continue;
          count += 1;
          rows.add(Math.floor(i / 4 / width));
        }
        return { count, height: rows.size };
      });
    },
    [`data:image/png;base64,${png.toString('base64')}`, places, width, HEIGHT, CONTRAST],
  );
}

/** Of each snippet whether its probe is seen in a window of this width. */
async function seen(all, width) {
  const verdicts = [];
  const most = across(width) * Math.floor(SHEET / HEIGHT);
  // Nothing runs in a mail, and nothing is loaded.
  const viewport = { width: across(width) * width, height: Math.floor(SHEET / HEIGHT) * HEIGHT };
  const context = await browser.newContext({ javaScriptEnabled: false, viewport, screen: { width, height: HEIGHT }, colorScheme: 'light' });
  const page = await context.newPage();
  let body = '';
  await page.route('**/*', (route) =>
    route.request().url() === 'http://mail.test/' ? route.fulfill({ contentType: 'text/html; charset=utf-8', body }) : route.abort(),
  );
  for (let from = 0; from < all.length; from += most) {
    const some = all.slice(from, from + most);
    body = sheet(some, width);
    await page.goto('http://mail.test/');
    if (some.some(({ html }) => /animation/.test(html))) await page.waitForTimeout(BEGUN);
    const png = await page.screenshot({ animations: 'allow', caret: 'hide' });
    const found = await differences(png, some.map((_, n) => place(n, width)), width);
    verdicts.push(...found.map(({ count, height }) => count >= PIXELS && height >= LETTER));
  }
  await context.close();
  return verdicts;
}

/** Only these can look otherwise in another window. */
const varies = /media|width|v[wh]|%|right|center/;

test('Chromium shows and hides what the file says', { timeout: 600_000 }, async () => {
  assert.equal(new Set(cases.map((c) => c.id)).size, cases.length);
  for (const { html, probe } of cases) assert.ok(html.includes(probe) && turned(probe) !== probe, `no probe in ${html}`);
  const [narrow, wide] = DESKTOP;
  const varying = cases.filter((c) => varies.test(c.html));
  const first = await seen(cases, narrow);
  const [others, phone] = [await seen(varying, wide), await seen(varying, PHONE)];
  const wrong = [];
  for (const [n, one] of cases.entries()) {
    const also = varying.indexOf(one);
    const verdict = { desktop: first[n] && (others[also] ?? true), phone: phone[also] ?? first[n] };
    if (record) Object.assign(one, verdict);
    else if (verdict.desktop !== one.desktop || verdict.phone !== one.phone) wrong.push({ id: one.id, ...verdict });
  }
  if (record) writeFileSync(file, cases.map((c) => `${JSON.stringify(c)}\n`).join(''));
  assert.deepEqual(wrong, []);
  const shown = every.filter((c) => c.desktop).length;
  assert.ok(shown >= 50 && every.length - shown >= 100, `${shown} of ${every.length} are shown`);
});
