// `onTrouble` reports failures of a model or an embedder immediately, with the code of `usage()` and the log.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { listed } from '../../docs/.vitepress/errors.mjs';
import { installed } from './installed.mjs';
import { becomes, pages } from './pages.mjs';
import { NIGHT, broken, series, sleep, status, stub } from './stub.mjs';

const OLD = { content: 'The Q1 marketing budget is 50 million won.', threadId: 't' };
const NEW = { content: 'Marketing gets 60 million won for Q1.', threadId: 't' };
const GOOD = JSON.stringify({
  entries: [
    {
      op: 'update',
      of: 'M1',
      text: NEW.content,
      category: 'decision',
      day: null,
      evidence: NEW.content,
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
const spoken = (content) => JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage: { total_tokens: 40 } });
const say = (content) => (response) => response.end(spoken(content));

let project;
let open;
let testEndpoint;
before(async () => {
  project = await installed();
  ({ open, testEndpoint } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
});
after(() => project.remove());

/** A memory that collects its troubles. `heard(n)` waits for exactly `n`, and a little longer for surplus ones. */
async function openCollecting(options) {
  const all = [];
  const memories = await open({
    storage: 'memory',
    policy: 'accurate',
    onTrouble: (trouble) => all.push(trouble),
    ...options,
    ...(options.model && { model: { timeout: 1_000, ...options.model } }),
  });
  const heard = async (n) => {
    for (let tries = 0; all.length < n && tries < 200; tries += 1) await sleep(20);
    await sleep(100);
    assert.equal(all.length, n, JSON.stringify(all));
    return all;
  };
  return { memories, heard };
}
const letter = (n, text) =>
  `From: Kim <kim@a.example>\nTo: me@b.example\nSubject: Heron\nDate: Tue, 14 Jan 2025 09:00:00 +0000\nMessage-ID: <${n}@a.example>\n\n${text}\n`;

for (const [name, [script, code]] of Object.entries(broken(spoken(GOOD)))) {
  test(`an_endpoint_that_${name}_is_reported_like_in_usage_and_log`, async () => {
    const server = await stub(script);
    try {
      const { memories, heard } = await openCollecting({
        model: { timeout: code === 'timeout' ? 600 : 5_000, dialect: 'openai', url: server.url, model: 'm', key: 'k-123' },
      });
      await memories.add(OLD);
      const { entry } = await memories.add(NEW);
      const [{ at, message, ...trouble }] = await heard(1);
      const { time, ...last } = (await memories.model.usage()).lastFailure;
      const asked = { purpose: 'mail', to: new URL(server.url).origin, model: 'm' };
      assert.deepEqual([last, time], [{ code, ...asked }, at]);
      const field = { unauthorized: 'model.key', redirected: 'model.url' }[code];
      assert.deepEqual(trouble, {
        code,
        ...asked,
        ...(field && { field }),
        retryable: ['timeout', 'unreachable', 'rate_limited', 'server_error'].includes(code),
      });
      assert.deepEqual(
        entry.reasons.filter((r) => r.kind === 'model_refused').map((r) => r.error),
        [code],
      );
      assert.ok(message.length > 10 && !message.includes('k-123'));
    } finally {
      server.close();
    }
  });
}

for (const [name, reply, rule, requests] of [
  ['a_value_from_nowhere', GOOD.replace('60 million', '90 million'), 'no_evidence', 1],
  ['a_handle_that_was_not_sent', GOOD.replace('"M1"', '"M9"'), 'unknown_handle', 1],
  ['prose', 'Yes, it went up.', 'not_json', 2],
]) {
  test(`a_reply_with_${name}_is_reported_with_its_rule`, async () => {
    const server = await stub(say(reply));
    const endpoint = { dialect: 'openai', url: server.url, model: 'm' };
    try {
      const { memories, heard } = await openCollecting({ model: endpoint });
      await memories.add(OLD);
      await memories.add({ ...NEW, sourceId: undefined });
      const [{ at, message, ...trouble }] = await heard(1);
      const told = { code: 'wrong_form', rule, purpose: 'mail', to: new URL(server.url).origin, model: 'm' };
      assert.deepEqual(trouble, { ...told, retryable: false });
      assert.match(message, /^The reply was refused\. [A-Z]/);
      const { time, ...last } = (await memories.model.usage()).lastFailure;
      assert.deepEqual([last, time], [told, at]);
      assert.equal(server.requests.length, requests);
      const report = await testEndpoint(endpoint);
      assert.deepEqual([report.code, report.rule], ['wrong_form', rule]);
    } finally {
      server.close();
    }
  });
}

test('each_rejected_entry_of_a_reply_is_reported_with_its_position_and_rule', async () => {
  const entry = (text, evidence, of = null) => ({ op: of ? 'update' : 'new', of, text, category: 'task', day: null, evidence });
  const entries = [
    entry('Kim sends the Heron contract for 4,900 USD.', 'the Heron contract for 4,900 USD'),
    entry('Kim sends the Heron contract for 9,900 USD.', 'the Heron contract for 9,900 USD'),
    entry('Kim sends the Heron contract.', 'I send you', 'M7'),
  ];
  let reply = JSON.stringify({ entries });
  const server = await stub((response) => say(reply)(response));
  try {
    const { memories, heard } = await openCollecting({ policy: 'balanced', model: { dialect: 'openai', url: server.url, model: 'gpt-5' } });
    let receipt;
    await memories.importMail(letter(1, 'I send you the Heron contract for 4,900 USD by Friday.'), { onReceipt: (r) => (receipt = r) });
    const asked = { code: 'wrong_form', purpose: 'mail', to: new URL(server.url).origin, model: 'gpt-5', retryable: false };
    const plain = ({ at: _, message: __, ...trouble }) => trouble;
    assert.deepEqual((await heard(2)).map(plain), [
      { ...asked, rule: 'no_evidence', entry: 2 },
      { ...asked, rule: 'unknown_handle', entry: 3 },
    ]);
    assert.deepEqual(receipt.refused, [
      { entry: 2, error: 'no_evidence' },
      { entry: 3, error: 'unknown_handle' },
    ]);
    // An unreadable reply is one trouble, even if the rules then take several decisions.
    reply = 'Of course!';
    const note = await memories.add('The heron budget is 7,000 USD. The review is on 3 March at 2 pm in room 9. Please bring the signed lease.');
    assert.ok(note.receipts.length > 0);
    assert.deepEqual(plain((await heard(3))[2]), { ...asked, rule: 'not_json' });
    // A redelivered mail causes neither a request nor a report.
    await memories.importMail(letter(1, 'I send you the Heron contract for 4,900 USD by Friday.'));
    await heard(3);
  } finally {
    server.close();
  }
});

test('an_invalid_reply_field_is_reported_by_name', async () => {
  const entry = { op: 'upsert', of: null, text: 'Kim sends the Heron contract.', category: 'task', day: null, evidence: 'the Heron contract', confidence: 1 };
  const server = await stub(say(JSON.stringify({ entries: [{ ...entry, op: 'NEW' }, entry], note: 'ignored' })));
  try {
    const { memories, heard } = await openCollecting({ policy: 'balanced', model: { dialect: 'openai', url: server.url, model: 'gpt-5' } });
    const detail = '`op` is `upsert`, which is none of `new`, `update`, `done`, `repeat`';
    let receipt;
    await memories.importMail(letter(1, 'I send you the Heron contract for 4,900 USD by Friday.'), { onReceipt: (r) => (receipt = r) });
    assert.deepEqual(receipt.refused, [{ entry: 2, error: 'malformed', field: 'op', detail }]);
    const [{ rule, entry: place, replyField, message }] = await heard(1);
    assert.deepEqual([rule, place, replyField, message], ['malformed', 2, 'op', `The reply was refused. ${detail}.`]);
    await memories.close();
  } finally {
    server.close();
  }
});

test('a_model_answering_in_prose_is_paused_and_usage_says_until_when', async () => {
  const server = await stub(say('Of course, I will remember that!'));
  try {
    const { memories } = await openCollecting({ policy: 'balanced', model: { dialect: 'openai', url: server.url, model: 'gpt-5' } });
    const before = Date.now();
    for (let n = 0; n < 30; n += 1) await memories.add(`The locker code of room ${n} is now 70${n}, says the caretaker.`);
    assert.equal(server.requests.length, 3);
    assert.equal((await memories.list()).length, 30);
    const { restsUntil } = await memories.model.usage();
    assert.ok(Date.parse(restsUntil) > before && Date.parse(restsUntil) <= Date.now() + 30_000, restsUntil);
    await memories.close();
  } finally {
    server.close();
  }
});

test('openai_chat_messages_are_accepted', async () => {
  const seen = [];
  const analyst = (question) => (seen.push(question.text), { entries: [] });
  const memories = await open({ storage: 'memory', model: analyst });
  const part = (text) => ({ type: 'text', text });
  await memories.add([
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content: [part('I moved to Lyon last week.'), { type: 'image_url', image_url: { url: 'data:' } }] },
    { role: 'assistant', content: 'Which street is it?' },
    { role: 'user', content: [part('Rue Neuve 4.')] },
  ]);
  assert.match(seen[0], /USER\nI moved to Lyon last week\.\n=== \w+ ASSISTANT\nWhich street is it\?\n=== \w+ USER\nRue Neuve 4\.\n=== \w+ END$/);
  assert.ok(!seen[0].includes('helpful assistant') && !seen[0].includes('FORWARDED'));
  for (const [content, field] of [
    [7, 'turns[0].content'],
    [[7], 'turns[0].content'],
  ]) {
    await assert.rejects(memories.add([{ role: 'user', content }]), (e) => e.code === 'invalid_field' && e.field.includes('content'), field);
  }
  await memories.close();
});

test('failures_of_questions_summaries_and_embedders_are_reported', async () => {
  const broke = await stub(status(401));
  const bad = await stub((response, _, { body }) =>
    say(/=== \w* ?NOTES/.test(body.messages.at(-1).content) ? '{"summary":"All went well."}' : '{"tags":[]}')(response),
  );
  try {
    const { memories, heard } = await openCollecting({
      model: { dialect: 'openai', url: broke.url, model: 'm', key: 'k' },
      embedder: { dialect: 'openai', url: broke.url, model: 'e', key: 'k' },
    });
    await memories.add(OLD);
    assert.deepEqual(
      (await heard(1)).map((t) => [t.purpose, t.code, t.field]),
      [['embeddings', 'unauthorized', 'embedder.key']],
    );
    await memories.ask('What is the marketing budget?');
    assert.deepEqual((await heard(2)).map((t) => [t.purpose, t.code, t.field])[1], ['answer', 'unauthorized', 'model.key']);
    const all = [];
    const asleep = await series(open, { model: { dialect: 'openai', url: bad.url, model: 'm' }, onTrouble: (t) => all.push([t.purpose, t.code, t.rule]) });
    await asleep.sleep.run({ ...NIGHT });
    await asleep.close();
    assert.deepEqual(all, [['summary', 'wrong_form', 'lost_a_fact']]);
  } finally {
    for (const server of [broke, bad]) server.close();
  }
});

test('embedder_failures_are_reported_with_their_rule_and_purpose', async () => {
  const row = (n) => Array(n).fill(1);
  for (const [embed, code, rule, said] of [
    [(texts) => texts.map(() => row(8)), 'wrong_form', 'indistinct', /barely separates/],
    [(texts) => texts.map((t, n) => row(n + 1)), 'wrong_form', 'wrong_dimension', /length/],
    [() => [], 'wrong_form', 'malformed', /numbers/],
    [() => new Promise(() => {}), 'timeout', undefined, /^The embedder took too long\.$/],
  ]) {
    const { memories, heard } = await openCollecting({ embedder: { model: 'e', embed, timeout: 300 } });
    await memories.add(OLD);
    const [{ message, ...told }] = await heard(1);
    assert.deepEqual([told.code, told.rule, told.purpose], [code, rule, 'embeddings']);
    assert.match(message, said);
    const { lastFailure } = await memories.model.usage();
    assert.deepEqual([lastFailure.code, lastFailure.rule, lastFailure.purpose], [code, rule, 'embeddings']);
    await memories.close();
  }
});

test('a_long_import_reports_while_it_runs', async () => {
  const server = await stub(async (response, n) => {
    if (n > 1) await sleep(2_500);
    status(n === 1 ? 401 : 500)(response);
  });
  try {
    let over = false;
    const during = [];
    const options = {
      storage: 'memory',
      policy: 'accurate',
      model: { dialect: 'openai', url: server.url, model: 'm' },
      embedder: { dialect: 'openai', url: server.url, model: 'e' },
    };
    const memories = await open({
      ...options,
      model: { ...options.model, timeout: 6_000 },
      embedder: { ...options.embedder, timeout: 6_000 },
      onTrouble: (t) => during.push([t.code, over]),
    });
    await memories.importMail(letter(1, 'The Heron budget is 9,000 USD. The review is on 3 March at 2 pm.'));
    over = true;
    await memories.close();
    assert.deepEqual(during[0], ['unauthorized', false]);
    assert.ok(
      during.some(([, late]) => late),
      'and what came at its end',
    );
  } finally {
    server.close();
  }
});

test('an_invalid_or_misspelt_on_trouble_option_is_rejected', async () => {
  await assert.rejects(open({ storage: 'memory', onTrouble: 'yes' }), { code: 'invalid_field', field: 'onTrouble' });
  await assert.rejects(open({ storage: 'memory', onTroubles: () => {} }), { code: 'unknown_field', message: /did you mean `onTrouble`\?/ });
});

test('an_endpoint_test_reports_only_observed_features', async () => {
  const silent = await stub(status(401));
  const other = await stub(say('{"decision":"update"}'));
  const wrong = await stub(say(GOOD.replace('"update"', '"new"')));
  try {
    const features = async ({ url }) => (await testEndpoint({ dialect: 'openai', url, model: 'm' })).features;
    assert.equal(await features(silent), undefined);
    assert.deepEqual(await features(other), { temperature: true, tokens: true });
    assert.deepEqual(await features(wrong), { schema: 'strict', temperature: true, tokens: true, right: false });
    assert.equal(await features({ url: 'http://127.0.0.1:9/v1' }), undefined);
    const { features: none, ...failed } = await testEndpoint(() => {
      throw new Error('no session');
    });
    assert.deepEqual([failed.code, none], ['failed', undefined]);
  } finally {
    for (const server of [silent, other, wrong]) server.close();
  }
});

test('an_engine_in_a_worker_reports_to_its_page', async () => {
  const tabs = await pages(project.dir, '');
  try {
    for (const run of ['dedicated', 'tabs']) {
      const page = await tabs.page(`
        import { open } from 'memfold/worker';
        globalThis.told = [];
        const analyst = () => { throw Object.assign(new Error('away'), { refusal: 'unreachable' }); };
        const options = { name: 'trouble-${run}', worker: { run: '${run}' }, policy: 'accurate', model: analyst, onTrouble: (t) => told.push([t.code, t.purpose, t.retryable]) };
        globalThis.refused = await open({ ...options, onTrouble: 3 }).catch((e) => e.field);
        globalThis.memories = await open(options);
        await memories.add(${JSON.stringify(OLD)});
        await memories.add(${JSON.stringify(NEW)});`);
      await becomes(page, 'told', [['unreachable', 'mail', true]]);
      assert.equal(await page.evaluate('refused'), 'onTrouble');
      await page.close();
    }
  } finally {
    await tabs.close();
  }
});

test('the_messages_match_the_source', async () => {
  const { MEANS, MAY_PASS } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/troubles.js`).href);
  const refusals = listed('src/decision/reply.rs', 'wire');
  assert.deepEqual(MEANS, Object.fromEntries(refusals.map(({ code, means }) => [code, means])));
  assert.deepEqual(
    [...MAY_PASS].sort(),
    refusals
      .filter(({ mayPass }) => mayPass)
      .map(({ code }) => code)
      .sort(),
  );
});
