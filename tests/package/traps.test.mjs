// A WebAssembly trap rejects every pending call with a code and leaves no partial write, and the next call reopens the memory.
// Tested in Node, in Chromium over IndexedDB and in workerd over an object's database.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { Miniflare } from '../worker/workerd.mjs';
import { installed } from './installed.mjs';

const TRAPPED = 'MemfoldError trapped false';
const CLOSED = 'MemfoldError closed false';

let project;
let dir;
before(async () => {
  project = await installed();
  dir = join(project.dir, 'node_modules/memfold');
  cpSync(fileURLToPath(new URL('trapping.js', import.meta.url)), join(dir, 'trapping.js'));
});
after(() => project.remove());

test('in_node_a_trap_rejects_pending_calls_and_the_engine_restarts', async () => {
  const { exhausted, overflowing, watch } = await import(pathToFileURL(join(dir, 'trapping.js')).href);
  watch();
  const memfold = await import(pathToFileURL(join(dir, 'node.js')).href);
  const { during, after: then } = await exhausted(memfold, { storage: 'memory' }, false);
  assert.deepEqual(during, Array(5).fill(TRAPPED));
  assert.deepEqual(then, [TRAPPED, TRAPPED, TRAPPED, 'CREATE', 'CREATE', CLOSED, CLOSED, 2]);
  assert.deepEqual(await overflowing(memfold), { during: [TRAPPED, TRAPPED], after: 'CREATE' });
});

test('in_a_page_the_memory_reopens_over_its_database', async () => {
  writeFileSync(
    join(dir, 'page.js'),
    `
    import { exhausted, garbled, watch } from './trapping.js';
    watch();
    const memfold = await import('./index.js');
    globalThis.faults = [];
    for (const kind of ['error', 'unhandledrejection']) addEventListener(kind, (e) => faults.push(String(e.reason ?? e.message)));
    const run = async () => ({ exhausted: await exhausted(memfold, { name: 'one' }, true), garbled: await garbled(memfold, { name: 'two' }), faults });
    run().then((r) => { globalThis.result = r; }, (e) => { globalThis.result = String(e.stack); });`,
  );
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>');
  const site = await serve(dir, {});
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => 'result' in globalThis, null, { timeout: 60_000 });
    const { exhausted, garbled, faults } = await page.evaluate('result');
    assert.deepEqual(exhausted.during, Array(5).fill(TRAPPED));
    assert.deepEqual(exhausted.after, [true, 1, 'CREATE', 0, TRAPPED, 'CREATE', 'CREATE', CLOSED, CLOSED, 2]);
    assert.deepEqual(garbled.before, [1, 1]);
    assert.equal(garbled.during, TRAPPED);
    assert.deepEqual(garbled.after, [[1, 1], 0], 'a commit that was broken off left nothing');
    assert.deepEqual([garbled.again, garbled.removed], ['CREATE', 'done']);
    assert.deepEqual(faults, [], 'nothing reaches the page but by the calls');
  } finally {
    await browser.close();
    await site.close();
    for (const name of ['page.js', 'index.html']) rmSync(join(dir, name));
  }
});

test('in_workerd_the_object_recovers', async () => {
  writeFileSync(
    join(dir, 'main.js'),
    `
    import { DurableObject } from 'cloudflare:workers';
    import { exhausted, watch } from './trapping.js';
    import * as memfold from './workerd.js';
    watch();
    export class Mine extends DurableObject {
      async fetch() {
        return Response.json(await exhausted(memfold, { storage: { object: this.ctx.storage } }, true).catch((e) => String(e.stack)));
      }
    }
    export default { fetch: (request, env) => env.MINE.getByName('one').fetch(request) };`,
  );
  const others = /^(index|node|inline|bytes)\.js$/;
  const files = readdirSync(dir);
  const names = ['main.js', ...files.filter((n) => n.endsWith('.js') && n !== 'main.js' && !others.test(n))];
  const module = (type, name) => ({ type, path: join(dir, name), contents: readFileSync(join(dir, name)) });
  const mf = new Miniflare({
    modulesRoot: dir,
    modules: [...names.map((n) => module('ESModule', n)), ...files.filter((n) => n.endsWith('.wasm')).map((n) => module('CompiledWasm', n))],
    compatibilityDate: '2026-04-01',
    durableObjects: { MINE: { className: 'Mine', useSQLite: true } },
  });
  try {
    const { during, after: then } = await (await mf.dispatchFetch('http://x/')).json();
    assert.deepEqual(during, Array(5).fill(TRAPPED));
    assert.deepEqual(then, [true, 1, 'CREATE', 0, TRAPPED, 'CREATE', 'CREATE', CLOSED, CLOSED, 2]);
  } finally {
    await mf.dispose();
    rmSync(join(dir, 'main.js'));
  }
});
