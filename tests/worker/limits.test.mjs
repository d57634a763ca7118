// Limits and source types for each client of a memory: owner, mail, tools and clients without a token.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { imported } from '../typescript.mjs';
import { ask, bundled, issuer, jose, remove, start, temporary, tokenOf, tokens } from './workerd.mjs';

const { Failures, addressOf } = await imported('www/worker/src/limits.ts');

const TYPE = { 'content-type': 'message/rfc822' };
const mail = (id, text) =>
  `From: Kim <kim@corp.example>\r\nTo: alice@in.example\r\nSubject: ${id}\r\nMessage-ID: <${id}@corp.example>\r\nDate: Mon, 12 Jan 2026 09:00:00 +0900\r\n\r\n${text}\r\n`;
const invoice = (n) => mail(`i${n}`, `The invoice ${n} of supplier ${n * 7} is due on 30 January 2026.\r\n\r\n${'> quoted\r\n'.repeat(100)}`);

let bundle;
before(async () => {
  bundle = await bundled();
});
after(() => remove(bundle));

async function over(t, bindings = {}) {
  const state = temporary('limits');
  const worker = await start(bundle, { state, bindings: { TOKENS: tokens('alice', 'bob'), MAILBOXES: { 'alice@in.example': 'alice' }, ...bindings } });
  t.after(async () => {
    await worker.stop();
    remove(state);
  });
  return {
    ...worker,
    call: (...rest) => ask(worker.url, tokenOf('alice'), ...rest),
    send: (raw) => worker.reach('mail', 'alice', 'alice@in.example', raw),
    script: (set) => worker.reach('script', '', '', JSON.stringify(set)),
  };
}
const counted = (list) => list.reduce((sum, one) => ({ ...sum, [one]: (sum[one] ?? 0) + 1 }), {});

test('mail_and_owner_requests_have_separate_rate_limits', async (t) => {
  const { call, send } = await over(t, { REQUESTS_PER_MINUTE: 8, MAILS_PER_MINUTE: 4 });
  const sent = [];
  for (let n = 0; n < 12; n += 1) sent.push(await send(invoice(n)));
  assert.deepEqual(counted(sent), { taken: 4, rate_limited: 8 });
  // Mail uploaded by the owner counts neither against received mail nor against other requests.
  const brought = [];
  for (let n = 0; n < 10; n += 1) brought.push(await call('POST', '/v1/mail', invoice(100 + n), TYPE));
  assert.deepEqual(counted(brought.map(([status]) => status)), { 200: 8, 429: 2 });
  assert.deepEqual([brought[9][1].error.code, Number(brought[9][2].headers.get('retry-after')) > 0], ['rate_limited', true]);
  const asked = [];
  for (let n = 0; n < 10; n += 1) asked.push((await call('GET', '/v1/memories'))[0]);
  assert.deepEqual(counted(asked), { 200: 8, 429: 2 });
});

test('mail_over_its_storage_share_is_rejected_and_the_owner_can_still_write', async (t) => {
  // The limit is in the middle of a database page. At a page boundary, received mail is rejected one page earlier than uploads.
  const { call, send } = await over(t, { BYTES_PER_OWNER: 2 * 61.5 * 4_096, MAIL_SHARE: 0.5, MAILS_PER_MINUTE: 100_000 });
  let said;
  for (let n = 0; n < 300 && said !== 'quota_exceeded'; n += 1) said = await send(invoice(n));
  assert.equal(said, 'quota_exceeded');
  assert.equal((await call('POST', '/v1/mail', invoice(1_000), TYPE))[1].error.code, 'quota_exceeded');
  for (let n = 0; n < 5; n += 1) assert.equal((await call('POST', '/v1/memories', { content: `The code of locker ${n} is ${n * 7_919}` }))[0], 200);
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'remember', arguments: { content: 'The bicycle is blue' } } };
  assert.equal((await call('POST', '/mcp', rpc, { accept: 'application/json, text/event-stream' }))[1].result.isError, undefined);
  // A mail larger than the remaining space is not stored.
  assert.equal(await send(mail('large', 'x\r\n'.repeat(200_000))), 'quota_exceeded');
});

