// Sync between a client in Node and its object in workerd; the token selects the owner.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installed } from '../package/installed.mjs';
import { ask, bundled, remove, start, tokenOf, tokens } from './workerd.mjs';

/** Number of random histories of two clients. */
const HISTORIES = Number(process.env.MEMFOLD_HISTORIES ?? 4);
const owners = Array.from({ length: HISTORIES }, (_, n) => `frank${n}`);

let bundle;
let project;
let worker;
let open;
before(async () => {
  bundle = await bundled();
  project = installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
  worker = await start(bundle, { bindings: { TOKENS: tokens('alice', 'bob', 'carol', 'dave', 'erin', ...owners), REQUESTS_PER_MINUTE: 100_000 } });
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
  await memories.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't', statedAt: '2026-01-02T09:00:00Z', sourceType: 'user_input' }, { key: 'mail-1' });
  await call('alice', 'POST', '/v1/memories', { content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't', statedAt: '2026-01-02T09:00:00Z' }, { 'idempotency-key': 'mail-1' });
  await call('alice', 'POST', '/v1/memories', { content: 'The office moves on 3 March 2026' });
  assert.deepEqual(await sync(memories, 'alice'), { sent: 1, received: 2 });
  assert.equal((await contents(memories)).length, 2);
  assert.deepEqual(await contents(memories), await there('alice'));

  // Both change the same memory while offline.
  await memories.add({ content: 'Q1 마케팅 예산이 5000만원에서 7000만원으로 변경되었습니다', threadId: 't', statedAt: '2026-03-02T09:00:00Z', sourceType: 'user_input' });
  await call('alice', 'POST', '/v1/memories', { content: 'Q1 마케팅 예산이 5000만원에서 6000만원으로 변경되었습니다', threadId: 't', statedAt: '2026-02-02T09:00:00Z' });
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
  assert.deepEqual(log.filter((e) => e.action === 'consolidate').map((e) => e.id).sort(), (await memories.log.list()).filter((e) => e.action === 'consolidate').map((e) => e.id).sort());
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

const WORDS = ['예산', '마케팅', 'Hanil', 'hanil@corp.example', 'kestrel', 'thread-77', 'message-1', 'budget'];
const KEY = Uint8Array.from({ length: 32 }, (_, n) => n * 7 + 1);
/** All memories except tombstones, which exist only in the store that handled the input first. */
const whole = async (memories) => (await memories.list({ includeSuperseded: true, limit: 10_000 })).filter((m) => m.content !== '').map(({ revision, ...m }) => m);

