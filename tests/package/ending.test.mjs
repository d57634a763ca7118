// How running calls end on abort and on close.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../pkg/node.js';

/** A stream that stalls after the start of a mail; `cancelled()` tells whether the reader let go. */
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
const settledCode = (work) =>
  Promise.race([
    work.then(
      () => 'settled',
      (e) => e.code,
    ),
    new Promise((done) => setTimeout(done, 1_000, 'still waits')),
  ]);

test('a_stalled_source_is_cancelled_on_abort_and_on_close', async () => {
  for (const read of ['importMail', 'estimate']) {
    const memories = await open({ storage: 'memory' });
    const reads = (stream, options) => (read === 'importMail' ? memories.importMail(stream, options) : memories.model.estimate(stream, options));
    const [aborted, before, closed] = [stalled(), stalled(), stalled()];
    const stop = new AbortController();
    setTimeout(() => stop.abort('enough'), 20);
    const failure = await reads(aborted.stream, { signal: stop.signal }).catch((e) => e);
    assert.deepEqual([failure.code, failure.cause, aborted.cancelled()], ['aborted', 'enough', true], read);
    assert.equal(await settledCode(reads(before.stream, { signal: AbortSignal.abort() })), 'aborted');
    const left = settledCode(reads(closed.stream));
    await new Promise((done) => setTimeout(done, 20));
    await memories.close();
    assert.deepEqual([await left, closed.cancelled()], ['closed', true], read);
  }
});

test('close_finishes_running_calls_and_rejects_later_ones', async () => {
  for (const option of [
    { storage: 'memory' },
    {
      storage: 'memory',
      embedder: {
        model: 'e',
        embed: (texts) =>
          new Promise((done) =>
            setTimeout(
              done,
              5,
              texts.map((t) => [t.length, 1, t.charCodeAt(0)]),
            ),
          ),
      },
    },
  ]) {
    const memories = await open(option);
    const out = Array.from({ length: 20 }, (_, n) => memories.add({ content: `Boat ${n} leaves harbour ${n * 3}` }));
    const [read, closed, twice] = [memories.list(), memories.close(), memories.close()];
    const late = settledCode(memories.list());
    assert.deepEqual(await Promise.all([...out, read].map(settledCode)), Array(21).fill('settled'));
    assert.equal(await late, 'closed');
    await Promise.all([closed, twice]);
    for (const work of [() => memories.list(), () => memories.clear(), () => memories.destroy(), () => memories.importMail('x')])
      assert.equal(await settledCode(work()), 'closed');
  }
});

test('close_ends_an_import_after_its_current_step', async () => {
  const memories = await open({ storage: 'memory' });
  const mail = (n) =>
    `From x@y Thu Jan 01 00:00:00 2026\r\nFrom: kim@a.example\r\nMessage-ID: <m${n}@a>\r\nDate: Thu, 1 Jan 2026 09:00:00 +0000\r\nSubject: Invoice ${n}\r\n\r\nInvoice ${n} of 300 euros is due on 3 March 2026.\r\n\r\n`;
  let [seen, closing] = [0];
  const stream = new ReadableStream({
    async pull(to) {
      await new Promise((done) => setTimeout(done, 2));
      // The stream may have been cancelled meanwhile.
      if (closing === undefined) to.enqueue(new TextEncoder().encode(mail(seen)));
    },
  });
  const ingest = memories.importMail(stream, {
    onReceipt: () => {
      if ((seen += 1) === 5) closing = memories.close();
    },
  });
  assert.equal(await settledCode(ingest), 'closed');
  await closing;
  assert.ok(seen < 10);
});