const SCRIPTED = { SCRIPTED: 'ai', AI_MODEL: '@cf/meta/llama-3.3-70b-instruct-fp8-fast', MODE: 'accurate', MAILS_PER_MINUTE: 100_000 };
const deposit = (n) => `The deposit for hall ${n} is ${n + 3},000 euros`;
/** Replies to the letters in order. Three malformed replies in a row would pause the model. */
const replies = (n, tokens = 400) =>
  Array.from({ length: n }, (_, i) => {
    const entry = { op: 'new', of: null, text: `${deposit(i)}.`, category: 'task', day: null, evidence: deposit(i) };
    return { response: JSON.stringify({ entries: [entry] }), usage: { total_tokens: tokens } };
  });
const letter = (n) => mail(`l${n}`, `${deposit(n)}. Call me at 010-1234-567${n % 10}, write to dana${n}@corran.example.`);

test('the_daily_token_budget_has_a_share_for_mail_and_is_configurable', async (t) => {
  const spent = async (worker) => (await worker.script({})).asked.length;
  const usual = await over(t, SCRIPTED);
  assert.equal((await usual.call('GET', '/v1/usage'))[1].dailyTokens, 50_000);
  const worker = await over(t, { ...SCRIPTED, DAILY_TOKENS: 4_000, MAIL_SHARE: 0.5 });
  await worker.script({ replies: replies(100) });
  for (let n = 0; n < 12; n += 1) assert.equal(await worker.send(letter(n)), 'taken');
  const byMail = await spent(worker);
  assert.ok(byMail >= 4 && byMail <= 7, `${byMail} calls of 400 tokens, and there were 2,000`);
  const { tokensLeft } = (await worker.call('GET', '/v1/usage'))[1];
  assert.ok(tokensLeft >= 1_000 && tokensLeft < 2_400, `${tokensLeft} are left`);
  // The owner's notes use the rest of the budget.
  for (let n = 0; n < 12; n += 1)
    await worker.call('POST', '/v1/memories', { content: `The deposit for hall ${n} may be ${n + 5},000 euros now`, threadId: `h${n}` });
  assert.ok((await spent(worker)) > 0);
  assert.ok((await worker.call('GET', '/v1/usage'))[1].tokensLeft < 400);
  assert.ok((await worker.call('GET', '/v1/memories'))[1].length > 12, 'and all was decided');

  const free = await over(t, { ...SCRIPTED, DAILY_TOKENS: 'unlimited' });
  assert.equal((await free.call('GET', '/v1/usage'))[1].dailyTokens, undefined);
  const none = await over(t, { ...SCRIPTED, DAILY_TOKENS: 0 });
  await none.send(letter(0));
  assert.equal(await spent(none), 0);
});

test('personal_data_is_masked_for_models_unless_disabled', async (t) => {
  const shown = async (bindings) => {
    const worker = await over(t, { ...SCRIPTED, ...bindings });
    await worker.script({ replies: replies(9) });
    await worker.send(letter(1));
    await worker.call('POST', '/v1/memories', { content: letter(2) });
    const { asked } = await worker.script({});
    assert.ok(asked.length > 0);
    return JSON.stringify(asked);
  };
  const [masked, plain] = [await shown({}), await shown({ MASK: 'false' })];
  assert.ok(!/dana\d@corran\.example|1234-567/.test(masked) && masked.includes('[EMAIL_1]'), 'masked');
  assert.match(plain, /dana1@corran\.example/);
});

