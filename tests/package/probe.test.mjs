// `testEndpoint()`: its report for each possible fault, against mock servers of each dialect and a scripted server.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LLMock } from '@copilotkit/aimock';
import { installed } from './installed.mjs';

const NEXT = 'Marketing gets 60 million won for Q1.';
const GOOD = JSON.stringify({
  entries: [
    {
      op: 'update',
      of: 'M1',
      text: NEXT,
      category: 'decision',
      day: null,
      evidence: NEXT,
      analysis: {
        subjects: ['budget', 'budget'],
        changes: [{ property: 'budget', old: '50 million won', new: '60 million won' }],
        why: 'The same budget.',
        factors: [],
        sure: 0.9,
      },
    },
  ],
});

let project;
let memfold;
before(async () => {
  project = await installed();
  memfold = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href);
});
after(() => project.remove());

/** A server that runs the script and collects its requests. */
async function stub(script) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
    script(response, requests.at(-1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/v1`;
  return { url, requests, close: () => (server.closeAllConnections(), server.close()) };
}

const say =
  (content, usage = { total_tokens: 40 }) =>
  (r) =>
    r.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage }));
const status =
  (code, body = '', headers = {}) =>
  (r) =>
    r.writeHead(code, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const error = (code, message) => status(code, { error: { message } });

for (const [dialect, path, model] of [
  ['openai', '/v1', 'gpt-4o-mini'],
  ['anthropic', '', 'claude-sonnet-4-5'],
  ['gemini', '/v1beta', 'gemini-2.0-flash'],
]) {
  test(`a_mock_server_of_${dialect}_passes`, async () => {
    const mock = new LLMock({ port: 0 });
    mock.on({ userMessage: /60 million/ }, { content: GOOD });
    await mock.start();
    try {
      const { ms, ...report } = await memfold.testEndpoint({ dialect, url: `${mock.url}${path}`, model, key: 'k-123' });
      assert.deepEqual([report.ok, report.code, report.detail, report.features.right, report.features.temperature], [true, 'ok', '', true, true]);
      assert.equal(report.features.schema, 'strict');
      assert.ok(ms >= 0 && ms < 10_000);
    } finally {
      await mock.stop();
    }
  });
}

/** Server behaviours with the expected code and detail. */
const CASES = {
  refuses_the_key: [error(401, 'Incorrect API key provided: k-123.'), 'unauthorized', /^Incorrect API key provided: •••\.$/],
  refuses_the_key_as_gemini_does: [error(400, 'API key not valid. Please pass a valid API key.'), 'unauthorized', /not valid/],
  forbids: [status(403), 'unauthorized', /^$/],
  lacks_the_path: [status(404, '<html><title>x</title><h1>Not\n Found</h1>'), 'not_found', /^$/],
  lacks_the_model: [error(404, 'model "m" not found, try pulling it first'), 'no_such_model', /pulling/],
  lacks_the_model_and_calls_it_a_bad_request: [status(400, { error: 'The model m does not exist' }), 'no_such_model', /^The model m does not exist$/],
  is_over_quota: [status(429, { error: { message: 'You exceeded your current quota' } }, { 'retry-after': '20' }), 'rate_limited', /quota \(20 s\)$/],
  fails: [status(500, { detail: 'out of memory' }), 'server_error', /^out of memory$/],
  fails_behind_a_good_status: [status(200, { error: { message: 'model overloaded', code: 503 } }), 'server_error', /^model overloaded$/],
  is_busy_behind_a_good_status: [status(200, { error: { message: 'Rate limit', code: 429 } }), 'rate_limited', /^Rate limit$/],
  refuses_behind_a_good_status: [status(200, { error: { message: 'No credits for k-123', code: 'no_credits' } }), 'rejected', /^No credits for •••$/],
  says_beside_its_answer_that_nothing_failed: [
    (r) => r.end(JSON.stringify({ error: '', choices: [{ message: { content: 'Yes.' } }] })),
    'wrong_form',
    /^not_json: Yes\.$/,
  ],
  sends_elsewhere: [status(302, '', { location: 'https://example.com/' }), 'redirected', /^$/],
  takes_no_form: [error(400, 'bad messages'), 'rejected', /^bad messages$/],
  shows_a_page: [status(200, '<!doctype html><h1>Sign in</h1>'), 'not_an_api', /^$/],
  answers_in_prose: [say('Yes, the budget went up.'), 'wrong_form', /^not_json: Yes, the budget went up\.$/],
  answers_in_another_form: [say('{"decision":"update"}'), 'wrong_form', /^malformed: /],
  makes_up_values: [say(GOOD.replace('60 million', '90 million')), 'wrong_form', /^no_evidence: /],
  sends_megabytes: [say('x'.repeat(3 << 20)), 'too_large', /^$/],
  resets_the_connection: [(r) => r.socket.resetAndDestroy(), 'unreachable', /^$/],
  never_answers: [() => {}, 'timeout', /^$/],
};
for (const [name, [script, code, detail]] of Object.entries(CASES)) {
  test(`an_endpoint_that_${name}_is_reported_as_${code}`, async () => {
    const server = await stub(script);
    try {
      const report = await memfold.testEndpoint({ dialect: 'openai', url: server.url, model: 'm', key: 'k-123' }, { timeout: 2_000 });
      assert.deepEqual([report.ok, report.code], [false, code], JSON.stringify(report));
      assert.match(report.detail, detail);
      assert.ok(!JSON.stringify(report).includes('k-123'));
      const forms = code === 'wrong_form' ? 2 : ['rejected', 'no_such_model'].includes(code) || /gemini/.test(name) ? 4 : 1;
      assert.ok(server.requests.length <= forms, `${server.requests.length} requests`);
    } finally {
      server.close();
    }
  });
}

test('an_endpoint_without_schema_support_passes_as_downgraded', async () => {
  const plain = await stub((r, { body }) => (body.response_format ? status(400)(r) : say(GOOD, null)(r)));
  const json = await stub((r, { body }) => (body.response_format?.type === 'json_schema' ? status(400)(r) : say(GOOD)(r)));
  const own = await stub((r, { body }) => ('temperature' in body ? status(400)(r) : say(GOOD)(r)));
  try {
    const told = async ({ url }) =>
      (({ ok, code, features }) => ({ ok, code, ...features }))(await memfold.testEndpoint({ dialect: 'openai', url, model: 'm' }));
    const works = { ok: true, code: 'downgraded', right: true };
    assert.deepEqual(await told(plain), { ...works, schema: 'none', temperature: true, tokens: false });
    assert.deepEqual(await told(json), { ...works, schema: 'json', temperature: true, tokens: true });
    assert.deepEqual(await told(own), { ...works, schema: 'none', temperature: false, tokens: true });
  } finally {
    for (const server of [plain, json, own]) server.close();
  }
});

test('an_absent_server_is_unreachable_and_invalid_options_send_nothing', async () => {
  const report = (url) => memfold.testEndpoint({ dialect: 'openai', url, model: 'm', key: 'k' });
  assert.equal((await report('http://127.0.0.1:9/v1')).code, 'unreachable');
  const insecure = await report('http://models.example/v1');
  assert.deepEqual([insecure.ok, insecure.code, insecure.field], [false, 'insecure', 'endpoint.url']);
  const odd = await memfold.testEndpoint({ dialect: 'openai', url: 'https://models.example/v1', model: 'm', modle: 'm' });
  assert.deepEqual([odd.ok, odd.code, odd.field], [false, 'invalid', 'endpoint.modle']);
  const invalid = await report('models.example');
  assert.deepEqual([invalid.ok, invalid.code, invalid.field], [false, 'invalid', 'endpoint.url']);
});

test('the_test_sends_only_sample_notes_and_can_be_aborted', async () => {
  const server = await stub(() => stop.abort());
  const stop = new AbortController();
  try {
    const report = await memfold.testEndpoint({ dialect: 'openai', url: server.url, model: 'm', key: 'k-123' }, { signal: stop.signal });
    assert.deepEqual([report.ok, report.code], [false, 'aborted']);
    const [{ body, headers }] = server.requests;
    assert.match(body.messages.at(-1).content, /50 million won[^]*60 million won/);
    assert.equal(headers.authorization, 'Bearer k-123');
  } finally {
    server.close();
  }
});

test('an_application_analyst_can_be_tested', async () => {
  const good = await memfold.testEndpoint(async () => GOOD);
  assert.deepEqual([good.ok, good.code, good.features], [true, 'ok', { tokens: false, right: true }]);
  const spoken = await memfold.testEndpoint(() => ({ text: GOOD, tokens: 5 }));
  assert.deepEqual(spoken.features, { tokens: true, right: true });
  const failed = await memfold.testEndpoint(() => {
    throw new Error('no session');
  });
  assert.deepEqual([failed.ok, failed.code, failed.detail], [false, 'failed', 'no session']);
});

test('an_endpoint_can_be_wrapped_as_an_analyst', async () => {
  const server = await stub(say(GOOD));
  try {
    const analyst = memfold.endpointAnalyst({ dialect: 'openai', url: server.url, model: 'm' });
    const memories = await memfold.open({ storage: 'memory', policy: 'accurate', model: analyst });
    await memories.add({ content: 'The Q1 marketing budget is 50 million won.', threadId: 't' });
    const { entry } = await memories.add({ content: 'Marketing gets 60 million won for Q1.', threadId: 't' });
    assert.deepEqual([entry.decision, entry.analyst, entry.tokens], ['UPDATE', 'model', 40]);
    assert.throws(() => memfold.endpointAnalyst({ dialect: 'openai' }), { name: 'MemfoldError', field: 'endpoint.model' });
  } finally {
    server.close();
  }
});
