// The everyday calls of the package: `add`, `limit`, name suggestions, `clear`, `destroy` and durability.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { installed } from './installed.mjs';
import { pages } from './pages.mjs';

let project;
let tabs;
let open;
before(async () => {
  project = await installed();
  ({ open } = await import(join(project.dir, 'node_modules/memfold/node.js')));
  tabs = await pages(project.dir, '');
});
after(async () => {
  await tabs?.close();
  project?.remove();
});

const memory = () => open({ storage: 'memory', owner: ['me@b.example'], zone: 0 });
const failed = (work) =>
  Promise.resolve()
    .then(work)
    .then(
      () => assert.fail('it did not reject'),
      (e) => e,
    );

test('add_accepts_text_chat_turns_and_drafts', async () => {
  const memories = await memory();
  const note = await memories.add('The dentist is on 3 March at 10.', { metadata: { from: 'note' } });
  const chat = await memories.add([
    { role: 'user', content: 'The parking permit number is 5521.', at: '2026-01-05T10:00:00Z' },
    { role: 'assistant', content: 'The train to Busan leaves at 09:40 from platform 4.', at: '2026-01-05T10:01:00Z' },
  ]);
  const draft = await memories.add({ content: 'Rent rises by 40 EUR in May', metadata: { a: [1, { b: null }] } }, { key: 'k' });
  assert.deepEqual(note.receipts[0].memory.metadata, { from: 'note' });
  assert.deepEqual(
    chat.receipts.map((r) => r.memory.sourceType),
    ['user_input', 'tool_output'],
  );
  assert.deepEqual([draft.entry.decision, draft.memory.metadata], ['CREATE', { a: [1, { b: null }] }]);
  assert.equal((await memories.add({ content: 'Rent rises by 40 EUR in May' }, { key: 'k' })).replayed, true);
  assert.equal((await failed(() => memories.add(5))).field, 'content');
});

test('invalid_numbers_and_dates_are_not_treated_as_missing', async () => {
  const memories = await memory();
  const told = async (work) => ((e) => [e.code, e.field])(await failed(work));
  const refused = {
    'model.dailyTokens': () => open({ storage: 'memory', model: { dailyTokens: NaN } }),
    importTokens: () => memories.importMail(new Uint8Array(), { importTokens: NaN }),
    concurrency: () => memories.importMail(new Uint8Array(), { concurrency: 99 }),
    importance: () => memories.add({ content: 'Tea is at four', importance: Infinity }),
    asOf: () => memories.list({ asOf: new Date(NaN) }),
    from: () => memories.search('tea', { from: new Date('never') }),
  };
  for (const [field, work] of Object.entries(refused)) assert.deepEqual(await told(work), ['invalid_field', field], field);
  assert.equal((await memories.list()).length, 0);
});

/** The meeting time and the task's deadline that the engine reads from two notes with these options. */
async function readNotes(options) {
  const memories = await open({ storage: 'memory', owner: ['me@b.example'], ...options });
  const [meeting] = (await memories.add('The depot meeting is on 2 April 2026 at 2 pm.')).receipts;
  const [task] = (await memories.add('Please send the signed lease back by 15 May 2036.')).receipts;
  await memories.close();
  return [meeting.memory.occurredAt, task.memory.validUntil];
}

test('a_zone_is_a_name_an_offset_or_minutes_and_days_do_not_shift', async () => {
  for (const [zone, at] of [
    ['Europe/London', '2026-04-02T13:00:00.000Z'],
    ['America/New_York', '2026-04-02T18:00:00.000Z'],
    ['Asia/Seoul', '2026-04-02T05:00:00.000Z'],
    ['Australia/Sydney', '2026-04-02T03:00:00.000Z'],
    ['+09:00', '2026-04-02T05:00:00.000Z'],
    ['-0330', '2026-04-02T17:30:00.000Z'],
    [540, '2026-04-02T05:00:00.000Z'],
    [0, '2026-04-02T14:00:00.000Z'],
    ['UTC', '2026-04-02T14:00:00.000Z'],
  ])
    assert.deepEqual(await readNotes({ zone }), [at, '2036-05-15'], String(zone));
  // Before a clock change the earlier offset applies.
  const memories = await open({ storage: 'memory', owner: ['me@b.example'], zone: 'Europe/London' });
  const winter = await memories.add('The depot meeting is on 26 March 2026 at 2 pm.');
  assert.equal(winter.receipts[0].memory.occurredAt, '2026-03-26T14:00:00.000Z');
  // A search by day finds whole-day memories, and times on that day in the zone.
  await memories.add({ content: 'Rhubarb is planted', occurredAt: '2026-05-15' });
  await memories.add({ content: 'Beans are planted', occurredAt: '2026-05-14T23:30:00Z' });
  await memories.add({ content: 'Leeks are planted', occurredAt: '2026-05-15T23:30:00Z' });
  const hits = await memories.search('planted', { from: '2026-05-15', to: '2026-05-16' });
  assert.deepEqual(hits.map(({ memory }) => memory.content).sort(), ['Beans are planted', 'Rhubarb is planted']);
  await memories.close();
});

