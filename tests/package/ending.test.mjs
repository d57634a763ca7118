// How calls end that nobody waits for any more: an abort, and a close.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../pkg/node.js';

/** A stream that begins a mail and gives no more; `cancelled` once nobody reads it. */
function stalled() {
  let cancelled = false;
  const stream = new ReadableStream({
    start: (to) => to.enqueue(new TextEncoder().encode('From: a@b.example\r\n')),
    pull: () => new Promise(() => {}),
    cancel: () => ((cancelled = true), new Promise(() => {})),
  });
  return { stream, cancelled: () => cancelled };
}

/** The code that `work` rejects with within a second. */
const ended = (work) => Promise.race([work.then(() => 'settled', (e) => e.code), new Promise((done) => setTimeout(done, 1_000, 'still waits'))]);

test('a_source_that_gives_nothing_is_let_go_at_an_abort_and_at_a_close', async () => {
  for (const read of ['ingest', 'estimate']) {
    const memories = await open({ store: 'memory' });
    const reads = (stream, options) => (read === 'ingest' ? memories.ingest(stream, options) : memories.model.estimate(stream, options));
    const [aborted, before, closed] = [stalled(), stalled(), stalled()];
    const stop = new AbortController();
    setTimeout(() => stop.abort('enough'), 20);
    const failure = await reads(aborted.stream, { signal: stop.signal }).catch((e) => e);
    assert.deepEqual([failure.code, failure.cause, aborted.cancelled()], ['aborted', 'enough', true], read);
    assert.equal(await ended(reads(before.stream, { signal: AbortSignal.abort() })), 'aborted');
    const left = ended(reads(closed.stream));
    await new Promise((done) => setTimeout(done, 20));
    await memories.close();
    assert.deepEqual([await left, closed.cancelled()], ['closed', true], read);
  }
});
