// The engine calls an endpoint through the `fetch` of its host: workerd, a page and a web worker.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ASKING, serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { Miniflare } from '../worker/workerd.mjs';
import { installed } from './installed.mjs';

const NEXT = 'Marketing gets 60 million won for Q1.';
const said = {
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
};
const GOOD = JSON.stringify({ choices: [{ message: { content: JSON.stringify({ entries: [said] }) } }], usage: { total_tokens: 40 } });
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'authorization, content-type' };

let project;
let server;
let endpoint;
before(async () => {
  project = await installed();
  // Small chunks, so that the reply is streamed.
  server = createServer(async (request, response) => {
    response.writeHead(200, CORS);
    if (request.method === 'OPTIONS') return response.end();
    for (let at = 0; at < GOOD.length; at += 50) response.write(GOOD.slice(at, at + 50));
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = { dialect: 'openai', url: `http://127.0.0.1:${server.address().port}/v1`, model: 'm', key: 'k-123' };
});
after(() => (project.remove(), server.closeAllConnections(), server.close()));

const ask = (from) => `import { testEndpoint } from '${from}';
  export const asked = () => testEndpoint(${JSON.stringify(endpoint)}).then(({ ms, ...report }) => report);`;
const WORKS = { ok: true, code: 'ok', detail: '', features: { schema: 'strict', temperature: true, tokens: true, right: true } };

test('an_endpoint_is_reachable_from_workerd', async () => {
  const dir = join(project.dir, 'workerd');
  cpSync(join(project.dir, 'node_modules/memfold'), dir, { recursive: true });
  writeFileSync(join(dir, 'asked.js'), ask('./workerd.js'));
  writeFileSync(
    join(dir, 'main.js'),
    `import { asked } from './asked.js';
    export default { fetch: async () => Response.json(await asked().catch((e) => String(e.stack))) };`,
  );
  const others = /^(index|node|inline|bytes)\.js$/;
  const names = ['main.js', ...readdirSync(dir).filter((n) => n.endsWith('.js') && n !== 'main.js' && !others.test(n))];
  const module = (type, name) => ({ type, path: join(dir, name), contents: readFileSync(join(dir, name)) });
  const compiled = readdirSync(dir).filter((n) => n.endsWith('.wasm'));
  const mf = new Miniflare({
    modulesRoot: dir,
    modules: [...names.map((n) => module('ESModule', n)), ...compiled.map((n) => module('CompiledWasm', n))],
    compatibilityDate: '2026-04-01',
  });
  try {
    assert.deepEqual(await (await mf.dispatchFetch('http://x/')).json(), WORKS);
  } finally {
    await mf.dispose();
  }
});

test('an_endpoint_is_reachable_from_a_page_and_its_worker', async () => {
  const dir = join(project.dir, 'page');
  cpSync(join(project.dir, 'node_modules/memfold'), join(dir, 'memfold'), { recursive: true });
  writeFileSync(join(dir, 'asked.js'), ask('./memfold/index.js'));
  writeFileSync(
    join(dir, 'worker.js'),
    `import { asked } from './asked.js';
    asked().then(postMessage, (e) => postMessage(String(e.stack)));`,
  );
  writeFileSync(
    join(dir, 'page.js'),
    `import { asked } from './asked.js';
    const of = new Promise((resolve) => { new Worker('./worker.js', { type: 'module' }).onmessage = ({ data }) => resolve(data); });
    Promise.all([asked(), of]).then((r) => { globalThis.result = r; }, (e) => { globalThis.result = String(e.stack); });`,
  );
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>');
  const site = await serve(dir, { headers: { 'content-security-policy': ASKING } });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => 'result' in globalThis, null, { timeout: 30_000 });
    assert.deepEqual(await page.evaluate('result'), [WORKS, WORKS]);
  } finally {
    await browser.close();
    await site.close();
  }
});
