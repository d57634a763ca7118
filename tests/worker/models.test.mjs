// Workers AI as model and embedder, with scripted bindings of the published interfaces.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask, bundled, remove, start, temporary, tokenOf, tokens } from './workerd.mjs';
import { thorough } from '../tier.mjs';

const OWNERS = ['alice', 'bob', 'carol', 'dana', 'erin', 'fay'];
const TEXTS = { OLD: 'Q1 마케팅 예산은 5000만원으로 정했다', NEW: 'Q1 마케팅 예산은 6000만원으로 정했다' };
const said = {
  op: 'update',
  of: 'M1',
  text: TEXTS.NEW,
  category: 'decision',
  day: null,
  evidence: TEXTS.NEW,
  analysis: { subjects: ['예산', '예산'], changes: [{ property: '예산', old: '5000만원', new: '6000만원' }], why: '같은 예산입니다', factors: [], sure: 0.9 },
};
const reply = { entries: [said] };
const usage = { prompt_tokens: 300, completion_tokens: 41, total_tokens: 341 };
const CHAT = '@cf/meta/llama-3.3-70b-instruct-fp8-fast';

let bundle;
before(async () => {
  bundle = await bundled();
});
after(() => remove(bundle));

/** Starts a Worker over scripted bindings with its own state. */
async function over(t, bindings, state = temporary('models')) {
  const worker = await start(bundle, { state, bindings: { TOKENS: tokens(...OWNERS), REQUESTS_PER_MINUTE: 100_000, ...bindings } });
  const script = (set = {}) => worker.reach('script', '', '', JSON.stringify(set));
  let stopped;
  const stop = () => (stopped ??= worker.stop());
  t.after(stop);
  return { ...worker, stop, state, script, call: (owner, ...rest) => ask(worker.url, tokenOf(owner), ...rest) };
}
const tell = async (worker, owner, content, more = {}) => {
  const [status, body] = await worker.call(owner, 'POST', '/v1/memories', { content, ...more });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

test('workers_ai_gets_json_mode_and_its_faults_lose_nothing', async (t) => {
  const worker = await over(t, { SCRIPTED: 'ai', AI_MODEL: CHAT, MODE: 'accurate' });
  // Each case has its own owner, so that only its two memories are compared.
  for (const [n, [name, response, analyst, refused]] of [
    ['an object', { response: reply, usage }, 'model'],
    ['a text', { response: JSON.stringify(reply), usage }, 'model'],
    ['nothing', {}, 'local', 'not_json'],
    ['no JSON', { response: "I can't tell." }, 'local', 'not_json'],
    ['another handle', { response: { entries: [{ ...said, of: 'M9' }] } }, 'local', 'unknown_handle'],
  ].entries()) {
    const who = OWNERS.filter((owner) => owner !== 'bob')[n];
    await worker.script({ replies: [response, response], down: [] });
    const owner = { threadId: name };
    const first = await tell(worker, who, TEXTS.OLD, owner);
    const { entry } = await tell(worker, who, TEXTS.NEW, owner);
    const reason = entry.reasons.find((r) => r.kind === 'model_refused');
    assert.deepEqual([entry.analyst, reason !== undefined], [analyst, refused !== undefined], `${name}: ${JSON.stringify(entry.reasons)}`);
    if (analyst === 'model') assert.deepEqual([entry.decision, entry.targetId, entry.tokens >= 341], ['UPDATE', first.memory.id, true], name);
    const { asked } = await worker.script();
    assert.ok(
      asked.length > 0 &&
        asked.every(
          ({ model, inputs }) =>
            model === CHAT && inputs.temperature === 0 && inputs.response_format.json_schema.type === 'object' && inputs.messages[0].role === 'system',
        ),
      name,
    );
  }
  await worker.script({ down: [CHAT] });
  await tell(worker, 'bob', TEXTS.OLD, { threadId: 't' });
  const { entry } = await tell(worker, 'bob', TEXTS.NEW, { threadId: 't' });
  assert.equal(entry.analyst, 'local');
  assert.ok(entry.reasons.some((r) => r.kind === 'model_refused'));
});

test('a_question_is_answered_over_rest_and_mcp_with_its_sources', async (t) => {
  const worker = await over(t, { SCRIPTED: 'ai', AI_MODEL: CHAT });
  const { memory } = await tell(worker, 'alice', 'The kickoff of Heron is on 22 January at 2 pm');
  const said = memory.headline;
  const question = 'When is the kickoff of Heron?';
  const scripted = (...replies) => worker.script({ replies: replies.map((response) => ({ response, usage })) });
  await scripted({ memories: ['M1'] });
  const [status, answered] = await worker.call('alice', 'POST', '/v1/ask', { question, limit: 5 });
  assert.deepEqual(
    [status, answered.answer, answered.sources.map((h) => h.memory.id), answered.hits.length, answered.model],
    [200, said, [memory.id], 1, true],
  );

  await scripted({ memories: ['M1'] });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'ask', arguments: { question } } };
  const [, { result }] = await worker.call('alice', 'POST', '/mcp', call, { accept: 'application/json, text/event-stream' });
  const { answer, sources, model, refused } = JSON.parse(result.content[0].text);
  assert.deepEqual([answer, sources.map((m) => m.id), model, refused], [said, [memory.id], true, undefined]);

  await scripted({ memories: [] });
  const [, nothing] = await worker.call('alice', 'POST', '/v1/ask', { question: 'Who pays for the kickoff of Heron?' });
  assert.deepEqual([nothing.answer, nothing.sources, nothing.model, nothing.hits.length], [undefined, [], true, 1]);
  const [, { calls }] = await worker.call('alice', 'GET', '/v1/usage');
  assert.deepEqual([calls, (await worker.call('alice', 'GET', '/v1/log'))[1].length], [3, 1]);
});

thorough('the_bindings_match_their_published_types', () => {
  const worker = fileURLToPath(new URL('../../www/worker/', import.meta.url));
  const dir = temporary('types');
  const bin = (name) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));
  writeFileSync(join(dir, 'wrangler.jsonc'), JSON.stringify({ name: 'x', compatibility_date: '2026-04-01', ai: { binding: 'AI' } }));
  execFileSync(bin('wrangler'), ['types', join(dir, 'workers.d.ts'), '--config', join(dir, 'wrangler.jsonc')], { cwd: dir, stdio: 'pipe' });
  writeFileSync(
    join(dir, 'uses.ts'),
    `
    import { embedderOf, modelOf } from '${worker}src/model';
    export function uses(env: Env) {
      modelOf(env);
      return embedderOf(env);
    }`,
  );
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023'],
    module: 'esnext',
    moduleResolution: 'bundler',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    paths: { memfold: [join(worker, '../../pkg/index.d.ts')] },
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['workers.d.ts', 'uses.ts'] }));
  try {
    execFileSync(bin('tsc'), ['--project', dir], { stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    assert.fail(error.stdout);
  } finally {
    remove(dir);
  }
});
