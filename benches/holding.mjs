// `node benches/holding.mjs`: the longest time for which one call holds the event loop of Node, over an in-process store with so many memories
// (MEMFOLD_COUNT, 20,000 by default), beside the time of the whole call.
import { exported, question, text } from './scale.js';
import { table } from '../www/terminal/table.mjs';

const COUNT = Number(process.env.MEMFOLD_COUNT ?? 20_000);
const { open } = await import('../pkg/node.js');

/** Milliseconds of a call, and the longest gap between two turns of the event loop during it. */
async function watched(work) {
  let [longest, last, isDone] = [0, performance.now(), false];
  const beat = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isDone) setImmediate(beat);
  };
  setImmediate(beat);
  const start = performance.now();
  await work();
  const took = performance.now() - start;
  isDone = true;
  await new Promise((resolve) => setImmediate(resolve));
  return [took, longest];
}

const rows = [];
const memories = await open({ storage: 'memory', owner: ['me@b.example'] });
const measure = async (name, work) => rows.push([name, ...(await watched(work)).map((ms) => ms.toFixed(0))]);
await measure('data.import', () => memories.data.import(exported(COUNT)));
await measure('search', () => memories.search(question(8)));
await measure('add', () => memories.add(text(3)));
await measure('ask', () => memories.ask(question(9)));
await measure('context', () => memories.context(question(9)));
await measure('profile', () => memories.profile());
await measure('list, 1,000', () => memories.list());
await measure('each', async () => {
  for await (const memory of memories.each()) void memory;
});
await measure('review.list', () => memories.review.list());
await measure('log.list', () => memories.log.list());
await measure('log.stats', () => memories.log.stats());
await measure('sleep.run', () => memories.sleep.run());
await measure('data.export', () => memories.data.export());
await measure('data.verify', () => memories.data.verify());
await memories.close();
console.log(table(['call', 'ms', 'longest hold, ms'], rows));
