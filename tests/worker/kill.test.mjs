// Repeated kills of workerd during writes: every acknowledged write is stored exactly once and the store stays valid.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { ask, bundled, figure, progress, remove, start, tokenOf } from './workerd.mjs';

const KILLS = Number(process.env.MEMFOLD_KILLS ?? 4);
const OWNERS = ['alice', 'bob'];

/** Process ids of the workerd that this process started. */
function children() {
  const lines = execFileSync('ps', ['-o', 'pid=,comm=', '--ppid', String(process.pid)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, name]) => name === 'workerd')
    .map(([pid]) => Number(pid));
}

test(`none_of_${KILLS}_kills_loses_or_duplicates_a_write`, async (t) => {
  const bundle = await bundled();
  t.after(() => remove(bundle));
  const acknowledged = new Map(OWNERS.map((owner) => [owner, new Map()]));
  const written = () => [...acknowledged.values()].reduce((sum, keys) => sum + keys.size, 0);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  let next = 0;
  let unanswered = 0;
  const open = new Map(OWNERS.map((owner) => [owner, []]));

  /** Writes until the connection breaks; unanswered writes are retried with their key after the restart. */
  async function write(url, owner, stopped) {
    while (!stopped()) {
      const key = open.get(owner).pop() ?? `k${(next += 1)}`;
      const content = `Invoice ${key} of supplier ${key.slice(1)} is ${1_000 + Number(key.slice(1))} EUR`;
      try {
        const [status, body] = await ask(url, tokenOf(owner), 'POST', '/v1/memories', { content }, { 'idempotency-key': key });
        assert.equal(status, 200, JSON.stringify(body));
        acknowledged.get(owner).set(key, body.entry.id);
      } catch (error) {
        if (error instanceof assert.AssertionError && stopped() === false) throw error;
        open.get(owner).push(key);
        unanswered += 1;
        return;
      }
    }
  }

  for (let round = 0; round <= KILLS; round += 1) {
    const worker = await start(bundle, { bindings: { REQUESTS_PER_MINUTE: 1_000_000 } });
    if (round === KILLS) {
      for (const owner of OWNERS) {
        const [, log] = await ask(worker.url, tokenOf(owner), 'GET', '/v1/log');
        const keys = log.map((e) => e.key);
        assert.equal(new Set(keys).size, keys.length, 'no key twice');
        const byKey = new Map(log.map((e) => [e.key, e.id]));
        for (const [key, id] of acknowledged.get(owner)) assert.equal(byKey.get(key), id, `${owner} ${key}`);
        assert.deepEqual((await ask(worker.url, tokenOf(owner), 'GET', '/v1/check'))[1].problems, []);
      }
      await worker.stop();
      break;
    }
    let over = false;
    const writers = OWNERS.flatMap((owner) => [1, 2, 3].map(() => write(worker.url, owner, () => over)));
    // Wait for the first answer, since a busy machine starts slowly.
    const begun = written();
    for (let n = 0; n < 600 && written() === begun; n += 1) await pause(50);
    // List the processes first, since running `ps` later would let pending requests finish.
    const pids = children();
    await pause(60 + 41 * (round % 13));
    over = true;
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await Promise.all(writers);
    await worker.stop().catch(() => {});
    progress(`${round + 1} of ${KILLS} kills: ${written()} acknowledged, ${unanswered} cut off`);
  }
  assert.ok(written() >= KILLS && unanswered > 0, `${written()} written, ${unanswered} cut off`);
  figure(`${written()} acknowledged, ${unanswered} cut off by ${KILLS} kills: 0 lost, 0 doubled`);
});
