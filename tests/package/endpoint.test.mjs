// The model endpoint against mock servers of each dialect and against a misbehaving server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LLMock } from '@copilotkit/aimock';
import { installed } from './installed.mjs';
import { NIGHT, SUMMARY, broken, rested, series, status, stub } from './stub.mjs';

const OLD = { content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't' };
const NEW = { content: 'Q1 마케팅 예산은 6000만원으로 정했다', threadId: 't' };
const said = {
  op: 'update',
  of: 'M1',
  text: NEW.content,
  category: 'decision',
  day: null,
  evidence: NEW.content,
  analysis: { subjects: ['예산', '예산'], changes: [{ property: '예산', old: '5000만원', new: '6000만원' }], why: '같은 예산입니다', factors: [], sure: 0.9 },
};
const GOOD = JSON.stringify({ entries: [said] });

let project;
let open;
before(async () => {
  project = await installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
});
after(() => project.remove());

const engine = (endpoint, options) =>
  open({ storage: 'memory', policy: 'accurate', ...options, model: endpoint && { timeout: 5_000, ...endpoint, ...options?.model } });

/** Stores two memories, of which the second asks the model, and returns the outcome. */
async function decideWith(endpoint, options) {
  const memories = await engine(endpoint, options);
  await memories.add(OLD);
  const start = performance.now();
  const { entry } = await memories.add(NEW);
  const ms = performance.now() - start;
  const log = await memories.log.list();
  const kept = await memories.list({ includeSuperseded: true });
  const { problems } = await memories.data.verify();
  assert.deepEqual([log.length, kept.length, problems], [2, 2, []], JSON.stringify(entry));
  return { entry, ms, memories, refused: entry.reasons.find((r) => r.kind === 'model_refused')?.error };
}

const DIALECTS = [
  ['openai', '/v1', 'gpt-4o-mini'],
  ['openai', '/v1/chat/completions', 'gpt-4o-mini'],
  ['anthropic', '', 'claude-sonnet-4-5'],
  ['anthropic', '/v1', 'claude-sonnet-4-5'],
  ['gemini', '/v1beta', 'gemini-2.0-flash'],
];
for (const [dialect, path, model] of DIALECTS) {
  test(`${dialect}_at_${path || 'its_root'}_answers_through_a_mock_server`, async () => {
    const mock = new LLMock({ port: 0 });
    mock.on({ userMessage: /6000만원/ }, { content: `\`\`\`json\n${GOOD}\n\`\`\`` });
    await mock.start();
    try {
      const { entry } = await decideWith({ dialect, url: `${mock.url}${path}`, model, key: 'k-123' });
      assert.deepEqual([entry.decision, entry.analyst, entry.reason], ['UPDATE', 'model', '같은 예산입니다']);
      assert.ok(Number.isInteger(entry.tokens));
      assert.equal(mock.getRequests().length, 1);
    } finally {
      await mock.stop();
    }
  });
}

const wrapped = (content, usage = { total_tokens: 40 }) => JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage });
const say = (content) => (response) => response.end(wrapped(content));
const edited = (edit) => JSON.stringify({ entries: [{ ...said, ...edit }] });

/** Each fault with its reason in the log and its number of requests. An unreadable reply is retried once. */
const FAULTS = {
  ...broken(wrapped(GOOD)),
  takes_no_form: [status(400, {}, '{"error":{}}'), 'rejected', 4],
  answers_of_another_kind: [(r) => r.end('[null]'), 'not_json', 1],
  answers_null: [(r) => r.end('null'), 'not_json', 1],
  is_cut_off_in_the_reply: [say(GOOD.slice(0, -30)), 'not_json', 2],
  answers_to_another_schema: [say('{"decision":"update","id":1}'), 'malformed', 2],
  makes_up_an_outcome: [say(edited({ op: 'merge' })), 'malformed', 2],
  makes_up_a_handle: [say(edited({ of: 'M9' })), 'unknown_handle', 1],
  says_a_word_as_a_list: [say(edited({ op: [['update']] })), 'malformed', 2],
  is_not_a_number: [say(GOOD.replace('0.9', 'NaN')), 'malformed', 2],
  sends_five_megabytes: [say('x'.repeat(5 << 20)), 'too_large', 1],
  sends_a_long_reply: [say(`${' '.repeat(40_000)}${GOOD}`), 'too_large', 1],
  declines: [say(null), 'not_json', 1],
  apologises: [say("I'm sorry, but I can't help with that."), 'not_json', 2],
  advises_to_delete_everything: [say('{"delete":"*"}'), 'malformed', 2],
  advises_to_delete_one: [say(edited({ op: 'delete' })), 'malformed', 2],
  makes_up_evidence: [say(GOOD.replace('6000만원', '9억원')), 'no_evidence', 1],
};
for (const [name, [script, refused, requests]] of Object.entries(FAULTS)) {
  test(`an_endpoint_that_${name}_loses_no_memory`, async () => {
    const server = await stub(script);
    try {
      const slow = refused === 'timeout';
      const result = await decideWith({ dialect: 'openai', url: server.url, model: 'm', key: 'k-123' }, slow ? { model: { timeout: 1_500 } } : {});
      assert.deepEqual([result.refused, result.entry.analyst, result.entry.needsReview, server.requests.length], [refused, 'local', true, requests]);
      assert.ok(!JSON.stringify(await result.memories.log.list()).includes('k-123'));
      if (slow) assert.ok(result.ms >= 250 && result.ms < 2_500, `${result.ms} ms`);
    } finally {
      server.close();
    }
  });
}