test('unknown_zones_are_rejected', async () => {
  for (const zone of ['Middle/Earth', '', 'Seoul', '9', '+25:00', 1081, 1.5, true, {}]) {
    const { code, field } = await failed(() => open({ storage: 'memory', zone }));
    assert.deepEqual([code, field], ['invalid_field', 'zone'], JSON.stringify(zone));
  }
});

test('every_listing_call_respects_limit', async () => {
  const memories = await memory();
  for (const thing of ['kettle', 'ladder', 'violin']) await memories.add({ content: `The ${thing} was lent to Kim` });
  assert.equal((await memories.search('What was lent to Kim?', { limit: 2 })).length, 2);
  assert.equal((await memories.ask('What was lent to Kim?', { limit: 1 })).hits.length, 1);
  assert.equal((await memories.list({ limit: 1 })).length, 1);
  assert.equal((await memories.log.list({ limit: 2 })).length, 2);
  assert.ok((await memories.graph.edges()).length >= 1);
  assert.equal((await memories.graph.edges(undefined, { limit: 1 })).length, 1);
  assert.equal((await memories.review.list({ limit: 0 })).length, 0);
  assert.deepEqual(
    [(await failed(() => memories.search('x', { limit: 0 }))).field, (await failed(() => memories.review.list({ limit: -1 }))).field],
    ['limit', 'limit'],
  );
});

test('misspelt_names_are_rejected_with_a_suggestion', async () => {
  const memories = await memory();
  const [{ id }] = [(await memories.add({ content: 'Tea is at four' })).memory];
  const said = async (work) => {
    const { code, field, message } = await failed(work);
    return [code, field, /did you mean `(.*)`\?$/.exec(message)?.[1] ?? 'nothing'];
  };
  assert.deepEqual(await said(() => memories.add({ contnet: 'x' })), ['unknown_field', 'contnet', 'content']);
  assert.deepEqual(await said(() => memories.list({ thread: 't' })), ['unknown_field', 'thread', 'threadId']);
  assert.deepEqual(await said(() => memories.list({ order: 'newset' })), ['invalid_field', 'order', 'newest']);
  assert.deepEqual(await said(() => memories.search('x', { catgeory: 'task' })), ['unknown_field', 'catgeory', 'category']);
  assert.deepEqual(await said(() => memories.search('x', { category: 'taks' })), ['invalid_field', 'category', 'task']);
  assert.deepEqual(await said(() => memories.update(id, 'x', { metdata: {} })), ['unknown_field', 'metdata', 'metadata']);
  assert.deepEqual(await said(() => open({ polciy: 'fast' })), ['unknown_field', 'polciy', 'policy']);
  assert.deepEqual(await said(() => open({ pth: 'mine.db' })), ['unknown_field', 'pth', 'storage.path']);
  assert.deepEqual(await said(() => open({ storage: 'memory', xylophone: 1 })), ['unknown_field', 'xylophone', 'nothing']);
  // The error lists every option of the group, also those read in JavaScript.
  for (const [options, names] of [
    [{ foo: 1 }, ['name', 'owner', 'zone', 'storage', 'model', 'embedder', 'policy', 'mail', 'sleep', 'onTrouble']],
    [{ storage: { foo: 1 } }, ['store', 'path', 'object', 'scope', 'persist', 'durability']],
    [{ policy: { foo: 1 } }, ['mode', 'askBelow', 'merge']],
    [{ storage: 'memory', sleep: { foo: 1 } }, ['budgetShare', 'tagging', 'tauDup']],
    [{ model: { foo: 1 } }, ['url', 'analyst', 'timeout', 'dailyTokens']],
  ]) {
    const { message } = await failed(() => open(options));
    for (const name of names) assert.ok(message.includes(`\`${name}\``), `${name}: ${message}`);
  }
  // Names of earlier builds lead to the new ones.
  for (const [options, now] of [
    [{ path: 'x' }, 'storage.path'],
    [{ store: 'memory' }, 'storage.store'],
    [{ analyst() {} }, 'model'],
    [{ mailHosts: [] }, 'mail.hosts'],
    [{ wasm: '' }, 'preload({ wasm })'],
  ]) {
    assert.ok((await failed(() => open(options))).message.endsWith(`it is now \`${now}\``), now);
  }
});

