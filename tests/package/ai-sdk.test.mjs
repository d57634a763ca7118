// Models of the Vercel AI SDK: its own mock models behind the analyst and the embedder.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { open, testEndpoint } from '../../pkg/node.js';
import { analyst, embedder } from '../../pkg/ai-sdk.js';
import { vector } from './stub.mjs';

const www = createRequire(new URL('../../www/package.json', import.meta.url));
const load = (name) => import(pathToFileURL(www.resolve(name)).href);
const { MockEmbeddingModelV3, MockLanguageModelV3 } = await load('ai/test');
const { APICallError } = await load('ai');

const NOTES = ['Q1 마케팅 예산은 5000만원으로 정했다', 'Q1 마케팅 예산은 6000만원으로 정했다'];
const REPLY = JSON.stringify({
  entries: [{ op: 'update', of: 'M1', text: NOTES[1], category: 'decision', evidence: NOTES[1], analysis: { why: '같은 예산입니다', sure: 0.9 } }],
});
const said = (text, usage = { inputTokens: { total: 300 }, outputTokens: { total: 21 } }) => ({
  content: [
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text },
  ],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage,
  warnings: [],
});
const two = async (options) => {
  const memories = await open({ storage: 'memory', policy: 'accurate', ...options });
  await memories.add({ content: NOTES[0], threadId: 't' });
  return { memories, ...(await memories.add({ content: NOTES[1], threadId: 't' })) };
};

test('an_sdk_model_gets_the_reply_schema_and_its_tokens_are_counted', async () => {
  const model = new MockLanguageModelV3({ provider: 'openai.chat', modelId: 'gpt-5-mini', doGenerate: async () => said(REPLY) });
  const { memories, entry } = await two({
    model: { analyst: analyst(model, { origin: 'https://api.openai.com', providerOptions: { openai: { store: false } } }) },
  });
  assert.deepEqual([entry.decision, entry.analyst, entry.tokens], ['UPDATE', 'model', 321]);
  assert.equal((await memories.model.usage()).lastFailure, undefined);
  const [{ prompt, responseFormat, abortSignal, providerOptions }] = model.doGenerateCalls;
  assert.deepEqual([prompt[0].role, prompt.at(-1).role, typeof prompt[0].content, prompt.at(-1).content[0].type], ['system', 'user', 'string', 'text']);
  assert.ok(prompt.at(-1).content[0].text.includes(NOTES[1]));
  assert.deepEqual([responseFormat.type, responseFormat.schema.type, responseFormat.schema.required], ['json', 'object', ['entries']]);
  assert.ok(abortSignal && !abortSignal.aborted);
  assert.deepEqual(providerOptions, { openai: { store: false } });
  const [sent] = await memories.model.sent();
  assert.deepEqual([sent.to, sent.model], ['https://api.openai.com', 'openai.chat/gpt-5-mini']);
});

test('token_counts_of_specification_v2_and_missing_counts_are_accepted', async () => {
  const old = {
    specificationVersion: 'v2',
    provider: 'p',
    modelId: 'm',
    doGenerate: async () => said(REPLY, { inputTokens: 100, outputTokens: 20, totalTokens: 120 }),
  };
  assert.equal((await two({ model: { analyst: analyst(old) } })).entry.tokens, 120);
  const silent = new MockLanguageModelV3({ doGenerate: async () => said(REPLY, {}) });
  assert.ok((await two({ model: { analyst: analyst(silent) } })).entry.tokens > 300, 'estimated');
});

test('failures_are_reported_and_the_local_decision_is_kept', async () => {
  const fault = (statusCode, isRetryable) => new APICallError({ message: 'no', url: 'https://x.example', requestBodyValues: {}, statusCode, isRetryable });
  for (const [error, code] of [
    [fault(401), 'unauthorized'],
    [fault(404), 'not_found'],
    [fault(429), 'rate_limited'],
    [fault(500), 'server_error'],
    [fault(400), 'rejected'],
    [fault(undefined, true), 'unreachable'],
    [new Error('no'), 'failed'],
  ]) {
    const model = new MockLanguageModelV3({ doGenerate: async () => Promise.reject(error) });
    const { entry, memories } = await two({ model: { analyst: analyst(model) } });
    const { time, ...last } = (await memories.model.usage()).lastFailure;
    assert.deepEqual([last, Number.isNaN(Date.parse(time))], [{ to: 'mock-provider', model: 'mock-provider/mock-model-id', purpose: 'mail', code }, false]);
    assert.deepEqual([entry.analyst, entry.needsReview, entry.reasons.find((r) => r.kind === 'model_refused')?.error], ['local', true, code]);
  }
  let given;
  const slow = new MockLanguageModelV3({
    doGenerate: ({ abortSignal }) =>
      new Promise((_, reject) => ((given = abortSignal), abortSignal.addEventListener('abort', () => reject(abortSignal.reason)))),
  });
  const { entry } = await two({ model: { analyst: analyst(slow), timeout: 60 } });
  assert.deepEqual([entry.reasons.find((r) => r.kind === 'model_refused')?.error, given.aborted], ['timeout', true]);
  assert.equal((await testEndpoint(analyst(new MockLanguageModelV3({ doGenerate: async () => said('I am fine, thanks') })))).code, 'wrong_form');
});

test('embedding_requests_respect_the_models_batch_size', async () => {
  const model = new MockEmbeddingModelV3({
    provider: 'p',
    modelId: 'e',
    maxEmbeddingsPerCall: 2,
    doEmbed: async ({ values }) => ({ embeddings: values.map(vector), warnings: [] }),
  });
  const memories = await open({ storage: 'memory', embedder: embedder(model, { dimensions: 96 }) });
  for (const content of ['The rent for the studio is 800 euros', '합창단이 목요일에 연습한다', 'The parcel from Lyon was shipped'])
    await memories.add({ content });
  const { waiting, failed, model: tag } = await memories.model.reembed();
  assert.deepEqual([waiting, failed, tag], [0, 0, 'own/p/e']);
  assert.ok(model.doEmbedCalls.length > 0 && model.doEmbedCalls.every(({ values }) => values.length <= 2));
  assert.equal((await memories.search('studio rents'))[0].memory.content, 'The rent for the studio is 800 euros');
});

test('objects_that_are_no_sdk_model_are_rejected', () => {
  for (const model of ['openai/gpt-5', undefined, {}, { specificationVersion: 'v1', doGenerate() {} }])
    assert.throws(() => analyst(model), { code: 'invalid_field', field: 'model' });
  assert.throws(() => embedder(new MockLanguageModelV3()), { code: 'invalid_field', field: 'model' });
});
