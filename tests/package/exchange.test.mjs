// A malicious hub against end-to-end encrypted sync: the hub is the package itself, behind a proxy that alters its answers.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { listed } from '../../docs/.vitepress/errors.mjs';
import { installed } from './installed.mjs';

const URL_ = 'https://hub.example/v1/sync';
const KEY = Uint8Array.from({ length: 32 }, (_, n) => n * 11 + 3);

let project;
let open;
before(async () => {
  project = installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
});
after(() => project?.remove());

/** A hub as a client's `fetch`: `lie(answer, asked)` alters its answers, `heard` collects its requests. */
const at = (hub, lie = (answer) => answer, heard = []) => async (_url, { body }) => {
  heard.push(body);
  const asked = JSON.parse(body);
  const answer = await hub.sync.apply(asked).catch(({ code, message, field, retryable }) => ({ error: { code, message, field, retryable } }));
  const told = await lie(answer, asked);
  return told instanceof Response ? told : Response.json(told, { status: answer.error ? 400 : 200 });
};

/** Restricts a change to sealed answers, or to plaintext ones. */
const sealed = (change) => (answer) => (answer.steps ? change(structuredClone(answer)) : answer);
const clear = (change) => (answer) => (answer.memories ? change(structuredClone(answer)) : answer);

const exchange = (client, fetch, options) => client.sync.run(URL_, 'token', { key: KEY, fetch, ...options });
const everything = async (m) => JSON.stringify([(await m.list({ includeSuperseded: true, limit: 10_000 })).map(({ revision, ...rest }) => rest), await m.graph.edges(), (await m.log.list()).map(({ id, input, touched, key }) => ({ id, input, touched, key }))]);

/** Two clients synced through a hub with memories of every kind, and later changes by the first. */
async function world() {
  const [hub, one, two] = [await open({ storage: 'memory' }), await open({ storage: 'memory' }), await open({ storage: 'memory' })];
  const say = async (m, draft, key) => (await m.add(draft, { key })).memory;
  const own = await say(one, { content: 'My passport number is M12345678', sourceType: 'user_input', importance: 0.9, retention: 'core' }, 'own');
  const budget = await say(one, { content: 'Q1 마케팅 예산은 5000만원으로 정했다', sourceType: 'realtime', threadId: 't', statedAt: '2026-01-02T09:00:00Z' }, 'mail-1');
  const gone = await say(one, { content: 'The office party is on Friday in Busan', sourceType: 'realtime', threadId: 'p' }, 'mail-2');
  const erased = await say(one, { content: 'The safe opens with 4711', sourceType: 'realtime', threadId: 's' }, 'mail-3');
  await one.delete(gone.id);
  await exchange(one, at(hub));
  await exchange(two, at(hub));
  const early = (await hub.sync.apply({ format: 2, key: await check(one, hub), after: 0, steps: [], records: [] }));
  await one.erase(erased.id);
  await say(one, { content: 'Q1 마케팅 예산이 5000만원에서 7000만원으로 변경되었습니다', sourceType: 'realtime', threadId: 't', statedAt: '2026-03-02T09:00:00Z' }, 'mail-4');
  await exchange(one, at(hub));
  await say(one, { content: 'Invoice 77 of Hanil is due on 3 May', sourceType: 'realtime', threadId: 'i' }, 'mail-5');
  await exchange(one, at(hub));
  return { hub, one, two, own, budget, gone, erased, early, close: () => Promise.all([hub, one, two].map((m) => m.close())) };
}

/** The key's id, as a client sends it. */
async function check(client, hub) {
  const heard = [];
  await exchange(client, at(hub, undefined, heard));
  return JSON.parse(heard[0]).key;
}

/** Asserts that the client's data is unchanged and valid. */
async function assertUnchanged(w, client, known, what) {
  assert.equal(await everything(client), known, what);
  assert.deepEqual((await client.data.verify()).problems, []);
}

const swapped = (list, a, b) => Object.assign([...list], { [a]: list[b], [b]: list[a] });
const flipped = (text, place = 40) => text.slice(0, place) + (text[place] === 'A' ? 'B' : 'A') + text.slice(place + 1);

