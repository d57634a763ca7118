// Workers AI as model and embedder, and vectors in Vectorize, with scripted bindings of the published interfaces.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask, bundled, remove, start, temporary, tokenOf, tokens } from './workerd.mjs';

const OWNERS = ['alice', 'bob', 'carol', 'dana', 'erin', 'fay'];
const TEXTS = { OLD: 'Q1 마케팅 예산은 5000만원으로 정했다', NEW: 'Q1 마케팅 예산은 6000만원으로 정했다' };
const said = { op: 'update', of: 'M1', text: TEXTS.NEW, category: 'decision', day: null, evidence: TEXTS.NEW, analysis: { subjects: ['예산', '예산'], changes: [{ property: '예산', old: '5000만원', new: '6000만원' }], why: '같은 예산입니다', factors: [], sure: 0.9 } };
const reply = { entries: [said] };
const usage = { prompt_tokens: 300, completion_tokens: 41, total_tokens: 341 };
const CHAT = '@cf/meta/llama-3.3-70b-instruct-fp8-fast';
const BGE = '@cf/baai/bge-m3';

let bundle;
before(async () => { bundle = await bundled(); });
after(() => remove(bundle));

/** Starts a Worker over scripted bindings with its own state. */
async function over(t, bindings, state = temporary('models')) {
  const worker = await start(bundle, { state, bindings: { TOKENS: tokens(...OWNERS), REQUESTS_PER_MINUTE: 100_000, ...bindings } });
  const script = (set = {}) => worker.reach('script', '', '', JSON.stringify({ land: true, ...set }));
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
/** Waits for the index, which is updated after the response. */
async function kept(worker, wanted) {
  for (let n = 0; ; n += 1) {
    const { kept } = await worker.script();
    if (wanted(kept) || n === 100) return kept;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('workers_ai_gets_json_mode_and_its_faults_lose_nothing', async (t) => {
  const worker = await over(t, { SCRIPTED: 'ai', AI_MODEL: CHAT, MODE: 'accurate' });
  // Each case has its own owner, so that only its two memories are compared.
  for (const [n, [name, response, analyst, refused]] of [
    ['an object', { response: reply, usage }, 'model'], ['a text', { response: JSON.stringify(reply), usage }, 'model'],
    ['nothing', {}, 'local', 'not_json'], ['no JSON', { response: "I can't tell." }, 'local', 'not_json'], ['another handle', { response: { entries: [{ ...said, of: 'M9' }] } }, 'local', 'unknown_handle'],
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
    assert.ok(asked.length > 0 && asked.every(({ model, inputs }) => model === CHAT && inputs.temperature === 0 && inputs.response_format.json_schema.type === 'object' && inputs.messages[0].role === 'system'), name);
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
  assert.deepEqual([status, answered.answer, answered.sources.map((h) => h.memory.id), answered.hits.length, answered.model], [200, said, [memory.id], 1, true]);

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

test('vectorize_finds_similar_memories_and_separates_owners', async (t) => {
  const worker = await over(t, { SCRIPTED: 'vectors', AI_EMBEDDINGS: BGE });
  const { memory } = await tell(worker, 'alice', 'Autoreparaturwerkstattrechnung ist noch offen');
  await tell(worker, 'alice', 'The choir rehearses on Thursday');
  await kept(worker, (ids) => ids.length === 2);
  // The same memories with the same ids for another owner.
  const [, lines] = await worker.call('alice', 'GET', '/v1/export');
  await worker.call('bob', 'POST', '/v1/import', lines, { 'content-type': 'application/x-ndjson' });
  const ids = await kept(worker, (ids) => ids.length === 4);
  assert.deepEqual([ids.length, new Set(ids.map((id) => id.split('/')[0])).size, new Set(ids.map((id) => id.split('/')[1])).size], [4, 2, 2]);
  assert.ok(!ids.some((id) => id.includes('alice') || id.includes('bob')));
  await worker.call('bob', 'POST', '/v1/erase', { ids: [memory.id] });
  await kept(worker, (ids) => ids.length === 3);

  // After a restart the object has no vectors cached, so similarity comes from the index.
  const relevance = async (down) => {
    for (const owner of OWNERS) await worker.reach('restart', owner);
    await worker.script({ down });
    const [status, hits] = await worker.call('alice', 'POST', '/v1/search', { text: 'reparaturwerkstattrechnungen' });
    assert.equal(status, 200);
    return hits.find((h) => h.memory.id === memory.id)?.relevance ?? 0;
  };
  const [without, found] = [await relevance(['vectors']), await relevance([])];
  assert.ok(found > without + 0.1, `${without} without, ${found} with`);
  const [, theirs] = await worker.call('bob', 'POST', '/v1/search', { text: 'reparaturwerkstattrechnungen' });
  assert.deepEqual(theirs.filter((h) => h.memory.id === memory.id), []);
  const { asked } = await worker.script();
  assert.ok(asked.length > 0 && asked.every(({ model, inputs }) => model === BGE && inputs.text.length <= 64));
});

test('the_vectorize_index_follows_all_changes_and_catches_up_after_an_outage', async (t) => {
  const worker = await over(t, { SCRIPTED: 'vectors', AI_EMBEDDINGS: BGE });
  const ids = async (wanted) => (await kept(worker, (all) => all.length === wanted)).map((id) => id.split('/')[1]).sort();
  const first = await tell(worker, 'alice', '킥오프 미팅은 1월 22일 오후 2시', { threadId: 't' });
  assert.deepEqual(await ids(1), [first.memory.id]);
  const second = await tell(worker, 'alice', '킥오프 미팅은 오후 3시로 변경되었습니다', { threadId: 't' });
  assert.equal(second.entry.decision, 'UPDATE');
  const settled = async (id) => { for (let n = 0; n < 100; n += 1) { const [one, ...more] = await ids(1); if (one === id && more.length === 0) return; await new Promise((r) => setTimeout(r, 50)); } assert.fail(`not ${id}`); };
  await settled(second.memory.id);
  await worker.call('alice', 'DELETE', `/v1/memories/${second.memory.id}`);
  assert.deepEqual(await ids(0), []);
  await worker.call('alice', 'POST', `/v1/memories/${second.memory.id}/restore`);
  await settled(second.memory.id);

  // The index is down while one memory is added and one forgotten.
  await worker.script({ down: ['vectors', BGE] });
  const third = await tell(worker, 'alice', 'The office moves on 3 March');
  assert.equal((await worker.call('alice', 'POST', '/v1/erase', { ids: [second.memory.id] }))[0], 200);
  assert.equal(await worker.reach('alarm', 'alice'), 'done');
  assert.deepEqual((await worker.script()).kept.map((id) => id.split('/')[1]), [second.memory.id]);
  const lines = worker.said.join('').split('\n').filter((l) => l.includes('"vectors"')).map((l) => JSON.parse(l));
  assert.ok(lines.some((l) => l.event === 'vectors' && l.code) && lines.some((l) => l.event === 'alarm' && l.vectors === false));
  await worker.script({ down: [] });
  assert.equal(await worker.reach('alarm', 'alice'), 'done');
  await settled(third.memory.id);
  assert.deepEqual((await worker.call('alice', 'GET', '/v1/check'))[1].problems, []);
});

test('the_bindings_match_their_published_types', () => {
  const worker = fileURLToPath(new URL('../../www/worker/', import.meta.url));
  const dir = temporary('types');
  const bin = (name) => join(worker, 'node_modules/.bin', name);
  writeFileSync(join(dir, 'wrangler.jsonc'), JSON.stringify({ name: 'x', compatibility_date: '2026-04-01', ai: { binding: 'AI' }, vectorize: [{ binding: 'VECTORS', index_name: 'memories' }] }));
  execFileSync(bin('wrangler'), ['types', join(dir, 'workers.d.ts'), '--config', join(dir, 'wrangler.jsonc')], { cwd: dir, stdio: 'pipe' });
  writeFileSync(join(dir, 'uses.ts'), `
    import { embedderOf, modelOf } from '${worker}src/model';
    import { Vectors } from '${worker}src/vectorize';
    export function uses(env: Env) {
      modelOf(env);
      const embedder = embedderOf(env);
      return embedder && new Vectors(env.VECTORS, embedder, 'owner');
    }`);
  const compilerOptions = { target: 'es2023', lib: ['es2023'], module: 'esnext', moduleResolution: 'bundler', strict: true, noEmit: true, skipLibCheck: true, types: [], paths: { memfold: [join(worker, '../../pkg/index.d.ts')] } };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['workers.d.ts', 'uses.ts'] }));
  try {
    execFileSync(fileURLToPath(new URL('../../www/node_modules/.bin/tsc', import.meta.url)), ['--project', dir], { stdio: 'pipe', encoding: 'utf8' });
  } catch (error) {
    assert.fail(error.stdout);
  } finally {
    remove(dir);
  }
});