test('errors_name_dependent_entries_and_the_log_names_the_undo', async () => {
  const memories = await memory();
  const { entry, memory: made } = await memories.add({ content: 'Tea is at four' });
  const update = await memories.update(made.id, 'Tea is at five');
  const refused = await failed(() => memories.undo(entry.id));
  assert.deepEqual([refused.code, refused.dependents], ['has_dependents', [update.entry.id]]);
  const undo = await memories.undo(update.entry.id);
  assert.deepEqual([undo.decision, undo.memory.content, undo.confirmation], ['UPDATE', 'Tea is at four', 'confirmed']);
  assert.deepEqual(
    (await memories.log.list()).map((e) => e.undoneBy),
    [undefined, undo.entry.id, undefined],
  );
  await memories.redo(update.entry.id);
  assert.equal((await memories.log.list())[1].undoneBy, undefined);
  const { byDecision, byStatus } = await memories.log.stats();
  assert.deepEqual([Object.keys(byDecision).length, byDecision.CREATE_AND_LINK, byStatus.error], [5, 0, 0]);
});

test('every_act_returns_its_decision_memory_entry_and_confirmation', async () => {
  const memories = await memory();
  const shape = ({ decision, memory: after, entry, confirmation, replayed }) => [
    decision,
    after?.content,
    entry.action ?? 'consolidate',
    confirmation,
    replayed,
  ];
  const tea = { content: 'Tea is at four', threadId: 't' };
  const made = await memories.add(tea, { key: 'tea' });
  assert.deepEqual(shape(made), ['CREATE', 'Tea is at four', 'consolidate', 'confirmed', false]);
  assert.deepEqual(shape(await memories.add(tea, { key: 'tea' })), ['CREATE', 'Tea is at four', 'consolidate', 'confirmed', true]);
  const { receipts } = await memories.add('The dentist is on Friday at 10', { key: 'note', subject: 'Dentist' });
  assert.deepEqual([...receipts.map(shape), receipts[0].memory.sourceId], [['CREATE', receipts[0].memory.content, 'consolidate', 'confirmed', false], 'note']);
  assert.deepEqual(
    (await memories.add('The dentist is on Friday at 10', { key: 'note' })).receipts.map(({ replayed }) => replayed),
    [true],
  );
  assert.deepEqual(shape(await memories.update(made.memory.id, 'Tea is at five')).slice(0, 2), ['UPDATE', 'Tea is at five']);
  const gone = await memories.delete(made.memory.id);
  assert.deepEqual(shape(gone), ['DELETE', undefined, 'delete', 'confirmed', false]);
  assert.deepEqual(shape(await memories.restore(made.memory.id)).slice(1, 2), ['Tea is at five']);
  assert.deepEqual(shape(await memories.undo(gone.entry.id).catch(() => memories.redo(gone.entry.id))).slice(0, 1), ['DELETE']);
  const mails = [];
  await memories.importMail(
    'From: kim@a.example\nTo: me@a.example\nMessage-ID: <m1@a.example>\nDate: Mon, 5 Jan 2026 09:00:00 +0000\nSubject: Rent\n\nThe rent is 1,200 euros from May.\n',
    { onReceipt: (receipt) => mails.push(receipt) },
  );
  assert.deepEqual([mails.length, mails[0].messageId, mails[0].receipts.map(shape)[0]?.slice(0, 1)], [1, '<m1@a.example>', ['CREATE']]);
  assert.deepEqual(shape(await memories.erase(receipts[0].memory.id)), ['DELETE', undefined, 'forget', 'confirmed', false]);
});

