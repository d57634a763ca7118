// `make bench`: the same tasks in Node and in Chromium, as ratios to a baseline of the same run, and the sizes.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import * as memfold from '../pkg/node.js';
import { launch } from '../tests/chromium.mjs';
import { pairs as readPairs } from '../tests/eval/input.mjs';
import { serve } from '../www/serve.mjs';
import { table } from '../www/terminal/table.mjs';
import { measure } from './flow.js';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const say = (text) => process.stderr.write(`  ${text} …\n`);

const files = readdirSync(at('tests/eval/pairs'))
  .filter((f) => f.endsWith('.jsonl'))
  .sort();
const rows = (await Promise.all(files.map((f) => readPairs(at(`tests/eval/pairs/${f}`))))).flat();
// Every n-th pair, so that all files and both languages are in it.
const pairs = rows.filter((_, i) => i % Math.ceil(rows.length / 300) === 0).map(({ existing, next }) => ({ existing, next }));
const mbox = readFileSync(at('tests/inbox/sample.mbox'));

function show(where, results) {
  const cells = results.map((r) => [r.task, r.micros.toFixed(0), r.baseline, r.baselineMicros.toFixed(1), `${(r.micros / r.baselineMicros).toFixed(1)} ×`]);
  const right = (title) => ({ title, right: true });
  console.log(`${where}\n\n${table(['', right('µs'), 'baseline', right('µs'), right('ratio')], cells)}\n`);
}

process.stderr.write('Node\n');
show(`Node ${process.versions.node}`, await measure(memfold, { pairs, mbox }, say));

process.stderr.write('Chromium\n');
const site = await serve(at(''), { pages: { '/bench.html': '<!doctype html><title>bench</title>' } });
const browser = await launch();
try {
  const page = await browser.newPage();
  page.on('console', (m) => say(m.text()));
  await page.goto(`${site.url}/bench.html`);
  const results = await page.evaluate(
    async ({ pairs }) => {
      const [memfold, { measure }] = await Promise.all([import('/pkg/index.js'), import('/benches/flow.js')]);
      const mbox = new Uint8Array(await (await fetch('/tests/inbox/sample.mbox')).arrayBuffer());
      return measure(memfold, { pairs, mbox }, (text) => console.log(text));
    },
    { pairs },
  );
  show(`Chromium ${browser.version()}`, results);
} finally {
  await browser.close();
  await site.close();
}

const kb = (name) => `${(gzipSync(readFileSync(at(`pkg/${name}`)), { level: 9 }).length / 1024).toFixed(1)} KB`;
console.log(`gzipped: memfold_bg.wasm ${kb('memfold_bg.wasm')}, memfold.js ${kb('memfold.js')}, api.js ${kb('api.js')}`);