test('tampering_with_sealed_records_is_detected', async () => {
  const w = await world();
  const other = await open({ storage: 'memory' });
  const elsewhere = await open({ storage: 'memory' });
  await other.add({ content: 'The spare key is under the mat', threadId: 'k' }, { key: 'other' });
  const heard = [];
  await exchange(other, at(elsewhere, undefined, heard), { key: KEY.toReversed() });
  const foreign = await elsewhere.sync.apply({ format: 2, key: JSON.parse(heard[0]).key, after: 0, steps: [], records: [] });
  const plain = (await w.one.list())[0];
  const forged = JSON.stringify({ ...plain, content: 'The account is now 999', sourceType: 'user_input', retention: 'core', edges: [] });
  const each = (change) => sealed((a) => ({ ...a, records: a.records.map(([name, text], n) => change(name, text, n, a.records)) }));
  const attacks = {
    'a text in the clear under a sealed name': each((name) => [name, forged]),
    'that text, encoded as if it were sealed': each((name) => [name, Buffer.from(forged).toString('base64url')]),
    'a flipped character of a record': each((name, text) => [name, flipped(text)]),
    'a flipped character of its stamp': each((name, text) => [name, flipped(text, 3)]),
    'a cut record': each((name, text) => [name, text.slice(0, -4)]),
    'texts swapped between names': each((name, _, n, all) => [name, all[(n + 1) % all.length][1]]),
    'records that were replaced since': sealed((a) => ({ ...a, records: a.records.map(([name, text]) => [name, w.early.records.find(([n]) => n === name)?.[1] ?? text]) })),
    'a record left out': sealed((a) => ({ ...a, records: a.records.slice(1) })),
    'all records left out': sealed((a) => ({ ...a, records: [] })),
    'a record put in under another name': sealed((a) => ({ ...a, records: [...a.records, ['A'.repeat(22), a.records[0]?.[1] ?? 'A'.repeat(60)]] })),
    'a record of another chain put in': sealed((a) => ({ ...a, records: [...a.records, foreign.records[0]] })),
    'a step left out': sealed((a) => ({ ...a, head: a.head - 1, steps: a.steps.slice(1) })),
    'steps left out, and their number told': sealed((a) => ({ ...a, steps: [] })),
    'steps in another order': sealed((a) => ({ ...a, steps: swapped(a.steps, 0, a.steps.length - 1) })),
    'a step told twice': sealed((a) => ({ ...a, head: a.head + 1, steps: [a.steps[0], ...a.steps] })),
    'a step of the beginning told again': sealed((a) => ({ ...a, steps: [...a.steps.slice(0, -1), w.early.steps[0]] })),
    'a flipped character of a step': sealed((a) => ({ ...a, steps: a.steps.map((s) => flipped(s)) })),
    'a made-up step': sealed((a) => ({ ...a, head: a.head + 1, steps: [...a.steps, Buffer.from('{"records":[]}').toString('base64url')] })),
    'steps of another chain': sealed((a) => ({ ...a, steps: foreign.steps, records: foreign.records, head: a.after + foreign.steps.length })),
    'more steps than it says': sealed((a) => ({ ...a, head: a.head - 1 })),
    'what is no answer': sealed(() => ({ head: 'x', steps: {}, records: 7 })),
    'names that are objects': sealed((a) => ({ ...a, records: [[{}, {}]], steps: [[]] })),
  };
  for (const [what, lie] of Object.entries(attacks)) {
    const known = await everything(w.two);
    await assert.rejects(exchange(w.two, at(w.hub, lie)), (error) => ['tampered', 'rolled_back'].includes(error.code) && !error.retryable, what);
    await assertUnchanged(w, w.two, known, what);
    // A new client detects it as well.
    const fresh = await open({ storage: 'memory' });
    const learnt = await exchange(fresh, at(w.hub, lie)).then(() => true, ({ code }) => assert.ok(['tampered', 'rolled_back', 'wrong_key'].includes(code), `${what}: ${code}`));
    assert.equal(learnt === true, false, what);
    assert.deepEqual(await fresh.list({ includeSuperseded: true }), [], what);
    await fresh.close();
  }
  // An honest answer is accepted afterwards.
  await exchange(w.two, at(w.hub));
  const contents = async (m) => (await m.list()).map((x) => x.content).sort();
  assert.deepEqual(await contents(w.two), await contents(w.one));
  assert.equal((await w.two.get(w.gone.id)).deletedAt !== undefined, true);
  assert.ok(!(await w.two.data.export()).includes('opens with 4711'));
  await Promise.all([w.close(), other.close(), elsewhere.close()]);
});