test('failed_logins_are_limited_by_address_and_in_total_and_valid_tokens_are_not', async (t) => {
  const keys = await issuer();
  t.after(() => keys.close());
  const { url, call } = await over(t, { ...keys.bindings, FAILURES_PER_MINUTE: 6 });
  const other = await jose.generateKeyPair('ES256');
  const forged = await keys.sign({ sub: 'alice' }, { key: other.privateKey });
  const from = (address, token) => ask(url, token, 'GET', '/v1/memories', undefined, { 'cf-connecting-ip': address });
  const tried = [];
  for (let n = 0; n < 12; n += 1) tried.push(await from('203.0.113.7', [undefined, `guess-${n}`, forged][n % 3]));
  assert.deepEqual(counted(tried.map(([status]) => status)), { 401: 6, 429: 6 });
  const [, { error }, response] = tried.at(-1);
  const seconds = Number(response.headers.get('retry-after'));
  assert.deepEqual([error.code, error.retryable, seconds >= 1 && seconds <= 60], ['rate_limited', true, true]);
  // The same address with a valid token, and another address with an invalid one.
  assert.equal((await from('203.0.113.7', tokenOf('alice')))[0], 200);
  assert.equal((await from('203.0.113.7', await keys.sign()))[0], 200);
  assert.equal((await from('203.0.113.8', 'guess'))[0], 401);
  assert.equal((await ask(url, 'guess', 'POST', '/mcp', {}, { 'cf-connecting-ip': '203.0.113.7' }))[0], 429);
  // The limit over all addresses.
  const many = [];
  for (let n = 0; n < 100; n += 1) many.push((await from(`198.51.100.${n}`, 'guess'))[0]);
  assert.ok(counted(many)[429] >= 40 && counted(many)[401] >= 40, JSON.stringify(counted(many)));
  assert.equal((await call('GET', '/v1/memories'))[0], 200);
  assert.equal((await ask(url, undefined, 'GET', '/health'))[0], 200);
});

test('the_table_of_failed_addresses_is_bounded_and_groups_networks', () => {
  const failures = new Failures();
  const now = 1_000_000;
  for (let n = 0; n < 3; n += 1) assert.equal(failures.count('10.0.0.1', 3, now), 0);
  assert.ok(failures.count('10.0.0.1', 3, now) > 0);
  assert.equal(failures.count('10.0.0.1', 3, now + 60_000), 0, 'a minute later');
  for (let n = 0; n < 5_000; n += 1) failures.count(`a${n}`, 3, now);
  assert.equal(failures.size, 4_096);

  const of = (address) => addressOf(new Request('https://x.example/', { headers: address === undefined ? {} : { 'cf-connecting-ip': address } }));
  for (const [a, b, same] of [
    ['2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::9', true],
    ['2001:db8:1:2::', '2001:db8:1:3::', false],
    ['::1', '::2', true],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['2001:db8::', '2001:db8:0:0:7::', true],
    [undefined, '192.0.2.1', false],
    ['2001:db8:1:2', '2001:db8:1:2', true],
  ])
    assert.equal(of(a) === of(b), same, `${a} ${b}`);
  assert.ok(of('x'.repeat(5_000)).length <= 64);
});

