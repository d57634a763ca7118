// Sync between a client in Node and its object in workerd; the token selects the owner.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installed } from '../package/installed.mjs';
import { ask, bundled, remove, start, tokenOf, tokens } from './workerd.mjs';

let bundle;
let project;
let worker;
let open;
before(async () => {
  bundle = await bundled();
  project = await installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
  worker = await start(bundle, { bindings: { TOKENS: tokens('alice', 'bob', 'carol'), REQUESTS_PER_MINUTE: 100_000 } });
});
after(async () => {
  await worker?.stop();
  project?.remove();
  remove(bundle);
});

const call = (owner, ...rest) => ask(worker.url, tokenOf(owner), ...rest);
const contents = async (memories) => (await memories.list()).map((m) => m.content).sort();
const there = async (owner) => (await call(owner, 'GET', '/v1/memories'))[1].map((m) => m.content).sort();
const sync = (memories, owner, options) => memories.sync.run(`${worker.url}/v1/sync`, tokenOf(owner), options);

test('a_client_and_its_object_converge_and_forget_together', async () => {
  const memories = await open({ storage: 'memory' });
  await memories.add(
    { content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't', statedAt: '2026-01-02T09:00:00Z', sourceType: 'user_input' },
    { key: 'mail-1' },
  );
  await call(
    'alice',
    'POST',
    '/v1/memories',
    { content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't', statedAt: '2026-01-02T09:00:00Z' },
    { 'idempotency-key': 'mail-1' },
  );
  await call('alice', 'POST', '/v1/memories', { content: 'The office moves on 3 March 2026' });
  assert.deepEqual(await sync(memories, 'alice'), { sent: 1, received: 2 });
  assert.equal((await contents(memories)).length, 2);
  assert.deepEqual(await contents(memories), await there('alice'));

  // Both change the same memory while offline.
  await memories.add({
    content: 'Q1 마케팅 예산이 5000만원에서 7000만원으로 변경되었습니다',
    threadId: 't',
    statedAt: '2026-03-02T09:00:00Z',
    sourceType: 'user_input',
  });
  await call('alice', 'POST', '/v1/memories', {
    content: 'Q1 마케팅 예산이 5000만원에서 6000만원으로 변경되었습니다',
    threadId: 't',
    statedAt: '2026-02-02T09:00:00Z',
  });
  await sync(memories, 'alice');
  const [budget] = (await memories.search('마케팅 예산', { limit: 1 })).map((hit) => hit.memory);
  assert.deepEqual([budget.content.includes('7000만원'), (await memories.history(budget.id)).length], [true, 3]);
  assert.deepEqual(await contents(memories), await there('alice'));

  await call('alice', 'POST', '/v1/erase', { ids: [budget.id] });
  assert.ok((await sync(memories, 'alice')).received > 0);
  assert.ok(!(await memories.data.export()).includes('만원'));
  assert.deepEqual(await sync(memories, 'alice'), { sent: 0, received: 0 });
  assert.deepEqual([(await memories.data.verify()).problems, (await call('alice', 'GET', '/v1/check'))[1].problems], [[], []]);
  await memories.close();
});

test('an_interrupted_sync_resumes_without_duplicates', async () => {
  const memories = await open({ storage: 'memory' });
  for (let n = 0; n < 40; n += 1) await memories.add({ content: `Invoice ${n} of supplier ${n} is ${1_000 + n} EUR` });
  let calls = 0;
  const lossy = async (...request) => {
    calls += 1;
    const response = await fetch(...request);
    if (calls === 1) throw new TypeError('the answer was lost');
    return response;
  };
  await assert.rejects(sync(memories, 'bob', { fetch: lossy }), { code: 'connection_lost', retryable: true });
  await sync(memories, 'bob', { fetch: lossy });
  const [, log] = await call('bob', 'GET', '/v1/log');
  assert.deepEqual(
    log
      .filter((e) => e.action === 'consolidate')
      .map((e) => e.id)
      .sort(),
    (await memories.log.list())
      .filter((e) => e.action === 'consolidate')
      .map((e) => e.id)
      .sort(),
  );
  assert.deepEqual(await contents(memories), await there('bob'));
  await memories.close();
});

test('sync_errors_have_codes', async () => {
  const memories = await open({ storage: 'memory' });
  await memories.add({ content: 'The audit is on 3 February' });
  await assert.rejects(memories.sync.run(`${worker.url}/v1/sync`, 'no'), { code: 'unauthorized' });
  await assert.rejects(memories.sync.run('http://127.0.0.1:9/', 'no'), { code: 'connection_lost', retryable: true });
  await assert.rejects(sync(memories, 'bob', { signal: AbortSignal.abort() }), { code: 'aborted' });
  await assert.rejects(sync(memories, 'bob', { fecth: fetch }), { code: 'unknown_field', field: 'fecth' });
  const [status, body] = await call('bob', 'POST', '/v1/sync', { format: 1 });
  assert.deepEqual([status, body.error.code], [400, 'invalid_field']);
  const feed = await memories.sync.changes('hub');
  assert.equal((await call('bob', 'POST', '/v1/sync', { ...feed, format: 2 }))[1].error.code, 'version_too_new');
  await memories.close();
});

test('an_object_with_sealed_data_of_earlier_builds_is_not_read_as_an_open_one', async () => {
  const memories = await open({ storage: 'memory' });
  await memories.add({ content: 'The audit is on 3 February' });
  assert.deepEqual(await there('carol'), []);
  await worker.reach(
    'sql',
    'carol',
    "INSERT INTO memfold_records (shelf, key, value) VALUES ('held', 'key', CAST('digest' AS BLOB)), ('held', 'head', CAST('1' AS BLOB))",
  );
  await assert.rejects(sync(memories, 'carol'), { code: 'unsupported', message: /upgrade\.md/ });
  assert.deepEqual(await there('carol'), []);
  await assert.rejects(sync(memories, 'carol', { key: new Uint8Array(32) }), { code: 'unsupported', field: 'key' });
  const [status, body] = await call('carol', 'POST', '/v1/sync', { format: 2, key: 'digest', after: 0, steps: [], records: [] });
  assert.deepEqual([status, body.error.code, body.error.field], [501, 'unsupported', 'key']);
  await memories.close();
});