test('plaintext_from_the_hub_never_changes_sealed_memories', async () => {
  const w = await world();
  await exchange(w.two, at(w.hub));
  const current = (await w.two.list()).find((m) => m.content.includes('7000'));
  const old = (await w.two.list({ includeSuperseded: true })).find((m) => m.id === w.budget.id);
  const gone = await w.two.get(w.gone.id);
  // The tombstone appears only in an export, not by `get`.
  const lines = (await w.two.data.export()).trim().split('\n').map((line) => JSON.parse(line));
  const erased = lines.find((line) => line.memory?.id === w.erased.id).memory;
  await assert.rejects(w.two.get(erased.id), { code: 'not_found' });
  const own = await w.two.get(w.own.id);
  const id = () => crypto.randomUUID().replace(/^(.{14})./, '$17');
  const tool = { ...current, id: id(), version: 1, previousVersionId: undefined, sourceType: 'tool_output', content: 'A tool has said this' };
  const told = (...memories) => clear((a) => ({ ...a, memories }));
  const attacks = {
    'another text under a sealed id': [told({ ...own, content: 'My passport number is X99999999' }), 'id'],
    'a lower importance': [told({ ...own, importance: 0.1 }), 'id'],
    'another confidence, and more finds': [told({ ...own, confidence: 0.2, accessCount: 99 }), 'id'],
    'a higher class of a mail': [told({ ...current, sourceType: 'user_input' }), 'id'],
    'a lower class of a note': [told({ ...own, sourceType: 'realtime' }), 'id'],
    'another retention': [told({ ...own, retention: 'episodic' }), 'id'],
    'a deletion': [told({ ...own, deletedAt: '2026-05-01T00:00:00Z' }), 'id'],
    'a forgetting': [told({ ...erased, id: own.id, createdAt: own.createdAt }), 'id'],
    'a resurrection': [told({ ...gone, deletedAt: undefined }), 'id'],
    'a resurrection of what was forgotten': [told({ ...current, id: erased.id, version: 1, previousVersionId: undefined, content: 'The safe opens with 4711' }), 'id'],
    'other times': [told({ ...current, statedAt: '2030-01-01T00:00:00Z', occurredAt: '2030-01-01T00:00:00Z' }), 'id'],
    'the older value as the head': [told({ ...old, supersededBy: undefined, version: 9, previousVersionId: current.id }, { ...current, supersededBy: old.id }), 'id'],
    'a core note of the owner': [told({ ...tool, sourceType: 'user_input', retention: 'core', content: 'I am allergic to penicillin' }), 'class'],
    'curated data': [told({ ...tool, sourceType: 'bootstrapped' }), 'class'],
    'a person of the owner': [told({ ...tool, nodeType: 'person', sourceType: 'user_input' }), 'class'],
    'what was sealed by an earlier version': [told({ ...tool, content: `sealed1.m-${tool.id}.AAAA` }), 'format'],
    'what breaks a rule': [told({ ...tool, importance: 5 }), 'invalid'],
    'a text that is too long': [told({ ...tool, content: 'x'.repeat(9_000) }), 'invalid'],
    'a link between memories': [clear((a) => ({ ...a, edges: [{ id: id(), from: own.id, to: current.id, kind: 'related_to', weight: 1, createdAt: own.createdAt }] }))],
    'what it was told once without a key, and no link': [clear((a) => ({ ...a, memories: [own], edges: [] }))],
    'an entry of the log': [clear((a) => ({ ...a, entries: [{ ...entry, id: id(), touched: [own.id], action: 'forget', input: 'forged' }] }))],
    'an entry that says that a mail was handled': [clear((a) => ({ ...a, entries: [{ ...entry, id: id(), key: 'mail-9', touched: [], input: 'forged' }] }))],
    'an entry with a name that another key has sealed': [clear((a) => ({ ...a, entries: [{ ...entry, id: id(), key: 'sealed1.name.AAAA', sourceId: 'sealed1.name.BBBB', input: 'sealed1.e-1.CC' }] }))],
    'twins': [clear((a) => ({ ...a, twins: [[own.id, current.id]] }))],
    'a tombstone of its own': [told({ ...erased, id: id() })],
  };
  const [{ salt, hash, ...entry }] = await w.two.log.list();
  for (const [what, [lie, why]] of Object.entries(attacks)) {
    const known = await everything(w.two);
    const { refused = [], sent, received } = await exchange(w.two, at(w.hub, lie));
    assert.deepEqual([sent, received], [0, 0], what);
    assert.ok(why === undefined ? refused.length === 0 : refused.length > 0 && refused.every((r) => r.why === why), `${what}: ${JSON.stringify(refused)}`);
    await assertUnchanged(w, w.two, known, what);
  }
  // A tool's memory is accepted under a new id, with the tool's source type and no higher retention.
  const { received } = await exchange(w.two, at(w.hub, told({ ...tool, retention: 'core', previousVersionId: own.id, statedAt: '2099-01-01T00:00:00Z' })));
  assert.equal(received, 1);
  const heard = (await w.two.list()).find((m) => m.content === tool.content);
  assert.deepEqual([heard.sourceType, heard.retention, heard.previousVersionId, heard.id === tool.id], ['tool_output', 'semantic', undefined, false]);
  assert.ok(new Date(heard.statedAt) <= new Date());
  assert.equal((await w.two.add({ content: 'The kiln is repaired on Monday' }, { key: 'mail-9' })).replayed, false);
  // Malformed answers fail with a code.
  const worse = {
    'a memory of unknown fields': [told({ ...tool, admin: true }), 'unknown_field'],
    'a memory that is nested without end': [clear((a) => new Response(JSON.stringify({ ...a, memories: ['DEEP'] }).replace('"DEEP"', `${'{"id":'.repeat(50_000)}1${'}'.repeat(50_000)}`))), 'invalid_input'],
    'a later format': [clear((a) => ({ ...a, format: 9 })), 'version_too_new'],
    'a list': [(a) => [a], 'invalid_input'],
    'nothing': [() => null, 'invalid_input'],
  };
  for (const [what, [lie, code]] of Object.entries(worse)) {
    const known = await everything(w.two);
    await assert.rejects(exchange(w.two, at(w.hub, lie)), { name: 'MemfoldError', code, retryable: false }, what);
    await assertUnchanged(w, w.two, known, what);
  }
  await w.close();
});