test('a_missing_id_is_not_found_everywhere', async () => {
  const memories = await memory();
  const id = '01a20982-9788-700e-adbe-5ef90fcfaa85';
  for (const verb of ['get', 'history', 'related', 'why', 'update', 'delete', 'restore', 'erase', 'undo']) {
    assert.equal((await failed(() => memories[verb](id, ...(verb === 'update' ? ['x'] : [])))).code, 'not_found', verb);
  }
  const { memory: made } = await memories.add({ content: 'Tea is at four' });
  assert.deepEqual([await memories.related(made.id), await memories.history(made.id, { asOf: '2020-01-01T00:00:00Z' })], [[], []]);
  for (const [old, now] of [
    ['consolidate', 'add'],
    ['ingest', 'importMail'],
  ])
    assert.match((await failed(() => memories[old]('x'))).message, new RegExp(`is now \`${now}\``));
  await memories[Symbol.asyncDispose]();
  assert.equal((await failed(() => memories.get(made.id))).code, 'closed');
});

test('iterators_read_every_memory_and_entry_once', async () => {
  const memories = await memory();
  const { receipts } = await memories.add([{ role: 'user', content: 'Tea is at four.' }]);
  for (let n = 0; n < 260; n += 1) await memories.add({ content: `Parcel ${n * 7919} is at dock ${n}` });
  const [ids, seqs] = [[], []];
  for await (const { id } of memories.each({ order: 'newest' })) ids.push(id);
  for await (const { seq } of memories.log.each()) seqs.push(seq);
  assert.deepEqual([ids.length, new Set(ids).size, ids.at(-1)], [261, 261, receipts[0].memory.id]);
  assert.deepEqual(
    seqs,
    Array.from({ length: 261 }, (_, n) => n + 1),
  );
  assert.equal((await failed(() => memories.each({ ordr: 'x' }).next())).field, 'ordr');
});

test('a_named_memory_is_replaced', async () => {
  const memories = await memory();
  const { memory: old } = await memories.add({ content: 'Tea is at four' });
  const { decision, memory: next, confirmation } = await memories.add({ content: 'We drink coffee now' }, { replaces: old.id });
  assert.deepEqual([decision, next.version, next.content, confirmation], ['UPDATE', 2, 'We drink coffee now', 'confirmed']);
  const nobody = '01a20982-9788-700e-adbe-5ef90fcfaa85';
  assert.equal((await failed(() => memories.add({ content: 'x' }, { replaces: nobody }))).code, 'not_found');
  assert.deepEqual(((e) => [e.code, e.field])(await failed(() => memories.add('x', { replaces: old.id }))), ['unknown_field', 'replaces']);
});

test('dates_and_iso_text_mean_the_same', async () => {
  const memories = await memory();
  const at = new Date('2026-05-12T09:00:00Z');
  const { memory: made } = await memories.add({ content: 'The kickoff is in room 3', occurredAt: at, statedAt: at });
  assert.deepEqual(
    [made.occurredAt, made.statedAt].map((time) => Date.parse(time)),
    [at.getTime(), at.getTime()],
  );
  for (const from of [at, at.toISOString()]) assert.equal((await memories.list({ from })).length, 1);
  assert.equal((await memories.list({ to: at })).length, 0);
});

test('undo_all_reverts_several_entries_and_can_be_undone', async () => {
  const memories = await memory();
  const made = [];
  for (const content of ['Tea is at four', 'The parcel is at the reception', 'Rent rises in May']) made.push(await memories.add({ content }));
  const { entry: later } = await memories.update(made[0].memory.id, 'Tea is at five');
  const undone = await memories.undoAll(made.map(({ entry }) => entry.id));
  assert.deepEqual([undone.entries.length, undone.kept], [2, [made[0].entry.id]]);
  assert.deepEqual(
    (await memories.list()).map((m) => m.content),
    ['Tea is at five'],
  );
  assert.deepEqual(
    (await memories.log.list()).filter((e) => e.undoneBy).map((e) => e.id),
    [made[1].entry.id, made[2].entry.id],
  );
  assert.deepEqual(await memories.undoAll([later.id, made[1].entry.id]).then((u) => u.entries.length), 1);
  await memories.undoAll(undone.entries);
  assert.equal((await memories.list()).length, 3);
  assert.equal((await failed(() => memories.undoAll([]))).code, 'invalid_field');
});

