// Records which probes of tests/cases/hidden.jsonl are visible. Chromium draws each snippet with its probe and with the
// probe's letters reversed; equal pictures mean a hidden probe. tests/suite/hidden.rs checks the mail reader against these verdicts.
// `MEMFOLD_RECORD=1 node tests/mail/hidden.test.mjs` writes them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { launch } from '../chromium.mjs';
import { thorough } from '../tier.mjs';

const file = new URL('../cases/hidden.jsonl', import.meta.url);
const record = process.env.MEMFOLD_RECORD === '1';
const every = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
/** `make soak` checks all cases, other runs every fifth. */
const cases = record || process.env.MEMFOLD_SOAK ? every : every.filter((_, n) => n % 5 === 0);

/** Window widths of desktops and a phone. */
const DESKTOP = [1024, 1920];
const PHONE = 400;
const HEIGHT = 600;
/** Text below these limits of contrast, pixels or height counts as unreadable. */
const CONTRAST = 20;
const PIXELS = 12;
const LETTER = 4;

/** Maximum size of a sheet of many windows. */
const SHEET = 4_096;
/** Milliseconds after which every animation has begun and none of a second has ended. */
const BEGUN = 400;

let browser;
let scale;

before(async () => {
  browser = await launch({
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--hide-scrollbars',
    ],
  });
  scale = await (await browser.newContext()).newPage();
});

after(() => browser?.close());

/** Reverses the letters of each word, which keeps its width but changes its picture. */
const reverseWords = (text) =>
  text
    .split(' ')
    .map((word) => [...word].reverse().join(''))
    .join(' ');

/** An iframe that shows a mail as its own page. */
const frame = (html) => `<iframe src="data:text/html;charset=utf-8,${encodeURIComponent(html)}"></iframe>`;

/** Overlays both drawings of each snippet, so that equal pixels are black. */
const sheet = (some, width) => `<!doctype html><style>
body { margin: 0; background: #fff }
div { position: absolute; width: ${width}px; height: ${HEIGHT}px; overflow: hidden; isolation: isolate; background: #fff }
div > div { mix-blend-mode: difference; left: 0; top: 0 }
iframe { position: absolute; left: 0; top: 0; border: 0; width: 100%; height: 100% }
</style>${some
  .map(({ html, probe }, n) => {
    const [left, top] = place(n, width);
    return `<div style="left:${left}px;top:${top}px">${frame(html)}<div>${frame(html.replaceAll(probe, reverseWords(probe)))}</div></div>`;
  })
  .join('')}`;

const across = (width) => Math.floor(SHEET / width);
const place = (n, width) => [(n % across(width)) * width, Math.floor(n / across(width)) * HEIGHT];

/** Counts the pixels of each snippet that are not black, and the height of their lines. */
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

/** Whether each snippet's probe is visible in a window of this width. */
async function seen(all, width) {
  const verdicts = [];
  const most = across(width) * Math.floor(SHEET / HEIGHT);
  // Scripts and requests are blocked.
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
    const found = await differences(
      png,
      some.map((_, n) => place(n, width)),
      width,
    );
    verdicts.push(...found.map(({ count, height }) => count >= PIXELS && height >= LETTER));
  }
  await context.close();
  return verdicts;
}

/** Only these snippets can depend on the window. */
const varies = /media|width|v[wh]|%|right|center/;

thorough('Chromium shows and hides text as recorded', { timeout: 600_000 }, async () => {
  assert.equal(new Set(cases.map((c) => c.id)).size, cases.length);
  for (const { html, probe } of cases) assert.ok(html.includes(probe) && reverseWords(probe) !== probe, `no probe in ${html}`);
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