test('a_rollback_of_the_hub_is_detected_and_changes_nothing', async () => {
  const w = await world();
  await exchange(w.two, at(w.hub));
  const known = await everything(w.two);
  // The hub shows an old state, is reset, or shows a diverged history.
  const old = sealed((a) => ({ ...a, head: w.early.head, steps: [], records: [] }));
  await assert.rejects(exchange(w.two, at(w.hub, old)), { code: 'rolled_back', retryable: false });
  const anew = await open({ storage: 'memory' });
  await assert.rejects(exchange(w.two, at(anew)), { code: 'rolled_back' });
  const third = await open({ storage: 'memory' });
  for (let n = 0; n < 5; n += 1) {
    await third.add({ content: `Order ${n} of the bakery is ${n + 3} loaves`, threadId: `o${n}` }, { key: `order-${n}` });
    await exchange(third, at(anew));
  }
  await assert.rejects(exchange(w.two, at(anew)), { code: 'rolled_back' });
  assert.equal(await everything(w.two), known);
  // The hub acknowledges a step that it did not append.
  const liar = (answer, { steps }) => (answer.steps && steps.length > 0 ? { ...answer, head: answer.after + 1, steps: [], records: [] } : answer);
  const drops = async (url, request) => (JSON.parse(request.body).steps?.length > 0 ? Response.json(liar({ ...JSON.parse(request.body) }, JSON.parse(request.body))) : at(w.hub)(url, request));
  await w.two.add({ content: 'The lease ends on 30 June', threadId: 'l' }, { key: 'lease' });
  await exchange(w.two, drops);
  await assert.rejects(exchange(w.two, at(w.hub)), { code: 'rolled_back' });
  // Syncing again from the start loses nothing and revives nothing.
  await exchange(w.two, at(w.hub), { again: true });
  await exchange(w.one, at(w.hub));
  assert.ok((await w.one.list()).some((m) => m.content.startsWith('The lease')));
  assert.ok(!(await w.one.data.export()).includes('opens with 4711'));
  await exchange(w.two, at(anew), { again: true });
  await exchange(third, at(anew));
  const contents = async (m) => (await m.list()).map((x) => x.content).sort();
  assert.deepEqual(await contents(w.two), await contents(third));
  assert.ok((await contents(third)).length > 7 && !(await contents(third)).some((c) => c.includes('Busan')));
  await Promise.all([w.close(), anew.close(), third.close()]);
});

