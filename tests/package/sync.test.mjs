// What a client accepts of a hub: its address, its answers, and their errors.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { listed } from '../../docs/.vitepress/errors.mjs';
import { installed } from './installed.mjs';

const URL_ = 'https://hub.example/v1/sync';

let project;
let open;
before(async () => {
  project = await installed();
  ({ open } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/node.js`).href));
});
after(() => project?.remove());

const everything = async (m) => JSON.stringify([await m.list({ includeSuperseded: true, limit: 10_000 }), await m.graph.edges(), await m.log.list()]);

test('a_key_or_a_sealed_feed_is_refused_with_the_way_to_move', async () => {
  const [hub, one] = [await open({ storage: 'memory' }), await open({ storage: 'memory' })];
  const never = () => assert.fail('nothing may be sent');
  await assert.rejects(one.sync.run(URL_, 'token', { key: new Uint8Array(32), fetch: never }), {
    code: 'unsupported',
    field: 'key',
    message: /sealed sync is gone.*docs\/upgrade\.md/,
  });
  for (const [told, field] of [
    [{ format: 2, after: 0, steps: [], records: [], key: 'k' }, 'key'],
    [{ steps: [] }, 'steps'],
    [{ ...(await one.sync.changes('hub')), key: 'k' }, 'key'],
  ]) {
    await assert.rejects(hub.sync.apply(told), { code: 'unsupported', field });
  }
  // An undefined key is none.
  await assert.rejects(one.sync.run(URL_, 'token', { key: undefined, fetch: () => Promise.reject(new TypeError('asked')) }), { code: 'connection_lost' });
  await Promise.all([hub.close(), one.close()]);
});

test('only_https_and_loopback_addresses_are_accepted', async () => {
  const one = await open({ storage: 'memory' });
  const never = () => assert.fail('nothing may be sent');
  const bad = [
    'http://hub.example/',
    'http://192.168.0.7/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'http://[::2]/',
    'http://0.0.0.0/',
    'ftp://localhost/',
    'javascript:alert(1)',
    'hub',
    '',
    'https://user:pw@hub.example/',
    'ws://localhost/',
  ];
  for (const url of bad) await assert.rejects(one.sync.run(url, 'token', { fetch: never }), { code: 'invalid_field', field: 'url', retryable: false }, url);
  for (const url of ['http://localhost:9/', 'http://127.0.0.1:9/', 'http://127.8.9.1:9/', 'http://[::1]:9/', 'https://hub.example/']) {
    await assert.rejects(one.sync.run(url, 'token', { fetch: () => Promise.reject(new TypeError('asked')) }), { code: 'connection_lost' }, url);
  }
  await one.close();
});

test('oversized_and_malformed_answers_fail_with_a_code', async () => {
  const one = await open({ storage: 'memory' });
  await one.add({ content: 'The audit is on 3 February' });
  let [sent, stopped] = [0, false];
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (out) => void ((sent += 1 << 20), out.enqueue(new Uint8Array(1 << 20).fill(0x20))),
        cancel: () => void (stopped = true),
      }),
    );
  const answers = {
    'an answer without end': [endless, 'too_large'],
    'a cut one': [() => new Response('{"format":1,"from":"0'), 'connection_lost'],
    'a page of HTML': [() => new Response('<html>'), 'connection_lost'],
    'an empty one': [() => new Response(null), 'connection_lost'],
    'a list': [() => Response.json([]), 'invalid_input'],
    'a number': [() => Response.json(7), 'invalid_input'],
    'one nested without end': [() => new Response(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`), ['invalid_input', 'unknown_field']],
    'an error without a code': [() => Response.json({ error: 'no' }, { status: 500 }), 'connection_lost'],
    'an error of another shape': [() => Response.json({ error: { code: { a: 1 }, message: ['x'], retryable: 'yes', field: 7 } }, { status: 400 }), 'internal'],
    'an error with its code': [
      () => Response.json({ error: { code: 'quota_exceeded', message: 'full', retryable: false } }, { status: 507 }),
      'quota_exceeded',
    ],
  };
  const known = await everything(one);
  for (const [what, [answer, code]] of Object.entries(answers)) {
    const told = await one.sync.run(URL_, 'token', { fetch: async () => answer() }).then(
      () => assert.fail(what),
      (error) => error,
    );
    assert.equal(told.name, 'MemfoldError', what);
    assert.ok([code].flat().includes(told.code), `${what}: ${told.code}`);
    assert.ok(told.message.length < 600 && typeof told.retryable === 'boolean', what);
  }
  const long = await one.sync
    .run(URL_, 'token', { fetch: async () => Response.json({ error: { code: 'rate_limited', message: 'x'.repeat(1e6) } }, { status: 429 }) })
    .catch((error) => error);
  assert.ok(long.code === 'rate_limited' && long.message.length <= 500);
  assert.equal(await everything(one), known);
  assert.ok(stopped && sent < 70 * (1 << 20), `${sent} bytes were asked for`);
  // The same over a socket, with an endless answer.
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    const more = () => (response.write(Buffer.alloc(1 << 20, 0x20)) ? setImmediate(more) : response.once('drain', more));
    more();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  await assert.rejects(one.sync.run(`http://127.0.0.1:${server.address().port}/`, 'token'), { code: 'too_large' });
  server.closeAllConnections();
  server.close();
  await one.close();
});

test('every_http_status_maps_to_a_listed_code_and_retryable_flag', async () => {
  const one = await open({ storage: 'memory' });
  await one.add({ content: 'The audit is on 3 February' });
  const { CODES } = await import(pathToFileURL(`${project.dir}/node_modules/memfold/sync.js`).href);
  assert.deepEqual(
    [...CODES].toSorted(),
    listed('src/error.rs', 'codes')
      .map(({ code }) => code)
      .toSorted(),
  );
  const said = async (status, body, token = 'token') => {
    const fetch = async () => new Response(body, { status });
    const { code, retryable, field } = await one.sync.run(URL_, token, { fetch }).then(
      () => assert.fail(`${status}`),
      (error) => error,
    );
    return [code, retryable, field];
  };
  const answers = [
    [401, '', 'unauthorized', false],
    [403, '{}', 'unauthorized', false],
    [404, '<html>', 'invalid_field', false, 'url'],
    [413, '', 'too_large', false],
    [429, '', 'rate_limited', true],
    [429, '{}', 'rate_limited', true],
    [500, 'oops', 'connection_lost', true],
    [503, '{}', 'connection_lost', true],
    [418, '{}', 'internal', false],
    [401, '{"error":{"code":"unauthorized","message":"no"}}', 'unauthorized', false],
    [503, '{"error":{"code":"storage","retryable":true}}', 'storage', true],
    [503, '{"error":{"code":"unavailable","retryable":true}}', 'connection_lost', true],
    [400, '{"error":{"code":"toString"}}', 'internal', false],
  ];
  for (const [status, body, code, retryable, field] of answers) assert.deepEqual(await said(status, body), [code, retryable, field], `${status} ${body}`);
  for (const token of ['to\nk', 'to\u0000k', 'to\u20ack']) assert.deepEqual(await said(200, '{}', token), ['invalid_field', false, 'token']);
});
