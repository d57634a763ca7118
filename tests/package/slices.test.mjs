// Long engine calls run in slices, so that the event loop keeps running.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../../pkg/node.js';

const COUNT = 600;
const WORDS = 'amber birch cedar delta ember fjord grove harbor island jasper kettle lagoon'.split(' ');

let memories;
before(async () => {
  memories = await open({ storage: 'memory', policy: 'fast', owner: ['me@example.org'] });
  const mails = Array.from({ length: COUNT }, (_, i) => {
    const word = (k) => WORDS[(i * (k * 7 + 3) + (i >> k)) % WORDS.length];
    // A future date puts each mail into review; each memory is listed once.
    return `From ${i}@xxx Thu Feb 20 09:00:00 +0000 2025\nFrom: P <p@x${i % 13}.example>\nTo: me@example.org\nSubject: ${word(1)} ${i}\nMessage-ID: <${i}@x.example>\nDate: Thu, 20 Feb 2099 09:00:00 +0000\n\nThe ${word(2)} ${word(3)} meeting number ${i} is on ${1 + (i % 28)} March at 3 pm in the ${word(4)} room.\n\n`;
  });
  await memories.importMail(new TextEncoder().encode(mails.join('')));
});
after(() => memories?.close());

/** Speed-up of the engine's clock, so that its 30 ms slices are short for this amount of work. */
const FASTER = 20;

/** Runs `work` and counts event-loop turns and the longest pause in milliseconds. */
async function countTurns(work) {
  const real = performance.now.bind(performance);
  performance.now = () => real() * FASTER;
  try {
    return await measureLoop(work, real);
  } finally {
    delete performance.now;
  }
}

async function measureLoop(work, now) {
  let [count, longest, last, over] = [0, 0, now(), false];
  const turn = () => {
    [count, longest, last] = [count + 1, Math.max(longest, now() - last), now()];
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  const begun = now();
  const value = await work();
  over = true;
  return { value, count, took: now() - begun, longest: Math.max(longest, now() - last) };
}

for (const [name, work, fits] of [
  ['log', () => memories.log.list(), (v) => v.length === COUNT],
  [
    'a search in the log',
    () => memories.log.list({ text: 'lagoon', newestFirst: true, limit: COUNT }),
    (v) => v.length > 10 && v.every((e, i) => i === 0 || e.seq < v[i - 1].seq),
  ],
  [
    'review.list',
    () => memories.review.list(),
    (v) => v.length > 100 && v.every((i) => i.entry.needsReview) && new Set(v.map((i) => i.memory.id)).size === v.length,
  ],
  ['export', () => memories.data.export(), (v) => v.trim().split('\n').length === 1 + JSON.parse(v.slice(0, v.indexOf('\n'))).header.records],
  ['a list', () => memories.list({ limit: COUNT }), (v) => v.length === COUNT],
  ['profile', () => memories.profile(), (v) => Object.keys(v.sources).length > 10],
  ['verify', () => memories.data.verify(), (v) => v.memories === COUNT && v.problems.length === 0],
]) {
  test(`the event loop keeps running during ${name}`, async () => {
    const { value, count, took, longest } = await countTurns(work);
    assert.ok(fits(value), name);
    // A slice may be slow on a busy machine, but must not last as long as the call.
    assert.ok(count >= 3 && longest < took * 0.6, `${count} turns in ${took.toFixed(0)} ms, the longest ${longest.toFixed(0)} ms`);
  });
}

test('a page of the log starts at the requested end', async () => {
  const all = await memories.log.list();
  const newest = await memories.log.list({ newestFirst: true, limit: 250 });
  assert.deepEqual(
    newest.map((e) => e.seq),
    all
      .slice(-250)
      .reverse()
      .map((e) => e.seq),
  );
  const oldest = await memories.log.list({ after: 100, limit: 130 });
  assert.deepEqual(
    oldest.map((e) => e.seq),
    all.slice(100, 230).map((e) => e.seq),
  );
  assert.equal((await memories.log.list({ after: COUNT, newestFirst: true })).length, 0);
});