test('a_hub_sees_only_sizes_and_times', async () => {
  const hub = await open({ storage: 'memory' });
  const one = await open({ storage: 'memory', owner: { id: 'frank@corp.example' } });
  const heard = [];
  const note = { threadId: 'thread-77', subject: 'kestrel budget', people: ['hanil@corp.example'], entities: ['Hanil'], keywords: ['kestrel'], sourceId: '<message-1>' };
  const { memory } = await one.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', ...note }, { key: 'mail-1' });
  await exchange(one, at(hub, undefined, heard));
  await one.erase(memory.id);
  await exchange(one, at(hub, undefined, heard));
  const told = heard.join('\n');
  for (const word of ['예산', 'Hanil', 'hanil@', 'kestrel', 'thread-77', 'message-1', 'mail-1', 'frank', memory.id, 'realtime', 'consolidate', 'createdAt']) assert.ok(!told.includes(word), word);
  assert.deepEqual([await hub.list({ includeSuperseded: true }), await hub.log.list()], [[], []]);
  // The forgotten record is replaced, so that its length is gone too.
  const { records } = await hub.sync.apply({ format: 2, key: JSON.parse(heard[0]).key, after: 0, steps: [], records: [] });
  const before = heard.flatMap((body) => JSON.parse(body).records ?? []);
  assert.ok(before.length > records.length);
  for (const [name, text] of records) assert.ok(!before.some(([n, t]) => n === name && t !== text && records.some(([, r]) => r === t)));
  const sizes = (list) => Math.max(...list.map(([, text]) => text.length));
  assert.ok(sizes(records) < sizes(before));
  await Promise.all([hub.close(), one.close()]);
});

/** Fields that never leave a store. Every other field must be sealed. */
const NOT_TOLD = { Memory: ['revision'], LogEntry: ['seq', 'salt', 'hash'], Edge: [] };
/** The plaintext keys of a sealed request, and of a plaintext request. */
const BESIDE = ['after', 'format', 'key', 'records', 'steps'];
const ASKED = ['after', 'edges', 'entries', 'format', 'forget', 'from', 'key', 'memories', 'more', 'seen', 'to', 'upto'];

test('every_field_is_sealed_or_listed_as_local', async () => {
  const dir = `${project.dir}/node_modules/memfold`;
  const { sealing } = await import(pathToFileURL(`${dir}/sealed.js`).href);
  const types = readFileSync(`${dir}/types.d.ts`, 'utf8');
  const fields = (type) => {
    const [, body] = types.match(new RegExp(`^export interface ${type} \\{\\n(.*?)^\\}`, 'ms'));
    return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name);
  };
  // Each field holds a text that names it.
  const [memory, entry, edge] = ['Memory', 'LogEntry', 'Edge'].map((type) => Object.fromEntries(fields(type).map((name) => [name, `${type} ${name}`])));
  assert.ok(Object.keys(memory).length > 38 && 'statements' in memory && 'event' in memory && Object.keys(entry).length > 35 && 'kind' in edge);
  const seals = await sealing(KEY);
  const records = await seals.records({ entries: [entry], nodes: [{ at: 3, memory, edges: [edge] }] });
  const opened = await Promise.all(records.map((record) => seals.opened(record, 7)));
  const back = { LogEntry: opened[0].entry, Memory: opened[1].node.memory, Edge: opened[1].node.edges[0] };
  for (const [type, sample] of Object.entries({ Memory: memory, LogEntry: entry, Edge: edge })) {
    for (const [name, text] of Object.entries(sample)) {
      assert.equal(back[type][name] === text, !NOT_TOLD[type].includes(name), `${type}.${name} is ${NOT_TOLD[type].includes(name) ? 'told' : 'not sealed'}`);
    }
    for (const name of NOT_TOLD[type]) assert.ok(name in sample, `${type} has no ${name} any more`);
  }
  // A record with a changed character, or under another's name, does not open.
  for (const [n, [name, text]] of records.entries()) {
    for (let at = 0; at < text.length - 1; at += 97) await assert.rejects(seals.opened([name, flipped(text, at)], 7), `character ${at}`);
    await assert.rejects(seals.opened([records[1 - n][0], text], 7));
  }
});

