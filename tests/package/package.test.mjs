import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { installed } from './installed.mjs';
import { EXPECTED } from './journey.js';

let project;
before(() => {
  project = installed();
  cpSync(fileURLToPath(new URL('journey.js', import.meta.url)), join(project.dir, 'journey.js'));
});
after(() => project.remove());

/** Runs a module of the project and reads the JSON that it prints. */
function printed(name, code, ...flags) {
  writeFileSync(join(project.dir, name), code);
  return JSON.parse(execFileSync(process.execPath, [...flags, name], { cwd: project.dir, encoding: 'utf8' }));
}

test('the_tarball_holds_the_entries_the_types_and_the_licences_alone', () => {
  assert.deepEqual(project.files, [
    'LICENSE-APACHE', 'LICENSE-MIT', 'README.md', 'api.js', 'bytes.js', 'index.d.ts', 'index.js', 'inline.js',
    'memfold.js', 'memfold_bg.wasm', 'node.js', 'package.json', 'types.d.ts', 'workerd.js',
  ]);
});

test('the_manifest_names_every_runtime_and_the_version_of_the_crate', () => {
  const manifest = JSON.parse(readFileSync(join(project.dir, 'node_modules/memfold/package.json'), 'utf8'));
  const cargo = readFileSync(new URL('../../Cargo.toml', import.meta.url), 'utf8');
  assert.equal(manifest.version, /^version = "(.+)"$/m.exec(cargo)[1]);
  assert.deepEqual(Object.keys(manifest.exports['.']), ['types', 'workerd', 'node', 'browser', 'default']);
});

test('node_loads_the_installed_package', () => {
  const result = printed('node.mjs', `
    import * as memfold from 'memfold';
    import { journey } from './journey.js';
    console.log(JSON.stringify(await journey(memfold, 'memory')));`);
  assert.deepEqual(result, EXPECTED);
});

test('the_inline_entry_needs_no_file', () => {
  const result = printed('inline.mjs', `
    import * as memfold from 'memfold/inline';
    import { journey } from './journey.js';
    console.log(JSON.stringify(await journey(memfold, 'memory')));`);
  assert.deepEqual(result, EXPECTED);
});

test('the_workerd_entry_takes_a_compiled_module_and_does_nothing_before_the_first_call', () => {
  writeFileSync(join(project.dir, 'workerd-like.mjs'), `
    import { register } from 'node:module';
    const hook = \`
      export async function load(url, context, next) {
        if (!url.endsWith('.wasm')) return next(url, context);
        const source = "import { readFileSync } from 'node:fs'; export default new WebAssembly.Module(readFileSync(new URL(" + JSON.stringify(url) + ")));";
        return { format: 'module', shortCircuit: true, source };
      }\`;
    register('data:text/javascript,' + encodeURIComponent(hook));`);
  const result = printed('workerd.mjs', `
    const [now, random] = [Date.now, Math.random];
    Date.now = Math.random = () => { throw new Error('asked at module scope'); };
    const memfold = await import('memfold');
    [Date.now, Math.random] = [now, random];
    const { journey } = await import('./journey.js');
    console.log(JSON.stringify(await journey(memfold, 'memory')));`, '--conditions=workerd', '--import=./workerd-like.mjs');
  assert.deepEqual(result, EXPECTED);
});

const PAGE = `<!doctype html><meta charset="utf-8"><title>memfold</title>
<script type="importmap" nonce="map">{"imports":{"memfold":"/node_modules/memfold/index.js"}}</script>
<script type="module" src="/page.js"></script>`;
const POLICY = "default-src 'none'; script-src 'self' 'nonce-map' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";

async function inChromium(scripts, read) {
  for (const [name, code] of Object.entries(scripts)) writeFileSync(join(project.dir, name), code);
  const site = await serve(project.dir, { pages: { '/': PAGE }, headers: { 'content-security-policy': POLICY } });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const faults = [];
    page.on('pageerror', (e) => faults.push(String(e)));
    page.on('console', (m) => m.type() === 'error' && faults.push(m.text()));
    await page.goto(site.url);
    await page.waitForFunction(() => 'result' in globalThis, null, { timeout: 30_000 }).catch((e) => assert.fail(`${e.message}\n${faults.join('\n')}`));
    return await read(page);
  } finally {
    await browser.close();
    await site.close();
  }
}

for (const store of ['memory', 'indexeddb']) {
  test(`a_plain_module_script_under_a_strict_policy_loads_it_with_${store}`, async () => {
    const result = await inChromium({ 'page.js': `
      import * as memfold from 'memfold';
      import { journey } from './journey.js';
      globalThis.result = await journey(memfold, '${store}').catch((e) => String(e.stack));` }, (page) => page.evaluate('result'));
    assert.deepEqual(result, EXPECTED);
  });
}

test('a_module_worker_loads_it', async () => {
  const result = await inChromium({
    'page.js': `new Worker('/worker.js', { type: 'module' }).onmessage = (e) => { globalThis.result = e.data; };`,
    'worker.js': `
      import * as memfold from '/node_modules/memfold/index.js';
      import { journey } from './journey.js';
      postMessage(await journey(memfold, 'indexeddb').catch((e) => String(e.stack)));`,
  }, (page) => page.evaluate('result'));
  assert.deepEqual(result, EXPECTED);
});