const KEY = 'sk-proj-4Jq9_Zt2vXa';
const spaced = (text) => [...text].join(' ');
const coded = (text) => [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
/** Replies that repeat the key in different fields and encodings. */
const ECHOES = {
  in_its_reasoning: GOOD.replace('같은 예산입니다', `키는 ${KEY}입니다`),
  in_english: GOOD.replace('같은 예산입니다', `The key is "${KEY}".`.replaceAll('"', '')),
  in_its_subject: edited({ analysis: { ...said.analysis, subjects: [KEY, KEY] } }),
  in_a_property: edited({ analysis: { ...said.analysis, changes: [{ property: KEY, old: '5000만원', new: '6000만원' }] } }),
  in_capitals: GOOD.replace('같은 예산입니다', KEY.toUpperCase()),
  in_pieces: GOOD.replace('같은 예산입니다', spaced(KEY)),
  with_unseen_characters: GOOD.replace('같은 예산입니다', [...KEY].join('\u200b')),
  beside_its_answer: `${KEY}\n${GOOD}`,
};
for (const [name, reply] of Object.entries(ECHOES)) {
  test(`a_reply_that_repeats_the_key_${name}_is_rejected_and_not_stored`, async () => {
    const server = await stub(say(reply));
    try {
      const { entry, refused, memories } = await decideWith({ dialect: 'openai', url: server.url, model: 'm', key: KEY });
      assert.deepEqual([refused, entry.analyst, entry.needsReview, server.requests.length], ['leak', 'local', true, 1]);
      const kept =
        JSON.stringify([await memories.log.list(), await memories.list({ includeSuperseded: true }), await memories.model.sent()]) +
        ((await (await memories.data.export()).text?.()) ?? '');
      const bare = kept.replace(/[\s\u200b]|\\u200b/g, '').toLowerCase();
      for (const form of [KEY, btoa(KEY), coded(KEY)]) assert.ok(!bare.includes(form.toLowerCase()), form);
    } finally {
      server.close();
    }
  });
}

test('a_key_that_is_a_common_word_does_not_reject_valid_replies', async () => {
  const server = await stub(say(GOOD));
  try {
    for (const key of ['k', 'UPDATE', KEY]) assert.equal((await decideWith({ dialect: 'openai', url: server.url, model: 'm', key })).entry.analyst, 'model');
  } finally {
    server.close();
  }
});

test('transient_failures_are_retried', async () => {
  const server = await stub((response, n) => (n < 3 ? status(503, { 'retry-after': '0' })(response) : say(GOOD)(response)));
  try {
    const { entry } = await decideWith({ dialect: 'openai', url: server.url, model: 'm' });
    assert.deepEqual([entry.decision, entry.analyst, entry.tokens, server.requests.length], ['UPDATE', 'model', 40, 3]);
  } finally {
    server.close();
  }
});

test('an_endpoint_without_schema_support_gets_plain_prompts_from_then_on', async () => {
  const server = await stub((response, _, { body }) => (body.response_format ? status(400)(response) : say(GOOD)(response)));
  try {
    const { entry, memories } = await decideWith({ dialect: 'openai', url: server.url, model: 'm' });
    assert.equal(entry.decision, 'UPDATE');
    await memories.add({ content: 'Q1 마케팅 예산은 7000만원으로 정했다', threadId: 't' });
    assert.deepEqual(
      server.requests.map((r) => r.body.response_format?.type),
      ['json_schema', 'json_object', undefined, undefined],
    );
  } finally {
    server.close();
  }
});

test('a_dead_endpoint_costs_its_time_limit_once', async () => {
  const server = await stub(() => {});
  try {
    const { memories } = await decideWith({ dialect: 'openai', url: server.url, model: 'm' }, { model: { timeout: 300 } });
    for (const n of [1, 2, 3, 4]) {
      const { entry } = await memories.add({ content: `Q1 마케팅 예산은 ${n}억원으로 정했다`, threadId: 't' });
      assert.equal(entry.reasons.find((r) => r.kind === 'model_refused')?.error ?? 'resting', 'resting');
    }
    // The later calls sent nothing.
    assert.equal(server.requests.length, 1);
  } finally {
    server.close();
  }
});

test('aborting_a_call_ends_the_request_and_a_later_call_asks_again', async () => {
  let ended;
  const closed = new Promise((resolve) => (ended = resolve));
  const server = await stub((response, n) => (n === 1 ? response.on('close', ended) : say(GOOD)(response)));
  try {
    const memories = await engine({ dialect: 'openai', url: server.url, model: 'm' }, { model: { timeout: 60_000 } });
    await memories.add(OLD);
    const stop = new AbortController();
    const given = memories.add(NEW, { signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    await assert.rejects(given, { code: 'aborted' });
    const start = performance.now();
    await closed;
    assert.ok(performance.now() - start < 2_000);
    const { entry } = await memories.add(NEW);
    assert.deepEqual([entry.decision, entry.analyst, server.requests.length], ['UPDATE', 'model', 2]);
    assert.deepEqual(
      (await memories.model.sent()).map((s) => s.outcome),
      ['answered', 'given_up'],
    );
  } finally {
    server.close();
  }
});

test('redirects_are_not_followed', async () => {
  const other = await stub(say(GOOD));
  for (const code of [301, 302, 303, 307, 308]) {
    const server = await stub(status(code, { location: `${other.url}/chat/completions` }));
    try {
      const { refused } = await decideWith({ dialect: 'openai', url: server.url, model: 'm', key: 'k-123' });
      assert.equal(refused, 'redirected');
    } finally {
      server.close();
    }
  }
  assert.equal(other.requests.length, 0);
  other.close();
});

test('sent_requests_are_recorded_as_sent_and_erased_with_forgotten_memories', async () => {
  const server = await stub(say(GOOD));
  try {
    const memories = await engine({ dialect: 'openai', url: server.url, model: 'm', key: 'k-123' }, { model: { mask: true } });
    const { memory } = await memories.add({ ...OLD, content: `${OLD.content} (kim@example.com, 010-1234-5678)` });
    await memories.add(NEW);
    const [note] = await memories.model.sent({ limit: 5 });
    const sent = server.requests[0].body.messages;
    assert.deepEqual([note.to, note.model, note.purpose, note.outcome, note.tokens], [new URL(server.url).origin, 'm', 'mail', 'answered', 40]);
    assert.ok(sent.some((m) => m.content === note.texts[0]));
    assert.ok(note.texts[0].includes('([EMAIL_1], [PHONE_1])') && !JSON.stringify(sent).includes('kim@example.com'));
    assert.ok(!JSON.stringify(note).includes('k-123') && note.bytes > 2_000);
    await memories.erase(memory.id);
    assert.deepEqual(await memories.model.sent(), []);
    await assert.rejects(memories.model.sent({ limit: -1 }), { code: 'invalid_field', field: 'limit' });
    await memories.model.clearSent();
  } finally {
    server.close();
  }
});

test('over_the_daily_token_budget_nothing_is_sent', async () => {
  const server = await stub(say(GOOD));
  try {
    const { memories, entry } = await decideWith({ dialect: 'openai', url: server.url, model: 'm' }, { model: { dailyTokens: 40 } });
    assert.equal(entry.tokens, 40);
    const next = await memories.add({ content: 'Q1 마케팅 예산은 7000만원으로 정했다', threadId: 't' });
    assert.equal(next.entry.reasons.find((r) => r.kind === 'model_refused')?.error, 'over_budget');
    assert.equal(server.requests.length, 1);
    assert.equal((await memories.log.stats()).tokens, 40);
  } finally {
    server.close();
  }
});

test('usage_names_the_last_failure_and_the_tokens_left', async () => {
  const analyst = () => {
    throw Object.assign(new Error('offline'), { refusal: 'unreachable' });
  };
  const memories = await open({ storage: 'memory', policy: 'accurate', model: { analyst, name: 'm', dailyTokens: 100 } });
  await memories.add(OLD);
  const { entry } = await memories.add(NEW);
  assert.deepEqual(
    entry.reasons.filter((r) => r.kind === 'model_refused').map((r) => r.error),
    ['unreachable'],
  );
  const { lastFailure, ...usage } = await memories.model.usage();
  assert.deepEqual(usage, { calls: 1, tokens: 0, dailyTokens: 100, tokensLeft: 100, cached: 0 });
  assert.deepEqual([lastFailure.code, lastFailure.model, lastFailure.purpose], ['unreachable', 'm', 'mail']);
});

const letter = (n, text) =>
  `From x Thu Jan  1 00:00:00 2025\nFrom: Kim <kim@a.example>\nTo: me@b.example\nSubject: Heron\nDate: Tue, 14 Jan 2025 09:00:00 +0000\nMessage-ID: <${n}@a.example>\n\n${text}\n\n`;

test('a_reread_asks_about_mails_that_rules_have_read_and_can_be_undone', async () => {
  const source = [1, 2].map((n) => letter(n, `The Heron budget for phase ${n} is ${n}0M KRW.`)).join('');
  const rules = await open({ storage: 'memory', owner: ['me@b.example'] });
  await rules.importMail(source);
  const before = (await rules.list()).map(({ content }) => content);
  await assert.rejects(rules.reread(source), { code: 'unsupported' });
  let asked = 0;
  const analyst = ({ text }) => {
    const n = /for phase 2/.test(text.slice(text.lastIndexOf(' MAIL '))) ? 2 : 1;
    asked += 1;
    return {
      entries: [{ op: 'new', text: `Heron phase ${n}: budget ${n}0M KRW.`, category: 'project', evidence: `The Heron budget for phase ${n} is ${n}0M KRW.` }],
    };
  };
  const memories = await open({ storage: 'memory', owner: ['me@b.example'], model: analyst });
  await memories.data.import(await rules.data.export());
  const estimate = await memories.model.estimate(source, { reread: true });
  assert.deepEqual([estimate.mails, estimate.calls, estimate.tokens > 1_000, asked], [2, 2, true, 0]);
  await assert.rejects(memories.reread(source, { signal: AbortSignal.abort() }), { code: 'aborted' });
  assert.deepEqual((await memories.reread(source, { dryRun: true })).changes.map(({ decision }) => decision).filter((d) => d === 'DELETE').length, 2);
  const written = [];
  const seen = [];
  const report = await memories.reread(source, {
    onReceipt: ({ receipts }) => written.push(...receipts.map(({ entry }) => entry.id)),
    onProgress: ({ mails }) => seen.push(mails),
  });
  assert.deepEqual([report.created, report.gaveWay, seen.at(-1), asked], [2, 2, 2, 2]);
  assert.deepEqual(
    (await memories.list()).map(({ content }) => content),
    [1, 2].map((n) => `Heron phase ${n}: budget ${n}0M KRW.`),
  );
  assert.deepEqual((await memories.undoAll(written)).kept, []);
  assert.deepEqual(
    (await memories.list()).map(({ content }) => content),
    before,
  );
  const { replayed, created } = await memories.reread(source);
  assert.deepEqual([replayed > 0, created, asked], [true, 0, 2]);
  await memories.close();
});

test('an_estimate_sends_nothing_and_samples_large_mailboxes', async () => {
  const server = await stub(say(GOOD));
  try {
    const memories = await engine({ dialect: 'openai', url: server.url, model: 'm' });
    const few = [1, 2, 3].map((n) => letter(n, `The Heron budget is ${n}0M KRW.`)).join('');
    const told = await memories.model.estimate(few);
    assert.equal(told.mails, 3);
    assert.ok(told.drafts === 3 && told.calls >= 3 && told.tokens > 1_000, JSON.stringify(told));
    // Nearly all of the text is quoted, which costs no tokens.
    const line = `> ${'so it was said before '.repeat(3)}\n`;
    const long = (n) => letter(n, `The Heron budget is ${n}0M KRW.\n\n${line.repeat(1_500)}`);
    const many = new Blob(Array.from({ length: 60 }, (_, n) => long(n)));
    assert.ok(many.size > 5 * 1024 * 1024);
    const { mails } = await memories.model.estimate(many);
    assert.ok(mails > 40 && mails < 80, `${mails} of 60`);
    assert.deepEqual([server.requests.length, (await memories.log.list()).length, (await memories.model.usage()).calls], [0, 0, 0]);
    await assert.rejects(memories.model.estimate(7), { field: 'source' });
  } finally {
    server.close();
  }
});

test('requests_contain_texts_with_handles_and_the_key_only_in_its_header', async () => {
  const server = await stub(say(GOOD));
  try {
    const { memories } = await decideWith({ dialect: 'openai', url: server.url, model: 'm', key: 'k-123' });
    const [{ url, headers, body }] = server.requests;
    assert.deepEqual([url, headers.authorization, headers.cookie], ['/v1/chat/completions', 'Bearer k-123', undefined]);
    assert.deepEqual([body.model, body.temperature, body.messages.map((m) => m.role)], ['m', 0, ['system', 'user']]);
    const sent = JSON.stringify(body);
    assert.ok(sent.includes('5000만원') && sent.includes('6000만원') && !sent.includes('k-123'));
    for (const { id } of await memories.list({ includeSuperseded: true })) assert.ok(!sent.includes(id));
  } finally {
    server.close();
  }
});

test('an_invalid_endpoint_is_rejected_on_open', async () => {
  const good = { dialect: 'openai', url: 'https://a.example/v1', model: 'm' };
  const cases = [
    [null, 'model'],
    [{ ...good, dialect: 'toString' }, 'model.dialect'],
    [{ ...good, model: '' }, 'model.model'],
    [{ ...good, url: 'http://a.example' }, 'model.url'],
    [{ ...good, url: 'http://localhost.a.example' }, 'model.url'],
    [{ ...good, url: 'https://u:p@a.example' }, 'model.url'],
    [{ ...good, url: 'a.example' }, 'model.url'],
    [{ ...good, key: 'a\r\nb: c' }, 'model.key'],
    [{ ...good, keys: 'k' }, 'model.keys', 'unknown_field'],
  ];
  for (const [endpoint, field, code = 'invalid_field'] of cases) {
    await assert.rejects(engine(endpoint), { name: 'MemfoldError', code, field });
  }
  await assert.rejects(engine(good, { model: { analyst: () => '' } }), { field: 'model.analyst' });
  for (const url of ['http://localhost:1', 'http://127.0.0.1:1', 'http://[::1]:1', 'https://a.example']) {
    await (await engine({ ...good, url })).close();
  }
});

test('an_endpoint_makes_tags_and_summaries_within_the_budget', async () => {
  const server = await stub((response, _, { body }) => say(rested(body.messages.at(-1).content))(response));
  try {
    const memories = await series(open, { model: { dialect: 'openai', url: server.url, model: 'm', dailyTokens: 50_000 } });
    const report = await memories.sleep.run(NIGHT);
    assert.deepEqual([report.merges, report.folded, report.tagged, report.calls, report.tokens], [1, 5, 5, 2, 80]);
    assert.deepEqual(
      (await memories.search('Borealis backup')).map((h) => h.memory.content),
      [SUMMARY],
    );
    assert.deepEqual(
      (await memories.graph.nodes({ kind: 'entity' })).map((h) => h.node.content),
      ['Borealis'],
    );
    assert.deepEqual(
      (await memories.model.sent()).map((s) => [s.purpose, s.outcome]),
      [
        ['summary', 'answered'],
        ['tags', 'answered'],
      ],
    );
    assert.deepEqual([(await memories.model.usage()).tokens, (await memories.log.metrics()).total.tokens], [80, 80]);
    assert.deepEqual(
      server.requests.map((r) => r.body.response_format.json_schema.schema.required),
      [['tags'], ['summary']],
    );
    assert.deepEqual((await memories.data.verify()).problems, []);
  } finally {
    server.close();
  }
});

test('a_function_makes_tags_and_summaries_unless_over_budget_or_in_fast_mode', async () => {
  const asked = [];
  const analyst = (question) => (asked.push(question.task), rested(question.text));
  const memories = await series(open, { model: { analyst } });
  assert.equal((await memories.sleep.run(NIGHT)).calls, 2);
  assert.deepEqual(asked, ['tags', 'summary']);
  for (const [options, night] of [
    [{ policy: 'fast' }, {}],
    [{}, { maxTokens: 0 }],
    [{ model: { dailyTokens: 100 } }, {}],
  ]) {
    const quiet = await series(open, { ...options, model: { analyst, ...options.model } });
    assert.deepEqual([(await quiet.sleep.run({ ...NIGHT, ...night })).merges, asked.length], [1, 2]);
  }
});
