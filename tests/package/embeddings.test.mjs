// Embeddings by an endpoint or a function: each dialect, request contents, rejections, and no lost memories.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LLMock } from '@copilotkit/aimock';
import { installed } from './installed.mjs';
import { embedded, sleep, status, stub, vector } from './stub.mjs';

let project;
let open;
before(async () => {
  project = await installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
});
after(() => project.remove());

const SAID = ['The rent for the studio is 800 euros', '합창단이 목요일에 연습한다', 'The parcel from Lyon was shipped'];
const make = ({ embedder, ...options }) =>
  open({ storage: 'memory', ...options, embedder: typeof embedder === 'object' && embedder ? { timeout: 5_000, ...embedder } : embedder });

/** A memory with three notes that were stored before any embedder was set. */
async function filled(options) {
  const plain = await open({ storage: 'memory' });
  for (const content of SAID) await plain.add({ content });
  const memories = await make(options);
  await memories.data.import(await plain.data.export());
  return memories;
}

/** Base URL, request path and answer of a server of each dialect. */
const DIALECTS = {
  openai: ['/v1', '/v1/embeddings', (body) => embedded(body.input)],
  'openai out of order': [
    '/v1/embeddings',
    '/v1/embeddings',
    (body) => {
      const { data, ...rest } = JSON.parse(embedded(body.input));
      return JSON.stringify({ ...rest, data: data.toReversed() });
    },
  ],
  gemini: [
    '/v1beta',
    '/v1beta/models/m:batchEmbedContents',
    (body) => JSON.stringify({ embeddings: body.requests.map((r) => ({ values: vector(r.content.parts[0].text) })) }),
  ],
};
for (const [name, [path, wanted, answer]] of Object.entries(DIALECTS)) {
  test(`${name}_embeds_new_and_existing_memories`, async () => {
    const server = await stub((response, _, { body }) => response.end(answer(body)));
    try {
      const url = `${new URL(server.url).origin}${path}`;
      const memories = await filled({ embedder: { dialect: name.split(' ')[0], url, model: 'm', key: 'k-123' } });
      assert.equal(server.requests.length, 0, 'nothing is sent when it is opened');
      const seen = [];
      const report = await memories.model.reembed({ onProgress: (p) => seen.push(p) });
      assert.deepEqual(report, { model: `${name.split(' ')[0]}/m`, dimensions: 96, embedded: 3, waiting: 0, failed: 0 });
      assert.deepEqual(seen.at(-1), report);
      assert.equal(server.requests.length, 2, 'the anchors, and all three texts');
      assert.ok(
        server.requests.every((r) => r.url === wanted),
        server.requests[0].url,
      );
      const [hit] = await memories.search('studio rent');
      assert.equal(hit.memory.content, SAID[0]);
      await memories.add({ content: 'The roof is to be repaired in May' });
      assert.equal((await memories.model.reembed({ maxTexts: 0 })).waiting, 0);
      const { problems } = await memories.data.verify();
      assert.deepEqual(problems, []);
    } finally {
      server.close();
    }
  });
}

test('the_key_is_sent_only_in_its_header_and_no_id_or_thread_is_sent', async () => {
  const server = await stub((response, _, { body }) => response.end(embedded(body.input)));
  try {
    const memories = await make({ embedder: { dialect: 'openai', url: server.url, model: 'm', key: 'k-123', dimensions: 96 } });
    const { memory } = await memories.add({ content: SAID[0], threadId: 'thread-77', subject: 'a subject' });
    const { headers, body } = server.requests.at(-1);
    assert.equal(headers.authorization, 'Bearer k-123');
    assert.deepEqual(body, { model: 'm', input: [SAID[0]], encoding_format: 'float', dimensions: 96 });
    assert.ok(!JSON.stringify(server.requests.map((r) => r.body)).includes(memory.id));
  } finally {
    server.close();
  }
});