test('a_memory_with_all_fields_syncs_unchanged_and_never_in_plaintext', async () => {
  const [hub, one, two] = await Promise.all([1, 2, 3].map(() => open({ storage: 'memory' })));
  const said = (text, n) => ({ text, source: `<kestrel-${n}>`, author: `kestrel${n}@corp.example`, at: '2026-02-02T09:00:00.000Z', ...(n > 1 && { struck: [[0, 7]] }) });
  const full = {
    nodeType: 'memory', version: 2, content: 'kestrel budget is 60 EUR', statements: [said('kestrel budget is 60 EUR', 1), said('kestrel budget was 50 EUR', 2)],
    category: 'decision', keywords: ['kestrel-word'], people: ['kestrel-one@corp.example'], entities: ['Kestrel Ltd'], subject: 'kestrel subject', threadId: 'kestrel-thread',
    properties: [{ name: 'kestrel budget', value: '60 EUR' }], importance: 0.875, importanceFactors: [], confidence: 0.75,
    createdAt: '2026-02-02T10:00:00Z', updatedAt: '2026-02-02T11:00:00Z', occurredAt: '2026-02-03T09:00:00Z', statedAt: '2026-02-02T09:00:00Z', validFrom: '2026-02-04T09:00:00Z', validUntil: '2027-02-04T09:00:00Z',
    sourceType: 'user_input', sourceId: '<kestrel-1>', event: { uid: 'kestrel-event', organizer: 'kestrel-boss@corp.example' },
    retention: 'core', generation: 'old', storageTier: 'hot', stability: 0.625, accessCount: 7, accessedAt: '2026-03-03T09:00:00Z', sessionCount: 3, repeat: 2, feedback: { up: 4, down: 1 },
  };
  const first = (await one.add({ content: 'kestrel budget is 50 EUR', threadId: 'kestrel-thread', sourceType: 'user_input' }, { key: 'first' })).memory;
  const other = (await one.add({ content: 'The osprey lives on the roof', threadId: 'o' }, { key: 'other' })).memory;
  const lines = (await one.data.export()).trim().split('\n').map((line) => JSON.parse(line));
  const id = first.id.slice(0, -4) + 'beef';
  const edge = { id: id.slice(0, -4) + 'cafe', from: other.id, to: id, kind: 'may_replace', weight: 0.5, createdAt: full.createdAt };
  const [header, ...rest] = lines;
  for (const { memory } of rest) if (memory?.id === first.id) Object.assign(memory, { supersededBy: id, contradictedBy: id });
  const text = [{ header: { ...header.header, records: rest.length + 2 } }, ...rest, { memory: { id, revision: 1, previousVersionId: first.id, ...full } }, { edge }];
  const source = await open({ storage: 'memory' });
  await source.data.import(text.map((line) => JSON.stringify(line)).join('\n'));
  const heard = [];
  await exchange(source, at(hub, undefined, heard));
  await exchange(two, at(hub));
  const { revision: _, ...there } = await source.get(id);
  const { revision: __, ...here } = await two.get(id);
  for (const name of Object.keys(full)) assert.ok(name in here, name);
  assert.deepEqual(here, there);
  assert.deepEqual([here.statements, here.event, here.importance], [full.statements, full.event, full.importance]);
  assert.deepEqual(await two.graph.edges(), await source.graph.edges());
  assert.ok((await two.graph.edges()).some((l) => l.kind === 'may_replace'));
  for (const body of heard) {
    const keys = Object.keys(JSON.parse(body));
    assert.ok(keys.every((name) => (keys.includes('steps') ? BESIDE : ASKED).includes(name)), `${keys}`);
    if (!keys.includes('steps')) assert.deepEqual(['entries', 'memories', 'edges'].map((name) => JSON.parse(body)[name]), [[], [], []]);
    for (const word of ['estrel', 'osprey', id, first.id, 'may_replace', 'user_input', '2026-']) assert.ok(!body.includes(word), word);
  }
  await Promise.all([hub, one, two, source].map((m) => m.close()));
});

