// `make bench-peers`: a whole search of ours (meaning, words and names over texts) beside what others take for the
// vectors alone, in one run. MEMFOLD_COUNTS names how many memories; 1000,10000 where absent.
import { create, insertMultiple, search } from '@orama/orama';
import load from '../../pkg/memfold.js';
import { open } from '../../pkg/node.js';
import { table } from '../../www/terminal/table.mjs';
import { exported, spread, text } from '../scale.js';

const WIDTH = 384;
const CALLS = 60;
const counts = (process.env.MEMFOLD_COUNTS ?? '1000,10000').split(',').map(Number);

/** Unit vectors that are the same in every run. */
function vectors(count) {
  let state = 1;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 31 - 1;
  return Array.from({ length: count }, () => {
    const v = Float32Array.from({ length: WIDTH }, next);
    const norm = Math.hypot(...v);
    return v.map((x) => x / norm);
  });
}

const cells = [];
const show = (count, who, build, { p50, p99 }) => cells.push([String(count), who, build.toFixed(0), p50.toFixed(2), p99.toFixed(2)]);
for (const count of counts) {
  const made = vectors(count + CALLS);
  const queries = made.slice(count);

  let start = performance.now();
  const memories = await open({ store: 'memory', vectors: 'codes' });
  const before = (await load()).memory.buffer.byteLength;
  await memories.import(exported(count));
  show(count, 'memfold, search of texts', performance.now() - start, await spread(CALLS, (n) => memories.search(text(n * 7))));
  process.stderr.write(`  ${count}: the instance grew by ${(((await load()).memory.buffer.byteLength - before) / count).toFixed(0)} bytes a memory, records of the store and the import's text included\n`);
  await memories.close();

  start = performance.now();
  const flat = new Float32Array(count * WIDTH);
  made.slice(0, count).forEach((v, n) => flat.set(v, n * WIDTH));
  const build = performance.now() - start;
  show(count, 'plain f32 scan in JavaScript', build, await spread(CALLS, (n) => {
    const query = queries[n % CALLS];
    const scores = new Float32Array(count);
    for (let row = 0; row < count; row += 1) {
      let sum = 0;
      for (let i = 0, at = row * WIDTH; i < WIDTH; i += 1, at += 1) sum += flat[at] * query[i];
      scores[row] = sum;
    }
    return Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]).slice(0, 10);
  }));

  start = performance.now();
  const db = create({ schema: { embedding: `vector[${WIDTH}]` } });
  await insertMultiple(db, made.slice(0, count).map((v) => ({ embedding: [...v] })));
  show(count, '@orama/orama, vectors alone', performance.now() - start, await spread(CALLS, (n) =>
    search(db, { mode: 'vector', vector: { value: [...queries[n % CALLS]], property: 'embedding' }, similarity: 0, limit: 10 })));
}
const right = (title) => ({ title, right: true });
console.log(table([right('memories'), '', right('build ms'), right('p50 ms'), right('p99 ms')], cells));