/** How each vendor's models receive the text kind: the request for a document, then for a question. */
const KINDS = {
  'openai text-embedding-3-small': [
    { input: [SAID[0]], encoding_format: 'float' },
    { input: ['rent?'], encoding_format: 'float' },
  ],
  'openai voyage-3.5': [
    { input: [SAID[0]], input_type: 'document' },
    { input: ['rent?'], input_type: 'query' },
  ],
  'openai jina-embeddings-v3': [
    { input: [SAID[0]], encoding_format: 'float', task: 'retrieval.passage' },
    { input: ['rent?'], encoding_format: 'float', task: 'retrieval.query' },
  ],
  'openai embed-v4.0': [
    { input: [SAID[0]], encoding_format: 'float', input_type: 'search_document' },
    { input: ['rent?'], encoding_format: 'float', input_type: 'search_query' },
  ],
  'openai intfloat/multilingual-e5-small': [
    { input: [`passage: ${SAID[0]}`], encoding_format: 'float' },
    { input: ['query: rent?'], encoding_format: 'float' },
  ],
  'openai nomic-embed-text': [
    { input: [`search_document: ${SAID[0]}`], encoding_format: 'float' },
    { input: ['search_query: rent?'], encoding_format: 'float' },
  ],
};
/** Removes the kind prefix, which a real model does not treat as part of the text. */
const unprefixed = ({ input, ...body }) => ({
  ...body,
  ...(input ? { input: input.map((text) => text.replace(/^(?:passage|query|search_document|search_query): /, '')) } : {}),
});
for (const [name, [document, query]] of Object.entries(KINDS)) {
  test(`${name.replaceAll(/\W/g, '_')}_receives_the_text_kind`, async () => {
    const [dialect, model] = name.split(' ');
    const answer = DIALECTS[dialect][2];
    const server = await stub((response, _, { body }) => response.end(answer(unprefixed(body))));
    try {
      const memories = await make({ embedder: { dialect, url: server.url, model } });
      await memories.add({ content: SAID[0] });
      assert.deepEqual(server.requests.at(-1).body, { model, ...document });
      assert.equal((await memories.search('rent?'))[0].memory.content, SAID[0]);
      assert.deepEqual(server.requests.at(-1).body, { model, ...query });
    } finally {
      server.close();
    }
  });
}

test('gemini_receives_the_kind_of_each_text', async () => {
  const server = await stub((response, _, { body }) => response.end(DIALECTS.gemini[2](body)));
  try {
    const memories = await make({ embedder: { dialect: 'gemini', url: server.url, model: 'm' } });
    await memories.add({ content: SAID[0] });
    assert.deepEqual(server.requests.at(-1).body.requests, [{ model: 'models/m', content: { parts: [{ text: SAID[0] }] }, taskType: 'RETRIEVAL_DOCUMENT' }]);
    await memories.search('rent?');
    assert.deepEqual(
      server.requests.at(-1).body.requests.map((r) => r.taskType),
      ['RETRIEVAL_QUERY'],
    );
  } finally {
    server.close();
  }
});

test('a_function_receives_the_kind_and_may_ignore_it', async () => {
  const told = [];
  const kinds = await make({ embedder: { model: 'mine', embed: (texts, { kind }) => (told.push([texts.length, kind]), texts.map(vector)) } });
  const plain = await make({ embedder: { model: 'mine', embed: (texts) => texts.map(vector) } });
  for (const memories of [kinds, plain]) {
    await memories.add({ content: SAID[0] });
    assert.equal((await memories.search('studio rent'))[0].memory.content, SAID[0]);
  }
  assert.deepEqual(told, [
    [28, 'document'],
    [1, 'document'],
    [1, 'query'],
  ]);
});

test('a_server_that_rejects_the_kind_is_asked_without_it', async () => {
  const server = await stub((response, _, { body }) => (body.task ? status(400)(response) : response.end(embedded(body.input))));
  try {
    const memories = await filled({ embedder: { dialect: 'openai', url: server.url, model: 'jina-embeddings-v3' } });
    assert.equal((await memories.model.reembed()).waiting, 0);
    assert.equal(server.requests.filter((r) => r.body.task).length, 1);
  } finally {
    server.close();
  }
});

test('a_server_that_accepts_only_the_plain_form_gets_it', async () => {
  const server = await stub((response, _, { body }) => (body.encoding_format ? status(400)(response) : response.end(embedded(body.input))));
  try {
    const memories = await filled({ embedder: { dialect: 'openai', url: server.url, model: 'm' } });
    assert.equal((await memories.model.reembed()).waiting, 0);
    assert.equal(server.requests.filter((r) => r.body.encoding_format).length, 1);
  } finally {
    server.close();
  }
});

test('a_server_with_meaningless_vectors_is_detected', async () => {
  // aimock hashes each text, so that similar texts get unrelated vectors.
  const mock = new LLMock({ port: 0 });
  await mock.start();
  try {
    const memories = await filled({ embedder: { dialect: 'openai', url: `${mock.url}/v1`, model: 'text-embedding-3-small' } });
    const report = await memories.model.reembed();
    assert.deepEqual([report.stopped, report.embedded, report.waiting], ['indistinct', 0, 3]);
    assert.equal((await memories.search('studio rent'))[0].memory.content, SAID[0]);
  } finally {
    await mock.stop();
  }
});

