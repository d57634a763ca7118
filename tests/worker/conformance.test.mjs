// The store conformance cases: over SQLite in workerd and in Node, and over adapters in Node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Miniflare, load } from './workerd.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { buildSync } = (await load('esbuild')).default;
const MAIN = `
import { DurableObject } from 'cloudflare:workers';
import wasm from './durable_bg.wasm';
import { cases, initSync, run } from './durable.js';
import { sqlBacking } from './sql.js';
const ready = () => initSync({ module: wasm });
export class Case extends DurableObject {
  async run(name) {
    ready();
    const failed = new Promise((_, reject) => (globalThis.caseFailed = (text) => reject(new Error(text))));
    await Promise.race([run(name, sqlBacking(this.ctx.storage), (query) => void this.ctx.storage.sql.exec(query)), failed]);
  }
}
export default {
  async fetch(request, env) {
    const name = new URL(request.url).pathname.slice(1);
    ready();
    if (name === '') return Response.json(cases());
    return new Response(await env.CASE.getByName(name).run(name).then(() => 'passed', (error) => error.message));
  },
};`;

/** Compiles the cases as a test target of the crate and generates its bindings. */
function build(dir) {
  const cargo = ['build', '--quiet', '--test', 'durable', '--target', 'wasm32-unknown-unknown', '--message-format', 'json'];
  const messages = execFileSync('cargo', cargo, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1 << 28 });
  const made = messages
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const { executable } = made.find((m) => m.reason === 'compiler-artifact' && m.target.name === 'durable');
  execFileSync('wasm-bindgen', ['--target', 'web', '--no-typescript', '--out-dir', dir, '--out-name', 'durable', executable], { stdio: 'inherit' });
}

let dir;
let workerd;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'memfold-durable-'));
  build(dir);
  writeFileSync(join(dir, 'main.js'), MAIN);
  buildSync({ entryPoints: [join(root, 'pkg/sql.js')], bundle: true, format: 'esm', outfile: join(dir, 'sql.js') });
  const module = (type, name) => ({ type, path: join(dir, name), contents: readFileSync(join(dir, name)) });
  workerd = new Miniflare({
    modulesRoot: dir,
    modules: [module('ESModule', 'main.js'), module('ESModule', 'durable.js'), module('ESModule', 'sql.js'), module('CompiledWasm', 'durable_bg.wasm')],
    compatibilityDate: '2026-04-01',
    durableObjects: { CASE: { className: 'Case', useSQLite: true } },
    durableObjectsPersist: join(dir, 'state'),
  });
});
after(async () => {
  await workerd?.dispose();
  rmSync(dir, { recursive: true, force: true });
});

test('the_durable_object_store_passes_every_case', async (t) => {
  const names = await (await workerd.dispatchFetch('http://x/')).json();
  assert.ok(names.length > 40, `${names.length} cases`);
  let broken = false;
  for (const name of names) {
    // A panic makes the module unusable for later cases.
    await t.test(name, { skip: broken }, async () => {
      broken = true;
      const response = await workerd.dispatchFetch(`http://x/${name}`);
      assert.equal(await response.text(), 'passed');
      broken = false;
    });
  }
});

/** Runs every case over its own file and prints the results. */
const OVER_FILES = `
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
const [dir, sqlite, pkg, beside] = process.argv.slice(2);
const { storageOf } = await import(join(pkg, 'sqlite.js'));
const { sqlBacking } = await import(join(pkg, 'sql.js'));
const { cases, initSync, run } = await import(join(dir, 'durable.js'));
const Database = sqlite === 'node:sqlite' ? (await import('node:sqlite')).DatabaseSync : createRequire(beside)('better-sqlite3');
const module = new WebAssembly.Module(readFileSync(join(dir, 'durable_bg.wasm')));
initSync({ module });
const results = {};
for (const name of cases()) {
  const db = new Database(join(mkdtempSync(join(dir, 'file-')), 'store.db'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  const failed = new Promise((_, reject) => (globalThis.caseFailed = (text) => reject(new Error(text))));
  const storage = storageOf(db);
  results[name] = await Promise.race([run(name, sqlBacking(storage), (query) => void storage.sql.exec(query)), failed]).then(() => 'passed', (error) => error.message);
  // A panic makes the module unusable for later cases.
  if (results[name] !== 'passed') break;
  db.close();
}
process.stdout.write(JSON.stringify(results));
process.exit();`;

/** Runs every case for adapters over the example in memory, whose calls end in varying order. */
const OVER_ADAPTERS = `
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
const [dir, pkg] = process.argv.slice(2);
const { memoryAdapter } = await import(join(pkg, 'storage.js'));
const { adapterBacking } = await import(join(pkg, 'backing.js'));
const { adapterCases, initSync, run } = await import(join(dir, 'durable.js'));
initSync({ module: new WebAssembly.Module(readFileSync(join(dir, 'durable_bg.wasm'))) });
let calls = 0;
const late = (work) => async (given) => {
  const turns = (calls += 1) % 3;
  for (let n = 0; n < turns; n += 1) await new Promise((resolve) => setImmediate(resolve));
  return work(given);
};
const results = {};
for (const name of adapterCases()) {
  const { get, list, commit } = memoryAdapter();
  const failed = new Promise((_, reject) => (globalThis.caseFailed = (text) => reject(new Error(text))));
  const adapter = adapterBacking({ get: late(get), list: late(list), commit: late(commit) });
  results[name] = await Promise.race([run(name, adapter, () => {}), failed]).then(() => 'passed', (error) => error.message);
  if (results[name] !== 'passed') break;
}
process.stdout.write(JSON.stringify(results));
process.exit();`;

test('the_store_over_an_adapter_passes_every_shared_case', async () => {
  writeFileSync(join(dir, 'adapters.mjs'), OVER_ADAPTERS);
  const results = JSON.parse(execFileSync(process.execPath, [join(dir, 'adapters.mjs'), dir, join(root, 'pkg')], { encoding: 'utf8', maxBuffer: 1 << 26 }));
  assert.deepEqual(
    Object.entries(results).filter(([, result]) => result !== 'passed'),
    [],
  );
  assert.ok(Object.keys(results).length > 40, `${Object.keys(results).length} cases`);
});

const beside = join(root, 'www/worker/package.json');
const NODES = { 'better-sqlite3': process.execPath, 'node:sqlite': join(root, 'tests/node_modules/node/bin/node') };
for (const [sqlite, node] of Object.entries(NODES)) {
  test(`the_same_store_over_a_file_passes_every_case_with_${sqlite}`, async () => {
    writeFileSync(join(dir, 'files.mjs'), OVER_FILES);
    const said = execFileSync(node, ['--no-warnings', join(dir, 'files.mjs'), dir, sqlite, join(root, 'pkg'), beside], {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    });
    const results = JSON.parse(said);
    assert.deepEqual(
      Object.entries(results).filter(([, result]) => result !== 'passed'),
      [],
    );
    assert.equal(Object.keys(results).length, (await (await workerd.dispatchFetch('http://x/')).json()).length);
  });
}