test('deeply_nested_json_is_a_400_in_every_field', async (t) => {
  const { call } = await over(t);
  const deep = (n) => `${'['.repeat(n)}${']'.repeat(n)}`;
  const nested = (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`;
  const json = { 'content-type': 'application/json' };
  for (const [path, body] of [
    ...[65, 20_000, 120_000].flatMap((n) =>
      ['people', 'content', 'metadata', 'occurredAt'].map((field) => ['/v1/memories', `{"content":"x","${field}":${deep(n)}}`]),
    ),
    ['/v1/memories', `{"content":"x","properties":[${nested(20_000)}]}`],
    ['/v1/memories', deep(100_000)],
    ['/v1/search', `{"text":${deep(7_000)}}`],
    ['/v1/erase', `{"ids":${deep(30_000)}}`],
    ['/v1/sync', `{"format":1,"from":${nested(200_000)}}`],
    ['/v1/sync', `{"format":1,"entries":[${deep(2_000_000)}]}`],
    ['/v1/memories', `{"content":"x","people":${'['.repeat(50_000)}`],
  ]) {
    const [status, answer] = await call('POST', path, body, json);
    assert.deepEqual([status, answer.error?.code], [400, 'invalid_input'], `${path} ${body.slice(0, 40)} ${JSON.stringify(answer)}`);
  }
  // Brackets inside strings are no nesting, and moderate nesting is accepted.
  const said = `"${'['.repeat(300)}${'\\"{'.repeat(100)}\\\\"`;
  assert.equal((await call('POST', '/v1/memories', `{"content":${said}}`, json))[0], 200);
  assert.equal((await call('POST', '/v1/memories', `{"content":"x","people":${deep(60)}}`, json))[1].error.field, 'people[0]');
  const rpc = (args) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"remember","arguments":${args}}}`;
  for (const args of [`{"content":${deep(100_000)}}`, `{"content":"x","colour":${nested(20_000)}}`]) {
    const [status, answer] = await call('POST', '/mcp', rpc(args), { ...json, accept: 'application/json, text/event-stream' });
    assert.ok(status < 500 && (answer.error || answer.result.isError), `${status}`);
  }
});

test('each_entry_point_sets_the_source_and_mail_and_tools_never_replace_the_owners_notes', async (t) => {
  const { call, send } = await over(t);
  const tool = async (args) => {
    const [, { result }] = await call(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'remember', arguments: args } },
      { accept: 'application/json, text/event-stream' },
    );
    return JSON.parse(result.content[0].text);
  };
  const [, { memory }] = await call('POST', '/v1/memories', { content: 'The deposit for the Garden Hall is 5,000 euros', threadId: 't' });
  assert.equal(memory.sourceType, 'user_input');
  for (const sourceType of ['bootstrapped', 'tool_output', 'realtime', 'user_input']) {
    const [, made] = await call('POST', '/v1/memories', { content: `The ${sourceType.replace('_', ' ')} locker is number ${sourceType.length}`, sourceType });
    assert.equal(made.memory.sourceType, sourceType);
  }
  for (const sourceType of ['owner', null, 7]) assert.equal((await call('POST', '/v1/memories', { content: 'x', sourceType }))[0], 400);
  await tool({ content: 'The deposit for the Garden Hall has changed from 5,000 euros to 6,000 euros', threadId: 't' });
  await send(mail('m1', 'The deposit for the Garden Hall has changed from 5,000 euros to 7,000 euros.'));
  assert.equal((await call('POST', '/v1/mail', mail('m2', 'The deposit for the Garden Hall has changed from 5,000 euros to 8,000 euros.'), TYPE))[0], 200);
  const [, still] = await call('GET', `/v1/memories/${memory.id}`);
  assert.deepEqual([still.content, still.supersededBy], [memory.content, undefined]);
  const sources = (await call('GET', '/v1/memories?includeSuperseded=true'))[1]
    .map((m) => [/[678],000/.exec(m.content)?.[0], m.sourceType])
    .filter(([sum]) => sum);
  for (const [sum, sourceType] of sources) assert.equal(sourceType, sum === '6,000' ? 'tool_output' : 'realtime');
  // A later note by the owner does.
  const [, { entry }] = await call('POST', '/v1/memories', {
    content: 'The deposit for the Garden Hall has changed from 5,000 euros to 9,000 euros',
    threadId: 't',
  });
  assert.equal(entry.decision, 'UPDATE');
  const { Draft } = (await ask((await over(t)).url, undefined, 'GET', '/openapi.json'))[1].components.schemas;
  assert.equal(Draft.properties.sourceType.default, 'user_input');
});

test('an_invalid_setting_keeps_the_default_limit', async (t) => {
  for (const [name, value] of [
    ['REQUESTS_PER_MINUTE', 'many'],
    ['MAILS_PER_MINUTE', 0],
    ['BYTES_PER_OWNER', '1 GB'],
    ['MAIL_SHARE', 2],
    ['DAILY_TOKENS', -1],
    ['DAILY_TOKENS', 'none'],
    ['MASK', 'no'],
    ['ZONE', 'Middle/Earth'],
    ['ZONE', '+25:00'],
    ['ZONE', 2_000],
  ]) {
    const { call } = await over(t, { [name]: value });
    const [status, { error }] = await call('POST', '/v1/memories', { content: 'x' });
    assert.deepEqual([status, error?.code, error?.field], [500, 'misconfigured', name], `${name} ${value}`);
  }
});