test('a_function_embeds_and_is_aborted_after_its_time_limit', async () => {
  const calls = [];
  const embed = async (texts, { signal }) => (calls.push([texts.length, signal.aborted]), texts.map((t) => Float32Array.from(vector(t))));
  const memories = await filled({ embedder: { model: 'mine', dimensions: 96, embed } });
  const report = await memories.model.reembed();
  assert.deepEqual([report.model, report.embedded, report.waiting], ['own/mine', 3, 0]);
  assert.deepEqual(calls, [
    [28, false],
    [3, false],
  ]);
  let late;
  const never = (_, { signal }) => new Promise(() => signal.addEventListener('abort', () => (late = true)));
  const slow = await filled({ embedder: { model: 'mine', embed: never, timeout: 100 } });
  const start = performance.now();
  await slow.add({ content: 'x y z' });
  assert.equal(late, true);
  assert.deepEqual([(await slow.model.reembed()).stopped, (await slow.search('studio')).length > 0], ['resting', true]);
  assert.ok(performance.now() - start < 2_000, 'its time limit once');
});

test('local_hits_are_delivered_before_those_of_the_embedder', async () => {
  let held;
  let release;
  const asked = [];
  const embed = async (texts) => (asked.push(...texts), await held, texts.map(vector));
  const memories = await filled({ embedder: { model: 'mine', embed } });
  await memories.model.reembed();
  asked.length = 0;
  held = new Promise((resolve) => (release = resolve));
  const told = [];
  const search = memories.search('studio rent', { onHits: (hits) => told.push(hits.map((h) => h.memory.content)) });
  while (told.length === 0) await sleep(5);
  assert.equal(told[0][0], SAID[0], 'before the embedder has answered');
  release();
  const hits = await search;
  assert.deepEqual(told.slice(1), [hits.map((h) => h.memory.content)]);
  assert.deepEqual(asked, ['studio rent']);
  assert.equal((await memories.search('studio rent', { atHand: true }))[0].memory.content, SAID[0]);
  assert.equal(asked.length, 1);
  const plain = await open({ storage: 'memory' });
  await plain.add({ content: SAID[0] });
  let times = 0;
  await plain.search('rent', { onHits: () => (times += 1) });
  assert.equal(times, 1);
  await assert.rejects(plain.search('rent', { onHits: 1 }), { code: 'invalid_field', field: 'onHits' });
});

test('re_embedding_respects_its_limit_and_its_signal', async () => {
  const embed = (texts) => texts.map(vector);
  const memories = await filled({ embedder: { model: 'mine', embed } });
  assert.equal((await memories.model.reembed({ maxTexts: 2 })).waiting, 1);
  await assert.rejects(memories.model.reembed({ signal: AbortSignal.abort() }), { code: 'aborted' });
  const gone = new AbortController();
  const waiting = await filled({ embedder: { model: 'mine', embed: () => new Promise(() => {}) } });
  setTimeout(() => gone.abort(), 50);
  await assert.rejects(waiting.model.reembed({ signal: gone.signal }), { code: 'aborted' });
  await assert.rejects(memories.model.reembed({ maxTexts: -1 }), { field: 'maxTexts' });
  await assert.rejects(memories.model.reembed({ most: 1 }), { field: 'most' });
  assert.equal((await memories.model.reembed()).waiting, 0);
  await assert.rejects((await open({ storage: 'memory' })).model.reembed(), { code: 'invalid_input' });
});

test('an_invalid_embedder_is_rejected_on_open', async () => {
  const good = { dialect: 'openai', url: 'https://a.example/v1', model: 'm' };
  const cases = [
    [null, 'embedder'],
    [{ ...good, dialect: 'anthropic' }, 'embedder.dialect'],
    [{ ...good, model: '' }, 'embedder.model'],
    [{ ...good, url: 'http://a.example' }, 'embedder.url'],
    [{ ...good, key: 'a\nb' }, 'embedder.key'],
    [{ ...good, keys: 1 }, 'embedder.keys', 'unknown_field'],
    [{ ...good, dimensions: 0 }, 'embedder.dimensions'],
    [{ ...good, dimensions: 1.5 }, 'embedder.dimensions'],
  ];
  for (const [embedder, field, code = 'invalid_field'] of cases) await assert.rejects(make({ embedder }), { name: 'MemfoldError', code, field });
  const embed = () => [];
  for (const [embedder, field, code = 'invalid_field'] of [
    [embed, 'embedder'],
    [{ embed }, 'embedder.model'],
    [{ model: 'm' }, 'embedder.embed'],
    [{ model: '', embed }, 'embedder.model'],
    [{ model: 'm', embed, x: 1 }, 'embedder.x', 'unknown_field'],
  ]) {
    await assert.rejects(make({ embedder }), { code, field });
  }
  await assert.rejects(make({ embedder: { ...good, timeout: 0 } }), { field: 'embedder.timeout' });
});