test('a_hub_accepts_one_key_one_chain_and_only_sealed_records', async () => {
  const [hub, one] = [await open({ storage: 'memory' }), await open({ storage: 'memory' })];
  await one.add({ content: 'The audit is on 3 February', threadId: 'a' });
  await exchange(one, at(hub));
  const key = await check(one, hub);
  const good = { format: 2, key, after: 1, steps: ['AAAA'], records: [['name', 'AAAA']] };
  const refused = async (spoil, code, field) => assert.rejects(hub.sync.apply({ ...good, ...spoil }), { code, ...(field && { field }) }, JSON.stringify(spoil));
  await refused({ key: 'other' }, 'wrong_key');
  await refused({ format: 3 }, 'version_too_new');
  await refused({ format: 1 }, 'invalid_field', 'format');
  await refused({ key: 7 }, 'invalid_field', 'key');
  await refused({ after: -1 }, 'invalid_field', 'after');
  await refused({ after: '1' }, 'invalid_field', 'after');
  await refused({ steps: ['AA', 'BB'] }, 'invalid_field', 'steps');
  await refused({ steps: ['{"at":1}'] }, 'invalid_field', 'steps');
  await refused({ records: [['a/b', 'AA']] }, 'invalid_field', 'records');
  await refused({ records: [['head', 'in the clear']] }, 'invalid_field', 'records');
  await refused({ steps: [], records: [['name', 'AA']] }, 'invalid_field', 'records');
  await refused({ admin: true }, 'unknown_field', 'admin');
  for (const after of [0, 7]) assert.equal((await hub.sync.apply({ ...good, after })).head, 1, 'a step that does not follow is not appended');
  // A client without the key is rejected, and so are plaintext entries.
  const feed = await one.sync.changes('hub');
  await assert.rejects(hub.sync.apply(feed), { code: 'wrong_key' });
  await assert.rejects(hub.sync.apply({ ...feed, key }), { code: 'invalid_input' });
  await assert.rejects(one.sync.run(URL_, 'token', { fetch: at(hub) }), { code: 'wrong_key' });
  await assert.rejects(exchange(one, at(hub), { key: crypto.getRandomValues(new Uint8Array(32)) }), { code: 'wrong_key' });
  for (const bad of [new Uint8Array(16), 'x'.repeat(32), null]) await assert.rejects(exchange(one, at(hub), { key: bad }), { code: 'invalid_field', field: 'key' });
  assert.equal((await hub.sync.apply({ ...good, after: 0, steps: [], records: [] })).head, 1);
  await Promise.all([hub.close(), one.close()]);
});

test('concurrent_clients_and_lost_answers_lose_nothing', async () => {
  const [hub, one, two] = [await open({ storage: 'memory' }), await open({ storage: 'memory' }), await open({ storage: 'memory' })];
  for (let n = 0; n < 30; n += 1) await [one, two][n % 2].add({ content: `Supplier ${n} charges ${1_000 + n} EUR`, threadId: `t${n}` }, { key: `k${n >> 1}` });
  // The second client syncs first during an exchange, and every third answer is lost.
  let calls = 0;
  const lossy = async (url, request) => {
    calls += 1;
    if (JSON.parse(request.body).steps?.length > 0 && calls < 12) await exchange(two, at(hub));
    const answer = await at(hub)(url, request);
    if (calls % 3 === 0) throw new TypeError('the answer was lost');
    return answer;
  };
  for (let tries = 0; tries < 10; tries += 1) await exchange(one, lossy).catch(({ code }) => assert.equal(code, 'connection_lost'));
  for (const m of [one, two, one]) await exchange(m, at(hub));
  const whole = async (m) => (await m.list({ includeSuperseded: true })).filter((x) => x.content !== '').map(({ revision, ...rest }) => rest);
  assert.deepEqual(await whole(one), await whole(two));
  // Inputs that both handled under one key are one memory.
  assert.equal((await whole(one)).length, 15);
  assert.deepEqual(await exchange(one, at(hub)), { sent: 0, received: 0 });
  for (const m of [one, two]) assert.deepEqual((await m.data.verify()).problems, []);
  await Promise.all([hub, one, two].map((m) => m.close()));
});

test('only_https_and_loopback_addresses_are_accepted', async () => {
  const one = await open({ storage: 'memory' });
  const never = () => assert.fail('nothing may be sent');
  const bad = ['http://hub.example/', 'http://192.168.0.7/', 'http://localhost.evil.example/', 'http://127.0.0.1.evil.example/', 'http://[::2]/', 'http://0.0.0.0/', 'ftp://localhost/', 'javascript:alert(1)', 'hub', '', 'https://user:pw@hub.example/', 'ws://localhost/'];
  for (const key of [undefined, KEY]) {
    for (const url of bad) await assert.rejects(one.sync.run(url, 'token', { key, fetch: never }), { code: 'invalid_field', field: 'url', retryable: false }, url);
    for (const url of ['http://localhost:9/', 'http://127.0.0.1:9/', 'http://127.8.9.1:9/', 'http://[::1]:9/', 'https://hub.example/']) {
      await assert.rejects(one.sync.run(url, 'token', { key, fetch: () => Promise.reject(new TypeError('asked')) }), { code: 'connection_lost' }, url);
    }
  }
  await one.close();
});