test('two_clients_with_one_key_converge_over_an_object_that_cannot_read_them', async () => {
  const [one, two] = [await open({ storage: 'memory' }), await open({ storage: 'memory' })];
  const sealed = (memories) => sync(memories, 'carol', { key: KEY });
  const both = async () => { for (const m of [one, two, one, two]) await sealed(m); };
  const note = { threadId: 'thread-77', subject: 'kestrel budget', people: ['hanil@corp.example'], entities: ['Hanil'], keywords: ['kestrel'], sourceId: '<message-1>' };
  await one.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', statedAt: '2026-01-02T09:00:00Z', ...note }, { key: 'mail-1' });
  await two.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', statedAt: '2026-01-02T09:00:00Z', ...note }, { key: 'mail-1' });
  const long = `kestrel ${'가나다라마바사'.repeat(1_140)}`;
  await one.add({ content: long, sourceId: `<${'메'.repeat(900)}>`, threadId: '긴' });
  await both();
  assert.deepEqual(await whole(one), await whole(two));
  assert.deepEqual([(await whole(one)).length, (await contents(two)).includes(long)], [2, true]);

  // Both change the same memory while offline.
  await one.add({ content: 'Q1 마케팅 예산이 5000만원에서 7000만원으로 변경되었습니다', ...note, sourceId: '<message-12>', statedAt: '2026-03-02T09:00:00Z' });
  await two.add({ content: 'Q1 마케팅 예산이 5000만원에서 6000만원으로 변경되었습니다', ...note, sourceId: '<message-13>', statedAt: '2026-02-02T09:00:00Z' });
  await both();
  const [budget] = (await two.search('마케팅 예산', { limit: 1 })).map((hit) => hit.memory);
  assert.deepEqual([budget.content.includes('7000만원'), (await two.history(budget.id)).length], [true, 3]);
  assert.deepEqual(await whole(one), await whole(two));
  const told = async (m) => (await m.log.list()).filter((e) => e.action === 'consolidate').map(({ id, input, reasons, sourceId }) => ({ id, input, reasons, sourceId })).sort((a, b) => (a.id < b.id ? -1 : 1));
  const theirs = await told(two);
  assert.ok(theirs.length > 2);
  for (const entry of await told(one)) assert.deepEqual(theirs.find((e) => e.id === entry.id) ?? entry, entry);

  // The object stores everything but can read nothing, not even an id.
  const lines = JSON.stringify((await call('carol', 'GET', '/v1/export'))[1]);
  const held = (await worker.reach('sql', 'carol', "SELECT key, CAST(value AS TEXT) AS text FROM memfold_records WHERE shelf = 'held'")).map(({ key, text }) => `${key} ${text}`).join('\n');
  assert.ok(held.length > long.length * 3);
  for (const word of [...WORDS, budget.id, 'sourceType']) assert.ok(!lines.includes(word) && !held.includes(word), word);
  assert.deepEqual([(await call('carol', 'GET', '/v1/memories'))[1], (await call('carol', 'POST', '/v1/search', { text: '마케팅 예산' }))[1]], [[], []]);
  assert.equal(await worker.reach('alarm', 'carol'), 'done');
  await both();
  assert.ok((await contents(two)).includes(long), 'nothing was cut');
  assert.deepEqual(await sealed(one), { sent: 0, received: 0 });

  // Forgetting reaches every store, and the redelivered mail is recognised.
  await one.erase(budget.id);
  await both();
  for (const m of [one, two]) {
    assert.ok(!(await m.data.export()).includes('만원'));
    const again = await m.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', ...note }, { key: 'mail-1' });
    assert.equal(again.replayed, true);
    assert.deepEqual((await m.data.verify()).problems, []);
  }
  assert.deepEqual((await call('carol', 'GET', '/v1/check'))[1].problems, []);
  await Promise.all([one.close(), two.close()]);
});

for (const [n, owner] of owners.entries()) {
  test(`random_histories_of_two_clients_with_one_key_converge: ${n}`, () => history(20_261_122 + n, owner));
}