test('clear_leaves_an_empty_usable_memory', async () => {
  const memories = await memory();
  await memories.add({ content: 'Tea is at four' });
  await memories.clear();
  assert.deepEqual([await memories.list(), await memories.log.list(), await memories.search('tea')], [[], [], []]);
  await memories.add({ content: 'Tea is at five' });
  assert.equal((await memories.list()).length, 1);
  await memories.close();
  assert.equal((await failed(() => memories.clear())).code, 'closed');
  assert.equal((await failed(() => memories.destroy())).code, 'closed');
});

test('indexeddb_scopes_are_separate_and_destroy_deletes_one', async () => {
  const page = await tabs.page(`import { open } from 'memfold'; globalThis.open = open;`);
  const result = await page.evaluate(async () => {
    const code = (work) =>
      work.then(
        () => 'none',
        (e) => [e.code, e.field ?? ''],
      );
    const none = await open({ name: 'apart' });
    const kim = await open({ name: 'apart', storage: { scope: { user: 'kim' } } });
    const lee = await open({ name: 'apart', storage: { scope: { user: 'lee' } } });
    // Empty scopes do not make the name ambiguous.
    const before = await code(open({ name: 'apart' }).then((m) => m.close()));
    await none.add({ content: 'Nobody in particular likes rain' });
    await kim.add({ content: 'The dentist is on Thursday at 10' });
    const sizes = [(await none.list()).length, (await kim.list()).length, (await lee.list()).length];
    const found = [(await none.search('dentist')).length, (await kim.search('dentist')).length, (await lee.search('dentist')).length];
    const unnamed = await code(open({ name: 'apart' }));
    const other = await code(open({ name: 'apar' }).then((m) => m.close()));
    await kim.destroy();
    await lee.destroy();
    const left = (await indexedDB.databases()).map((d) => d.name).filter((n) => n.startsWith('apart'));
    const plain = await open({ name: 'apart' });
    const gone = await code(kim.list());
    return { sizes, found, before, unnamed, other, left, plain: (await plain.list()).length, gone };
  });
  assert.deepEqual(result, {
    sizes: [1, 1, 0],
    found: [0, 1, 0],
    before: 'none',
    unnamed: ['invalid_field', 'storage.scope'],
    other: 'none',
    left: ['apart'],
    plain: 1,
    gone: ['closed', ''],
  });
  await page.close();
});

test('persistence_is_requested_and_the_browsers_answer_is_reported', async () => {
  const page = await tabs.page(`
    import { open } from 'memfold';
    globalThis.open = open;
    globalThis.asked = 0;
    navigator.storage.persisted = async () => false;
    navigator.storage.persist = async () => ((asked += 1), globalThis.grants);`);
  const result = await page.evaluate(async () => {
    const settled = () => new Promise((r) => setTimeout(r, 20));
    globalThis.grants = false;
    const refused = await open({ name: 'lasts' });
    await settled();
    const first = [refused.durability, asked];
    const unasked = await open({ name: 'lasts', storage: { persist: false } });
    await settled();
    const second = [unasked.durability, asked];
    globalThis.grants = true;
    const granted = await open({ name: 'lasts' });
    await settled();
    return [first, second, [granted.durability, asked], (await open({ storage: 'memory' })).durability];
  });
  const evictable = { store: 'indexeddb', lasts: 'evictable' };
  assert.deepEqual(result, [[evictable, 1], [evictable, 1], [{ store: 'indexeddb', lasts: 'persistent' }, 2], { store: 'memory', lasts: 'ephemeral' }]);
  await page.close();
});

test('invalid_open_options_are_rejected_in_a_page', async () => {
  const page = await tabs.page(
    `import { open } from 'memfold'; globalThis.code = (options) => open(options).then(() => 'none', (e) => e.code + ':' + e.field);`,
  );
  assert.deepEqual(
    await page.evaluate(
      `Promise.all([code({ storage: { path: 'x.db' } }), code({ storage: { scope: 5 } }), code({ storage: { scope: { user: 5 } } }), code({ storage: { persist: 'yes' } }), code({ name: '' }), code({ zone: 99999 }), code({ zone: -1080 })])`,
    ),
    [
      'unsupported:storage.path',
      'invalid_field:storage.scope',
      'invalid_field:storage.scope.user',
      'invalid_field:storage.persist',
      'invalid_field:name',
      'invalid_field:zone',
      'none',
    ],
  );
  await page.close();
});