test('oversized_and_malformed_answers_fail_with_a_code', async () => {
  const one = await open({ storage: 'memory' });
  await one.add({ content: 'The audit is on 3 February' });
  let [sent, stopped] = [0, false];
  const endless = () => new Response(new ReadableStream({
    pull: (out) => void ((sent += 1 << 20), out.enqueue(new Uint8Array(1 << 20).fill(0x20))),
    cancel: () => void (stopped = true),
  }));
  const answers = {
    'an answer without end': [endless, 'too_large'],
    'a cut one': [() => new Response('{"format":1,"from":"0'), 'connection_lost'],
    'a page of HTML': [() => new Response('<html>'), 'connection_lost'],
    'an empty one': [() => new Response(null), 'connection_lost'],
    'a list': [() => Response.json([]), 'invalid_input'],
    'a number': [() => Response.json(7), 'invalid_input'],
    'one nested without end': [() => new Response(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`), ['invalid_input', 'unknown_field', 'tampered']],
    'an error without a code': [() => Response.json({ error: 'no' }, { status: 500 }), 'connection_lost'],
    'an error of another shape': [() => Response.json({ error: { code: { a: 1 }, message: ['x'], retryable: 'yes', field: 7 } }, { status: 400 }), 'internal'],
    'an error with its code': [() => Response.json({ error: { code: 'quota_exceeded', message: 'full', retryable: false } }, { status: 507 }), 'quota_exceeded'],
  };
  const known = await everything(one);
  for (const key of [undefined, KEY]) {
    for (const [what, [answer, code]] of Object.entries(answers)) {
      const told = await one.sync.run(URL_, 'token', { key, fetch: async () => answer() }).then(() => assert.fail(what), (error) => error);
      assert.equal(told.name, 'MemfoldError', what);
      assert.ok([code].flat().includes(told.code), `${what}: ${told.code}`);
      assert.ok(told.message.length < 600 && typeof told.retryable === 'boolean', what);
    }
    const long = await one.sync.run(URL_, 'token', { key, fetch: async () => Response.json({ error: { code: 'rate_limited', message: 'x'.repeat(1e6) } }, { status: 429 }) }).catch((error) => error);
    assert.ok(long.code === 'rate_limited' && long.message.length <= 500);
  }
  assert.equal(await everything(one), known);
  assert.ok(stopped && sent < 2 * 70 * (1 << 20), `${sent} bytes were asked for`);
  // The same over a socket, with an endless answer.
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    const more = () => response.write(Buffer.alloc(1 << 20, 0x20)) ? setImmediate(more) : response.once('drain', more);
    more();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  await assert.rejects(one.sync.run(`http://127.0.0.1:${server.address().port}/`, 'token', { key: KEY }), { code: 'too_large' });
  server.closeAllConnections();
  server.close();
  await one.close();
});

test('every_http_status_maps_to_a_listed_code_and_retryable_flag', async () => {
  const one = await open({ storage: 'memory' });
  await one.add({ content: 'The audit is on 3 February' });
  const { CODES } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/exchange.js`).href);
  assert.deepEqual([...CODES].toSorted(), listed('src/error.rs', 'codes').map(({ code }) => code).toSorted());
  const said = async (status, body, token = 'token') => {
    const fetch = async () => new Response(body, { status });
    const { code, retryable, field } = await one.sync.run(URL_, token, { fetch }).then(() => assert.fail(`${status}`), (error) => error);
    return [code, retryable, field];
  };
  const answers = [
    [401, '', 'unauthorized', false], [403, '{}', 'unauthorized', false], [404, '<html>', 'invalid_field', false, 'url'], [413, '', 'too_large', false],
    [429, '', 'rate_limited', true], [429, '{}', 'rate_limited', true], [500, 'oops', 'connection_lost', true], [503, '{}', 'connection_lost', true], [418, '{}', 'internal', false],
    [401, '{"error":{"code":"unauthorized","message":"no"}}', 'unauthorized', false], [503, '{"error":{"code":"storage","retryable":true}}', 'storage', true],
    [503, '{"error":{"code":"unavailable","retryable":true}}', 'connection_lost', true], [400, '{"error":{"code":"toString"}}', 'internal', false],
  ];
  for (const [status, body, code, retryable, field] of answers) assert.deepEqual(await said(status, body), [code, retryable, field], `${status} ${body}`);
  for (const token of ['to\nk', 'to\u0000k', 'to\u20ack']) assert.deepEqual(await said(200, '{}', token), ['invalid_field', false, 'token']);
});
