// `make bench-peers`: a whole search of ours (meaning, words and names over texts) beside what others take for the
// vectors alone, and a whole decision beside another memory's `add`, in one run. MEMFOLD_COUNTS names how many memories
// (1000,10000 where absent), MEMFOLD_WIDE whether 10,000 × 1,536 is measured too, MEMFOLD_PEERS which peers (a part of
// their names), MEMFOLD_ADDS how many the whole-job peer holds (100; 0 leaves it out).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import load from '../../pkg/memfold.js';
import { open } from '../../pkg/node.js';
import { table } from '../../www/terminal/table.mjs';
import { exported, spread, text } from '../scale.js';
import { mem0 } from './mem0.mjs';
import { peers } from './peers.mjs';

const CALLS = 60;
const counts = (process.env.MEMFOLD_COUNTS ?? '1000,10000').split(',').map(Number);
const adds = Number(process.env.MEMFOLD_ADDS ?? 100);
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const some = Object.entries(peers).filter(([name], n) => n === 0 || (process.env.MEMFOLD_PEERS ?? name).split(',').some((part) => name.includes(part)));
const say = (words) => process.stderr.write(`  ${words}\n`);

const because = (error) => String(error.message).split('\n')[0].replace(/ imported from .*/, '');

/** Unit vectors that are the same in every run. */
function vectors(count, width) {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 31 - 1;
  return Array.from({ length: count }, () => {
    const v = Float32Array.from({ length: width }, next);
    const norm = Math.hypot(...v);
    return v.map((x) => x / norm);
  });
}

/** A scan of as many bytes as our codes have, and nothing else. */
async function bare(count, width) {
  const wasm = at('node_modules/scan.wasm');
  execFileSync(at('../../www/node_modules/.bin/wasm-as'), ['--enable-simd', at('scan.wat'), '-o', wasm]);
  const { instance } = await WebAssembly.instantiate(readFileSync(wasm));
  const { memory, scan } = instance.exports;
  const rows = Math.ceil(count / 4) * 4;
  memory.grow(Math.ceil((rows * width) / 65_536));
  new Uint8Array(memory.buffer).forEach((_, n, all) => (all[n] = (n * 2_654_435_761) >>> 24));
  return () => scan(rows, width);
}

const cells = [];
const ratio = (x, to) => (to ? `${(x / to).toFixed(1)} ×` : '');
const row = (count, width, who, build, { p50, p99 }, recall, own) =>
  cells.push([String(count), String(width), who, build === undefined ? '' : build.toFixed(0), p50.toFixed(2), p99.toFixed(2), recall, ratio(p50, own)]);

/** Prints what was measured since it was called last: a run that is stopped has shown the rest. */
function show() {
  const right = (title) => ({ title, right: true });
  const head = [right('memories'), right('width'), '', right('build ms'), right('p50 ms'), right('p99 ms'), right('recall@10'), 'to ours'];
  if (cells.length > 0) console.log(`${table(head, cells.splice(0))}\n`);
}

async function beside(count, width, own) {
  const made = vectors(count + CALLS, width);
  const [stored, queries] = [made.slice(0, count), made.slice(count)];
  const scan = await bare(count, width);
  row(count, width, 'the bare scan of the same bytes', undefined, await spread(CALLS, scan), '', own);
  let truth;
  for (const [name, peer] of some) {
    say(`${count} × ${width}: ${name}`);
    try {
      const start = performance.now();
      const search = await peer(stored, width);
      const build = performance.now() - start;
      const found = [];
      for (const query of queries.slice(0, 20)) found.push(await search(query));
      truth ??= found;
      const met = found.flatMap((ids, q) => ids.filter((id) => truth[q].includes(id))).length;
      row(count, width, `${name}, vectors alone`, build, await spread(CALLS, (n) => search(queries[n % CALLS])), (met / (10 * found.length)).toFixed(2), own);
    } catch (error) {
      cells.push([String(count), String(width), name, '', '', '', '', `does not run: ${because(error)}`]);
    }
  }
}

let decision;
for (const count of counts) {
  say(`${count}: memfold`);
  const start = performance.now();
  const memories = await open({ store: 'memory', vectors: 'codes' });
  const before = (await load()).memory.buffer.byteLength;
  await memories.import(exported(count));
  const build = performance.now() - start;
  const grown = ((await load()).memory.buffer.byteLength - before) / count;
  const search = await spread(CALLS, (n) => memories.search(text(n * 7)));
  row(count, 384, 'memfold, search of texts', build, search, 'exact', undefined);
  decision = await spread(CALLS, (n) => memories.consolidate({ content: `${text(n * 13)} 변경`, threadId: `y${n}` }));
  row(count, 384, 'memfold, decide and commit', undefined, decision, '', undefined);
  say(`${count}: the instance grew by ${grown.toFixed(0)} bytes a memory, records of the store and the import's text included`);
  await memories.close();
  await beside(count, 384, search.p50);
  show();
}
if (process.env.MEMFOLD_WIDE) await beside(10_000, 1_536);
show();
if (adds > 0) {
  say(`mem0ai, ${adds} adds`);
  try {
    row(adds, 384, 'mem0ai, one add with an instant endpoint', undefined, await mem0(adds, 20, spread), '', decision.p50);
  } catch (error) {
    cells.push([String(adds), '384', 'mem0ai', '', '', '', '', `does not run: ${because(error)}`]);
  }
}
show();
process.exit(0);
