// `node benches/first.mjs`: what a new page fetches and how long it takes to its first hit, with nothing of it in the browser's
// cache (cold) and with all of it (warm). The page is built by Vite, as a user's is; the 200 memories that it asks are in IndexedDB.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { launch } from '../tests/chromium.mjs';
import { table } from '../www/terminal/table.mjs';
import { site } from './site.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const RUNS = Number(process.env.MEMFOLD_RUNS ?? 15);

const dir = mkdtempSync(join(tmpdir(), 'memfold-first-'));
writeFileSync(join(dir, 'index.html'), '<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="/main.js"></script>');
writeFileSync(
  join(dir, 'main.js'),
  `import { open } from 'memfold';
const memories = await open({ name: 'first' });
globalThis.memories = memories;
const [hit] = await memories.search('When is the kickoff?');
globalThis.took = { ms: performance.now(), found: hit?.memory.content };`,
);
await build({
  root: dir,
  logLevel: 'error',
  configFile: false,
  resolve: { alias: { memfold: at('pkg/index.js') } },
  build: { target: 'es2022', modulePreload: false },
});

const served = await site(join(dir, 'dist'));
const { url } = served;

const browser = await launch();
const context = await browser.newContext();
async function visit(cold) {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  if (cold) await cdp.send('Network.clearBrowserCache');
  served.forget();
  await page.goto(url);
  await page.waitForFunction(() => globalThis.took, null, { polling: 5 });
  const took = await page.evaluate(() => globalThis.took);
  return { page, ...took, kb: served.sent / 1024 };
}

const { page } = await visit(true);
await page.evaluate(async () => {
  for (let n = 0; n < 200; n += 1)
    await globalThis.memories.add({ content: `The kickoff of project ${n} is on ${(n % 28) + 1} March at ${(n % 9) + 8}:00`, threadId: `t${n}` });
});
await page.close();
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
const rows = [];
for (const [name, cold] of [
  ['cold', true],
  ['warm', false],
]) {
  const seen = [];
  for (let n = 0; n < RUNS; n += 1) {
    const { page: shown, ms, found, kb } = await visit(cold);
    if (!found?.startsWith('The kickoff')) throw new Error(`the page has found ${found}`);
    seen.push([ms, kb]);
    await shown.close();
  }
  rows.push([name, Math.round(median(seen.map(([, kb]) => kb))), Math.round(median(seen.map(([ms]) => ms)))].map(String));
}
console.log(table(['a new page', { title: 'KB fetched (gzip)', right: true }, { title: 'ms to the first hit', right: true }], rows));
await browser.close();
await served.close();
rmSync(dir, { recursive: true });
