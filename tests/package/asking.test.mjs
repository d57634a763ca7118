// `ask()` of the package: an endpoint or a function picks the memories, and the hits are returned without either.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { installed } from './installed.mjs';
import { sleep, status, stub } from './stub.mjs';

const TOLD = 'The kickoff of Heron is on 22 January at 2 pm';
const QUESTION = 'When is the kickoff of Heron?';
const GOOD = JSON.stringify({ memories: ['M1'] });

let project;
let open;
before(async () => {
  project = await installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
});
after(() => project.remove());

async function openWithNote(options) {
  const memories = await open({ storage: 'memory', ...options, model: { timeout: 5_000, ...options?.model } });
  await memories.add({ content: TOLD, subject: 'Heron' });
  return memories;
}
const say = (content) => (response) => response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage: { total_tokens: 40 } }));
const contents = (hits) => hits.map((h) => h.memory.content);

test('an_endpoint_answers_in_one_counted_and_recorded_call', async () => {
  const server = await stub(say(GOOD));
  try {
    const memories = await openWithNote({ model: { dialect: 'openai', url: server.url, model: 'm', dailyTokens: 40 } });
    const { sources, hits, model, ...rest } = await memories.ask(QUESTION);
    assert.deepEqual([contents(sources), sources[0].memory.headline.includes('22 January'), contents(hits), model, rest], [[TOLD], true, [TOLD], true, {}]);
    const [{ body }] = server.requests;
    assert.deepEqual(body.response_format.json_schema.schema.required, ['memories']);
    assert.match(body.messages.at(-1).content, /M1 meeting.*\nSubject: Heron\nThe kickoff of Heron/);
    const over = await memories.ask(QUESTION);
    assert.deepEqual([over.sources, over.refused, contents(over.hits), server.requests.length], [[], 'over_budget', [TOLD], 1]);
    assert.deepEqual(
      (await memories.model.sent()).map((s) => [s.purpose, s.outcome, s.tokens]),
      [['answer', 'answered', 40]],
    );
    assert.deepEqual([(await memories.model.usage()).tokens, (await memories.log.list()).length], [40, 1]);
  } finally {
    server.close();
  }
});

const PAGE = '<!doctype html><title>Sign in</title>';
for (const [name, script, refused] of [
  ['an_unknown_handle', say(GOOD.replace('M1', 'M2')), 'unknown_handle'],
  ['a_refusal', say('I cannot help with that.'), 'not_json'],
  ['a_page', (response) => response.setHeader('content-type', 'text/html').end(PAGE), 'not_json'],
  ['forty_kilobytes', say(JSON.stringify({ memories: ['M1'], why: TOLD.repeat(870) })), 'too_large'],
  ['a_wrong_key', status(401), 'unauthorized'],
  ['no_answer_in_time', () => sleep(1_000), 'timeout'],
]) {
  test(`hits_are_returned_without_an_answer_after_${name}`, async () => {
    const server = await stub(script);
    try {
      const memories = await openWithNote({ model: { dialect: 'openai', url: server.url, model: 'm', timeout: refused === 'timeout' ? 500 : 10_000 } });
      const { sources, hits, refused: why } = await memories.ask(QUESTION);
      assert.deepEqual([sources, contents(hits), why], [[], [TOLD], refused]);
    } finally {
      server.close();
    }
  });
}

test('a_function_answers_or_finds_nothing_and_fast_mode_asks_no_model', async () => {
  const asked = [];
  const analyst = (question) => (asked.push(question.task), JSON.stringify({ memories: [] }));
  const nothing = await (await openWithNote({ model: { analyst } })).ask('Who pays for the kickoff of Heron?');
  assert.deepEqual([nothing.sources, nothing.model, contents(nothing.hits)], [[], true, [TOLD]]);
  for (const options of [{ model: { analyst }, policy: 'fast' }, {}]) {
    const { hits, ...rest } = await (await openWithNote(options)).ask(QUESTION);
    assert.deepEqual([contents(hits), rest], [[TOLD], { sources: [], model: false }]);
  }
  assert.deepEqual(asked, ['answer']);
});

test('invalid_questions_are_rejected_by_field_and_a_signal_cancels', async () => {
  const memories = await openWithNote({ model: { analyst: (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)) } });
  for (const [question, options, field] of [
    ['', {}, 'question'],
    [7, {}, 'question'],
    ['x'.repeat(999), {}, 'question'],
    [QUESTION, { limit: 31 }, 'limit'],
    [QUESTION, { from: 'soon' }, 'from'],
  ]) {
    await assert.rejects(memories.ask(question, options), { code: 'invalid_field', field });
  }
  await assert.rejects(memories.ask(QUESTION, { session: 's' }), { code: 'invalid_field', field: 'session' });
  await assert.rejects(memories.ask(QUESTION, { form: 's' }), { code: 'unknown_field' });
  await assert.rejects(memories.ask(QUESTION, { signal: AbortSignal.abort() }), { code: 'aborted' });
  await assert.rejects(memories.ask(QUESTION, { signal: AbortSignal.timeout(50) }), { code: 'aborted' });
});