/** Runs a random history of two clients that sync only through encrypted records. */
async function history(seed, owner) {
  let state = seed;
  const any = (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const clients = [await open({ storage: 'memory' }), await open({ storage: 'memory' })];
  const round = (m) => sync(m, owner, { key: KEY });
  for (let n = 0; n < 150; n += 1) {
    const m = clients[any(2)];
    const known = await m.list();
    const id = known[any(Math.max(1, known.length))]?.id;
    const entries = await m.log.list();
    const act = any(10);
    if (act < 5 || !id) await m.add({ content: `supplier${any(5)} 예산은 ${any(90) + 10}00만원으로 변경되었습니다`, threadId: `t${any(5)}`, statedAt: new Date(1_767_000_000_000 + any(90) * 86_400_000).toISOString() }, { key: `k${any(120)}` });
    else if (act === 5) await m.delete(id);
    else if (act === 6) await m.erase(id);
    else if (act === 7) await m.undo(entries[any(entries.length)].id).catch((error) => assert.notEqual(error.code, 'internal'));
    else await round(m);
  }
  for (const m of [...clients, ...clients]) await round(m);
  const links = async (m) => (await m.graph.edges()).map((l) => l.id).sort();
  assert.deepEqual(await whole(clients[0]), await whole(clients[1]));
  assert.deepEqual(await links(clients[0]), await links(clients[1]));
  assert.ok((await whole(clients[0])).length > 5);
  for (const m of clients) assert.deepEqual((await m.data.verify()).problems, []);
  assert.deepEqual((await call(owner, 'GET', '/v1/check'))[1].problems, []);
  assert.deepEqual((await call(owner, 'GET', '/v1/memories'))[1], []);
  await Promise.all(clients.map((m) => m.close()));
}

test('a_different_or_missing_key_is_rejected', async () => {
  const memories = await open({ storage: 'memory' });
  const secret = () => crypto.getRandomValues(new Uint8Array(32));
  const key = secret();
  await memories.add({ content: 'The audit is on 3 February', threadId: 'a' });
  await sync(memories, 'dave', { key });
  const held = () => worker.reach('sql', 'dave', "SELECT key, hex(value) AS value FROM memfold_records WHERE shelf = 'held' AND key <> 'key'");
  const before = await held();
  const other = await open({ storage: 'memory' });
  await other.add({ content: 'The office moves on 3 March', threadId: 'b' });
  for (const options of [{ key: secret() }, {}]) await assert.rejects(sync(other, 'dave', options), { code: 'wrong_key', retryable: false });
  assert.deepEqual([await held(), await contents(other)], [before, ['The office moves on 3 March']]);
  await assert.rejects(sync(other, 'dave', { key: new Uint8Array(16) }), { code: 'invalid_field', field: 'key' });
  // If the hub does not check the key, the client fails to decrypt and stores nothing.
  await worker.reach('sql', 'dave', "DELETE FROM memfold_records WHERE shelf = 'held' AND key = 'key'");
  await assert.rejects(sync(other, 'dave', { key: secret() }), { code: 'wrong_key' });
  assert.deepEqual([await held(), await contents(other)], [before, ['The office moves on 3 March']]);
  await Promise.all([memories.close(), other.close()]);
});

test('memories_added_to_the_object_by_tools_reach_clients_and_can_be_forgotten', async () => {
  const [one, two] = [await open({ storage: 'memory' }), await open({ storage: 'memory' })];
  const sealed = (m) => sync(m, 'erin', { key: KEY });
  await sealed(one);
  const odd = 'sealed1.m-01890a5d-ac96-774b-bcce-b302099a8057.AAAA';
  await call('erin', 'POST', '/v1/memories', { content: odd, sourceType: 'tool_output' });
  await call('erin', 'POST', '/v1/memories', { content: 'The dentist moved the appointment to 4 May', sourceType: 'tool_output' });
  const [, { memory: own }] = await call('erin', 'POST', '/v1/memories', { content: 'My badge number is 7', sourceType: 'user_input' });
  // Memories of the owner must be added through a client.
  assert.deepEqual((await sealed(one)).refused, [{ id: own.id, why: 'class' }]);
  await sealed(two);
  for (const m of [one, two, one]) await sealed(m);
  for (const m of [one, two]) {
    assert.deepEqual((await contents(m)).sort(), [odd, 'The dentist moved the appointment to 4 May'].sort());
    assert.ok((await m.list()).every((x) => x.sourceType === 'tool_output'));
  }
  assert.deepEqual(await whole(one), await whole(two));
  const dentist = (await two.list()).find((m) => m.content.startsWith('The dentist'));
  await two.erase(dentist.id);
  for (const m of [two, one]) await sealed(m);
  assert.ok(!JSON.stringify((await call('erin', 'GET', '/v1/export'))[1]).includes('dentist') && !(await one.data.export()).includes('dentist'));
  assert.deepEqual(await sealed(one), { sent: 0, received: 0 });
  assert.deepEqual((await call('erin', 'GET', '/v1/check'))[1].problems, []);
  await Promise.all([one.close(), two.close()]);
});
