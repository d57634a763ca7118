// The encoder in Chromium and Node: how long it loads, what a text and a pair take, and how much memory it holds. Times are those of
// the processor, since other work on the machine spoils the wall's: node benches/encoder.mjs
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { serve } from '../www/serve.mjs';
import { launch } from '../tests/chromium.mjs';
import { table } from '../www/terminal/table.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const lines = (name) =>
  readFileSync(`${root}tests/cases/encoder/${name}`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const mb = (bytes) => (bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(0)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`);
/** The text of the reference whose tokens are nearest to this many. */
const ofTokens = (count, kind) => {
  const off = (text) => Math.abs(text.tokens.length - count);
  return lines('texts.jsonl')
    .filter((text) => text.kind === kind)
    .sort((a, b) => off(a) - off(b))[0];
};
/** A question, a memory, and pairs as the annotators wrote them. */
const QUERY = ofTokens(14, 'query');
const MEMORY = ofTokens(45, 'document');
const PAIRS = lines('pairs.jsonl');
const pairs = PAIRS.map((p) => [p.stored, p.new, p.sameThread]);

/** Runs in the page or in Node; `cpu` tells milliseconds of this thread. */
async function measure(encoder, source, head, cpu, heap, { query, memory, pairs }) {
  const timed = async (work, times) => {
    await work();
    const start = await cpu();
    for (let n = 0; n < times; n += 1) await work();
    return ((await cpu()) - start) / times;
  };
  const found = {};
  let start = await cpu();
  const plain = await encoder({ source, worker: false, store: false });
  found.load = (await cpu()) - start;
  found.heap = heap();
  plain.close();
  start = await cpu();
  const e = await encoder({ source, head, worker: false, store: false });
  found.loadWithHead = (await cpu()) - start;
  found.heapWithHead = heap();
  found.query = await timed(() => e.embed([query], { kind: 'query' }), 30);
  found.memory = await timed(() => e.embed([memory]), 15);
  found.batch = (await timed(() => e.embed(Array(16).fill(memory)), 2)) / 16;
  found.pair = (await timed(() => e.judge(pairs), 2)) / pairs.length;
  found.heapAfter = heap();
  e.close();
  return found;
}

/** The longest task of a page while the encoder loads in its worker and 100 memories are embedded, in milliseconds. */
async function longest(encoder, source, memory) {
  let most = 0;
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((e) => (most = Math.max(most, e.duration))));
  observer.observe({ type: 'longtask', buffered: true });
  const e = await encoder({ source });
  await e.embed(Array(100).fill(memory));
  await new Promise((resolve) => setTimeout(resolve, 200));
  e.close();
  await encoder.remove();
  return most;
}

const weights = `${root}pkg-encoder/encoder.bin`;
const head = `${root}pkg-encoder/head.bin.gz`;
const given = { query: QUERY.text, memory: MEMORY.text, pairs };
const site = await serve(root, { pages: { '/': '<!doctype html><link rel="icon" href="data:,">' } });
const browser = await launch();
let chromium;
let task;
try {
  const page = await browser.newPage();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.exposeFunction('cpu', async () => (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'ThreadTime').value * 1_000);
  await page.goto(site.url);
  chromium = await page.evaluate(`(async () => {
    let memory;
    const { Instance } = WebAssembly;
    WebAssembly.Instance = function (...args) {
      const made = new Instance(...args);
      memory = made.exports.memory;
      return made;
    };
    const { encoder } = await import('/pkg/encoder.js');
    return (${measure})(encoder, '/pkg-encoder/encoder.bin', '/pkg-encoder/head.bin.gz', cpu, () => memory.buffer.byteLength, ${JSON.stringify(given)});
  })()`);
  const fresh = await browser.newPage();
  await fresh.goto(site.url);
  task = await fresh.evaluate(
    `import('/pkg/encoder.js').then(({ encoder }) => (${longest})(encoder, '/pkg-encoder/encoder.bin', ${JSON.stringify(MEMORY.text)}))`,
  );
} finally {
  await browser.close();
  await site.close();
}
const { encoder } = await import('../pkg/encoder-node.js');
const used = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const node = await measure(encoder, weights, head, used, () => 0, given);

const ms = (value) => value.toFixed(1);
console.log(
  table(
    ['milliseconds of the processor', { title: 'Chromium', right: true }, { title: 'Node', right: true }],
    [
      ['loading', 'load'],
      ['loading with the head', 'loadWithHead'],
      [`a question of ${QUERY.tokens.length} tokens`, 'query'],
      [`a memory of ${MEMORY.tokens.length} tokens`, 'memory'],
      ['a memory, 16 at once', 'batch'],
      [`a pair (${Math.round(PAIRS.reduce((sum, p) => sum + p.tokens.length, 0) / PAIRS.length)} tokens)`, 'pair'],
    ].map(([what, field]) => [what, ms(chromium[field]), ms(node[field])]),
  ),
);
const gzipped = (file) => gzipSync(readFileSync(file), { level: 9 }).length;
console.log(
  table(
    ['size', { title: 'raw', right: true }, { title: 'gzip', right: true }],
    [
      ...[
        ['encoder_bg.wasm', `${root}pkg/encoder_bg.wasm`],
        ['encoder.bin', weights],
        ['head.bin.gz', head],
      ].map(([name, file]) => [name, mb(statSync(file).size), mb(gzipped(file))]),
      ['wasm heap after loading', mb(chromium.heap), ''],
      ['wasm heap with the head', mb(chromium.heapWithHead), ''],
      ['wasm heap after the work', mb(chromium.heapAfter), ''],
    ],
  ),
);
console.log(`longest task of the page while 100 memories are embedded in the worker: ${task === 0 ? 'below 50' : task.toFixed(0)} ms`);
