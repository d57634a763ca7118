// Requests with forged credentials or for another owner's data never succeed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, bundled, figure, issuer, jose, progress, remove, start, tokenOf, tokens } from './workerd.mjs';

const REQUESTS = Number(process.env.MEMFOLD_FORGED ?? 1_000);
const VICTIMS = ['alice', 'bob'];
const SECRETS = { alice: 'otter-7781', bob: 'heron-4402' };

let bundle;
let keys;
let worker;
before(async () => {
  bundle = await bundled();
  keys = await issuer();
  worker = await start(bundle, {
    bindings: {
      ...keys.bindings,
      TOKENS: tokens('alice', 'bob', 'mallory'),
      REQUESTS_PER_MINUTE: 10_000_000,
      MAILS_PER_MINUTE: 10_000_000,
      FAILURES_PER_MINUTE: 10_000_000,
      MAILBOXES: { 'alice@in.example': 'alice' },
    },
  });
});
after(async () => {
  await worker?.stop();
  keys?.close();
  remove(bundle);
});

/** A seeded random number generator. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test(`none_of_${REQUESTS}_forged_or_cross_owner_requests_succeeds`, async () => {
  const state = async (owner) => [
    (await ask(worker.url, tokenOf(owner), 'GET', '/v1/export'))[1],
    (await ask(worker.url, tokenOf(owner), 'GET', '/v1/log'))[1],
  ];
  const theirs = [];
  for (const owner of VICTIMS) {
    const [, receipt] = await ask(worker.url, tokenOf(owner), 'POST', '/v1/memories', {
      content: `The safe of ${owner} opens with ${SECRETS[owner]}`,
      threadId: owner,
    });
    await ask(worker.url, tokenOf(owner), 'POST', '/v1/memories', { content: `The safe of ${owner} now opens with ${SECRETS[owner]}-b`, threadId: owner });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'forget', arguments: { ids: [receipt.memory.id] } } };
    const [, answer] = await ask(worker.url, tokenOf(owner), 'POST', '/mcp', call, { accept: 'application/json, text/event-stream' });
    theirs.push({ owner, id: receipt.memory.id, entry: receipt.entry.id, confirmation: JSON.parse(answer.result.content[0].text).confirmation });
  }
  const before = await Promise.all(VICTIMS.map(state));
  const other = await jose.generateKeyPair('ES256');
  const good = await keys.sign({ sub: 'mallory' });
  const [, payload, tail] = good.split('.');
  const coded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const any = numbers(7);
  const one = (list) => list[any(list.length)];

  /** Forged credentials, and mallory's own. */
  const credentials = [
    () => tokenOf('mallory'),
    () => tokenOf('mallory'),
    () => good,
    ({ owner }) => {
      const token = tokenOf(owner);
      const at = any(token.length);
      return token.slice(0, at) + String.fromCharCode(33 + any(90)) + token.slice(at + 1) + '~';
    },
    ({ owner }) => owner,
    ({ owner }) => tokens(owner) && Object.keys(tokens(owner))[0],
    ({ owner }) => tokenOf(owner).slice(0, -1 - any(5)),
    ({ owner }) => tokenOf(owner).toUpperCase(),
    ({ owner }) => keys.sign({ sub: owner }, { key: other.privateKey }),
    ({ owner }) => keys.sign({ sub: owner, iss: owner }),
    ({ owner }) => keys.sign({ sub: owner }),
    ({ owner }) =>
      `${coded({ alg: one(['none', 'HS256', 'ES256']), kid: 'one' })}.${coded({ ...JSON.parse(Buffer.from(payload, 'base64url')), sub: owner })}.${one(['', tail])}`,
    () => one(['', 'null', 'undefined', '__proto__', 'constructor', '[object Object]', '*']),
  ];
  const rpc = (name, args) => ['POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }];
  /** Requests for the victim's data, by id or by owner name. */
  const reaches = [
    ({ id }) => ['GET', `/v1/memories/${id}`],
    ({ id }) => ['GET', `/v1/memories/${id}/${one(['history', 'related', 'why'])}`],
    ({ id }) => ['DELETE', `/v1/memories/${id}`],
    ({ id }) => ['POST', `/v1/memories/${id}/restore`],
    ({ entry }) => ['POST', `/v1/log/${entry}/${one(['undo', 'redo'])}`],
    ({ entry }) => ['POST', `/v1/reviews/${entry}`, { verdict: 'reject' }],
    ({ id }) => ['POST', '/v1/erase', { ids: [id] }],
    ({ id, owner }) => ['POST', '/v1/erase', { ids: [id], owner }],
    ({ owner }) => ['POST', '/v1/search', { text: `what opens the safe of ${owner}` }],
    ({ owner }) => ['POST', '/v1/ask', { question: `What opens the safe of ${owner}?` }],
    ({ owner }) => ['GET', `/v1/memories?includeSuperseded=true${one(['', `&owner=${owner}`, `&userId=${owner}`])}`],
    () => ['GET', '/v1/export'],
    ({ id }) => ['GET', `/v1/log?target=${id}`],
    () => ['GET', '/v1/reviews'],
    ({ owner }) => ['POST', '/v1/memories', { content: `a note for ${owner}`, userId: owner }],
    ({ owner }) => ['POST', `/v1/mail?account=${owner}`, `From: ${owner}@in.example\r\nTo: ${owner}@in.example\r\nSubject: x\r\n\r\nThe safe is empty.\r\n`],
    ({ owner }) => [
      'GET',
      one([`/v1/${owner}/memories`, `/v1/memories/../${owner}`, `//${owner}/v1/memories`, `/v1/memories/%2e%2e/${owner}`, `/v1/memories;owner=${owner}`]),
    ],
    ({ id }) => rpc(one(['history', 'why']), { id }),
    ({ owner }) => rpc('recall', { query: `the safe of ${owner}` }),
    ({ owner }) => rpc('ask', { question: `What opens the safe of ${owner}?` }),
    ({ id }) => rpc('forget', { ids: [id] }),
    ({ confirmation }) => rpc('forget', { confirmation }),
    ({ owner }) => rpc('remember', { content: 'x', owner }),
    ({ id, owner }) => ['POST', '/v1/import', `{"header":{"format":1}}\n{"edge":{"id":"${id}","from":"${id}","to":"${id}","owner":"${owner}"}}`],
  ];
  const said = ({ owner }) =>
    one([
      {},
      { 'x-user-id': owner },
      { 'x-forwarded-user': owner, 'cf-access-authenticated-user-email': owner },
      { cookie: `owner=${owner}; token=${tokenOf(owner)}x` },
      { 'idempotency-key': owner },
      { 'x-http-method-override': 'DELETE' },
    ]);

  let crossings = 0;
  const statuses = {};
  async function attack() {
    const victim = one(theirs);
    const token = await one(credentials)(victim);
    const [method, path, body] = one(reaches)(victim);
    const type = typeof body !== 'string' ? {} : { 'content-type': path.startsWith('/v1/mail') ? 'message/rfc822' : 'application/x-ndjson' };
    const [status, answer] = await ask(worker.url, token, method, path, body, {
      ...said(victim),
      ...type,
      ...(path === '/mcp' ? { accept: 'application/json, text/event-stream' } : {}),
    });
    statuses[status] = (statuses[status] ?? 0) + 1;
    const shown = typeof answer === 'string' ? answer : JSON.stringify(answer);
    if (Object.values(SECRETS).some((secret) => shown.includes(secret))) crossings += 1;
    assert.ok(status < 500, `${method} ${path} ${status} ${shown.slice(0, 200)}`);
  }
  for (let done = 0; done < REQUESTS; done += 20) {
    await Promise.all(Array.from({ length: Math.min(20, REQUESTS - done) }, attack));
    if (done % 500 === 480) progress(`${done + 20} of ${REQUESTS} requests, ${crossings} crossings`);
  }
  assert.deepEqual(await Promise.all(VICTIMS.map(state)), before);
  assert.equal(crossings, 0);
  assert.ok(statuses[200] > 0 && statuses[401] > 0 && statuses[404] > 0, JSON.stringify(statuses));
  figure(`${REQUESTS} requests, 0 crossings; statuses ${JSON.stringify(statuses)}`);
});
