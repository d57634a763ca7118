// Arguments and results have the shapes of the types, and mismatches are reported consistently.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../pkg/node.js';

test('a_sleep_report_without_candidates_has_an_empty_list', async () => {
  const memories = await open({ storage: 'memory' });
  await memories.add({ content: 'The dentist is on Thursday at 10' });
  const heard = [];
  for (const options of [{}, { dryRun: true }, { maxNodes: 300, onProgress: (report) => heard.push(report.candidates) }]) {
    assert.deepEqual((await memories.sleep.run(options)).candidates, [], JSON.stringify(options));
  }
  assert.deepEqual(heard, [[]]);
});

/** The code and the field that `work` rejects with. */
const failed = (work) =>
  Promise.resolve()
    .then(work)
    .then(
      () => 'none',
      (e) => [e.code, e.field],
    );

test('errors_name_the_parameter_of_the_call', async () => {
  const memories = await open({ storage: 'memory' });
  const long = 'x'.repeat(999);
  for (const work of [
    () => memories.search(''),
    () => memories.search(long),
    () => memories.search(5),
    () => memories.explainSearch(long),
    () => memories.graph.addQuery(''),
    () => memories.graph.addQuery(5),
    () => memories.live.search(5, {}, () => {}),
  ])
    assert.deepEqual(await failed(work), ['invalid_field', 'query'], `${work}`);
  assert.deepEqual(await failed(() => memories.data.import(1)), ['invalid_field', 'lines']);
});

test('the_same_mistake_has_the_same_code_everywhere', async () => {
  const memories = await open({ storage: 'memory' });
  const { memory } = await memories.add({ content: 'Tea is at four' });
  const endpoint = { dialect: 'openai', url: 'https://models.example/v1', model: 'm' };
  const circular = { name: 'x' };
  circular.self = [{ circular }];
  const deep = Array.from({ length: 200 }).reduce((inner) => ({ inner }), {});
  for (const [code, field, work] of [
    ['invalid_field', 'model.mask', () => open({ storage: 'memory', model: { mask: 'yes' } })],
    ['invalid_field', 'name', () => open({ storage: 'memory', name: 1 })],
    ['invalid_field', 'storage.persist', () => open({ storage: { store: 'memory', persist: 'x' } })],
    ['invalid_field', 'owner', () => open({ storage: 'memory', owner: 5 })],
    ['invalid_field', 'limit', () => memories.search('tea', { limit: '3' })],
    ['invalid_field', 'content', () => memories.add(1)],
    ['invalid_field', 'content', () => memories.add({ content: 1 })],
    ['invalid_field', 'people[0]', () => memories.add({ content: 'x', people: [1] })],
    ['invalid_field', 'limit', () => memories.list({ limit: 'x' })],
    ['unknown_field', 'foo', () => memories.add({ content: 'x', foo: 1 })],
    ['unknown_field', 'foo', () => memories.list({ foo: 1 })],
    ['unknown_field', 'model.foo', () => open({ storage: 'memory', model: { ...endpoint, foo: 1 } })],
    ['unknown_field', 'embedder.foo', () => open({ storage: 'memory', embedder: { ...endpoint, foo: 1 } })],
    ['unknown_field', 'embedder.foo', () => open({ storage: 'memory', embedder: { model: 'e', embed: () => [], foo: 1 } })],
    ['invalid_field', 'policy.askBelow', () => open({ storage: 'memory', policy: { askBelow: 2 } })],
    ['invalid_field', 'mail.hosts[1]', () => open({ storage: 'memory', mail: { hosts: ['mx.a.example', 5] } })],
    ['invalid_field', 'sleep.tauDup', () => open({ storage: 'memory', sleep: { tauDup: 7 } })],
    ['invalid_field', 'owner[1]', () => open({ storage: 'memory', owner: ['me@b.example', 5] })],
    ['unknown_field', 'mail.host', () => open({ storage: 'memory', mail: { host: [] } })],
    ['unknown_field', 'storage.pth', () => open({ storage: { pth: 'x' } })],
    ['invalid_field', 'storage.store', () => open({ storage: 'indexdb' })],
    ['invalid_field', 'owner.addresses[0]', () => open({ storage: 'memory', owner: { addresses: [5] } })],
    ['unknown_field', 'policy.foo', () => open({ storage: 'memory', policy: { foo: 1 } })],
    ['invalid_input', 'metadata.circular.self[0].circular', () => memories.add({ content: 'x', metadata: { circular } })],
    ['invalid_input', 'self[0].circular', () => memories.update(memory.id, 'x', { metadata: circular })],
    ['invalid_input', `metadata${'.inner'.repeat(94)}`, () => memories.add({ content: 'x', metadata: deep })],
  ])
    assert.deepEqual(await failed(work), [code, field], `${work}`);
  // A repeated object is not a cycle.
  const twice = { a: 1 };
  assert.equal(await failed(() => memories.add({ content: 'The bus leaves at six', metadata: { twice, again: twice } })), 'none');
});

test('an_empty_key_is_rejected', async () => {
  const memories = await open({ storage: 'memory' });
  for (const content of ['Boats are blue', 'Tea is at four'])
    assert.deepEqual(await failed(() => memories.add({ content }, { key: '' })), ['invalid_field', 'key']);
  assert.equal((await memories.list()).length, 0);
});

test('live_query_errors_are_reported_and_invalid_callbacks_rejected', async () => {
  const memories = await open({ storage: 'memory' });
  const said = [];
  const { error } = console;
  console.error = (...words) => said.push(words.at(-1).code);
  try {
    for (const live of [(...rest) => memories.live.list({}, ...rest), (...rest) => memories.live.search('tea', {}, ...rest)]) {
      assert.deepEqual(await failed(() => live(1)), ['invalid_field', 'callback']);
      assert.deepEqual(await failed(() => live(() => {}, 1)), ['invalid_field', 'onError']);
    }
    const told = await new Promise((done) => memories.live.list({ foo: 1 }, () => {}, done));
    assert.deepEqual([told.code, said], ['unknown_field', []]);
    memories.live.list({ foo: 1 }, () => {});
    await new Promise((done) => setTimeout(done, 50));
    assert.deepEqual(said, ['unknown_field']);
  } finally {
    console.error = error;
  }
});

test('import_errors_name_the_line_and_a_byte_order_mark_is_accepted', async () => {
  const memories = await open({ storage: 'memory' });
  await memories.add({ content: 'The lease ends in May 2027' });
  const lines = await memories.data.export();
  const said = (text) =>
    memories.data.import(text).then(
      () => 'taken',
      (e) => `${e.code}: ${e.message}`,
    );
  const count = lines.trim().split('\n').length;
  for (const [text, wanted] of [
    ['{}', 'invalid_input: line 1 is not an export line'],
    ['[]', 'invalid_input: line 1 is not an export line'],
    ['x', 'invalid_input: line 1 is not JSON'],
    [lines.slice(0, lines.length - 40), `invalid_input: line ${count} is truncated`],
    [lines.replace('\n', '\n{"memory":\n'), 'invalid_input: line 2 is not JSON'],
    [`\ufeff${lines}`, 'taken'],
    [lines, 'taken'],
  ])
    assert.equal(await said(text), wanted, text.slice(0, 40));
  // An invalid field is named too.
  assert.match(await said(lines.replace('"content":"', '"content":5,"x":"')), /^invalid_(?:input|field): line 2: `.*content/);
});
