// How the WebAssembly file is found: by bundlers, by URL, and the errors when it is missing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { load } from '../worker/workerd.mjs';
import { installed } from './installed.mjs';

/** Size of the WebAssembly file in bytes. */
const ENGINE = statSync(new URL('../../pkg/memfold_bg.wasm', import.meta.url)).size;

const www = createRequire(new URL('../../www/package.json', import.meta.url));
const APP = `import { open } from 'memfold';
import { open as openInWorker } from 'memfold/worker';
const said = async (memories) => (await memories.consolidate({ content: 'The dentist is on Thursday at 10' })).entry.decision;
const code = (work) => work.catch((e) => e.code + ': ' + e.message);
globalThis.result = Promise.all([code(open({ name: 'here' }).then(said)), code(openInWorker({ name: 'there', run: 'dedicated' }).then(said))]);`;
const HTML = (script) => `<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="/${script}"></script>`;

let project;
before(() => {
  project = installed();
  writeFileSync(join(project.dir, 'app.js'), APP);
  writeFileSync(join(project.dir, 'here.js'), APP.replace(/import .*worker';\n/, '').replace(/, code\(openInWorker.*?\)\)\]/s, ']'));
});
after(() => project?.remove());

/** The result of a page, and the paths that were not found. */
async function shown(dir, { headers = {}, expression = 'result' } = {}) {
  const site = await serve(dir, { headers });
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const missing = [];
    page.on('response', (r) => r.status() === 404 && missing.push(new URL(r.url()).pathname));
    await page.goto(site.url);
    await page.waitForFunction(() => 'result' in globalThis, null, { timeout: 30_000 });
    return [await page.evaluate(expression), missing];
  } finally {
    await browser.close();
    await site.close();
  }
}

const folder = (name, script = 'app.js') => {
  const dir = join(project.dir, name);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'index.html'), HTML(script));
  return dir;
};

/** Extensions and sizes of the files that are large enough to contain the engine. */
function engines(dir) {
  const sizes = readdirSync(dir, { recursive: true }).map((name) => [extname(name), statSync(join(dir, name)).size]);
  return sizes.filter(([, size]) => size > 700_000);
}

test('vite_finds_the_file_and_the_worker', async () => {
  const { build } = await import(pathToFileURL(www.resolve('vite')).href);
  writeFileSync(join(project.dir, 'index.html'), HTML('app.js'));
  await build({ root: project.dir, logLevel: 'error', configFile: false, build: { outDir: 'vite', target: 'es2022' }, worker: { format: 'es' } });
  assert.deepEqual(await shown(join(project.dir, 'vite')), [['CREATE', 'CREATE'], []]);
  // The engine is a separate file and in no script.
  assert.deepEqual(engines(join(project.dir, 'vite')), [['.wasm', ENGINE]]);
});

test('webpack_finds_the_file_and_the_worker', async () => {
  const { default: webpack } = await load('webpack');
  const dir = folder('webpack');
  const stats = await new Promise((resolve, reject) =>
    webpack({ mode: 'production', context: project.dir, entry: './app.js', output: { path: dir, filename: 'app.js' } }, (error, result) => (error ? reject(error) : resolve(result))));
  assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
  assert.deepEqual(await shown(dir), [['CREATE', 'CREATE'], []]);
  assert.deepEqual(engines(dir), [['.wasm', ENGINE]]);
});

test('library_and_inline_builds_contain_the_engine_once', async () => {
  const { build } = await import(pathToFileURL(www.resolve('vite')).href);
  writeFileSync(join(project.dir, 'inlined.js'), APP.replace(/import .*worker';\n/, '').replace(/, code\(openInWorker.*?\)\)\]/s, ']').replace("'memfold'", "'memfold/inline'"));
  const library = (entry, outDir) => build({ root: project.dir, logLevel: 'error', configFile: false, build: { outDir, target: 'es2022', lib: { entry, formats: ['es'], fileName: 'made' } } });
  await library('here.js', 'library');
  // Base64 adds a third; two copies would exceed 2.5 times the size.
  const [[, size], ...more] = engines(join(project.dir, 'library'));
  assert.deepEqual([more, size < 1.5 * ENGINE], [[], true], `${size}`);
  await library('inlined.js', 'inlined');
  const [[ending, packed], ...others] = engines(join(project.dir, 'inlined'));
  assert.deepEqual([ending, others, packed < 0.75 * ENGINE], ['.js', [], true], `${packed}`);
  const dir = folder('inlined-page', 'made.js');
  copyFileSync(join(project.dir, 'inlined/made.js'), join(dir, 'made.js'));
  assert.deepEqual(await shown(dir), [['CREATE'], []]);
});

test('esbuild_and_rollup_include_a_copy_that_is_used_without_the_file', async () => {
  const { build } = (await load('esbuild')).default;
  const { rollup } = await load('rollup');
  const resolver = { name: 'installed', resolveId: (id) => (id === 'memfold' ? join(project.dir, 'node_modules/memfold/index.js') : null) };
  const built = {
    esbuild: (dir) => build({ absWorkingDir: project.dir, entryPoints: ['here.js'], bundle: true, splitting: true, format: 'esm', outdir: dir, logLevel: 'error' }),
    'esbuild-one': (dir) => build({ absWorkingDir: project.dir, entryPoints: ['here.js'], bundle: true, format: 'iife', outdir: dir, logLevel: 'silent' }),
    rollup: async (dir) => (await rollup({ input: join(project.dir, 'here.js'), plugins: [resolver], logLevel: 'silent' })).write({ dir, format: 'es' }),
  };
  for (const [name, make] of Object.entries(built)) {
    const dir = folder(name, 'here.js');
    await make(dir);
    const [result] = await shown(dir);
    assert.deepEqual([name, result], [name, ['CREATE']]);
    // The copy is compressed, so that one bundle is smaller than the WebAssembly file.
    const [[ending, size], ...more] = engines(dir);
    assert.deepEqual([name, ending, more, size < 0.75 * ENGINE], [name, '.js', [], true], `${size}`);
  }
});

test('esbuild_omits_the_copy_if_marked_external_and_the_file_is_used', async () => {
  const { build } = (await load('esbuild')).default;
  const dir = folder('esbuild-beside', 'here.js');
  await build({ absWorkingDir: project.dir, entryPoints: ['here.js'], bundle: true, format: 'esm', external: ['*/bytes.js'], outdir: dir, logLevel: 'error' });
  copyFileSync(join(project.dir, 'node_modules/memfold/memfold_bg.wasm'), join(dir, 'memfold_bg.wasm'));
  assert.deepEqual(engines(dir), [['.wasm', ENGINE]]);
  assert.deepEqual(await shown(dir), [['CREATE'], []]);
});

test('a_missing_file_and_a_forbidding_policy_are_reported_with_a_remedy', async () => {
  const dir = folder('bare', 'here.js');
  const files = readdirSync(join(project.dir, 'node_modules/memfold')).filter((f) => f.endsWith('.js'));
  for (const file of files) copyFileSync(join(project.dir, 'node_modules/memfold', file), join(dir, file));
  writeFileSync(join(dir, 'here.js'), APP.replace(/import .*worker';\n/, '').replace(/, code\(openInWorker.*?\)\)\]/s, ']').replace("'memfold'", "'./index.js'"));
  // The embedded copy is used.
  const [copied, missing] = await shown(dir);
  assert.deepEqual([copied, missing], [['CREATE'], ['/memfold_bg.wasm']]);
  copyFileSync(join(project.dir, 'node_modules/memfold/memfold_bg.wasm'), join(dir, 'memfold_bg.wasm'));
  const policy = { 'content-security-policy': "default-src 'none'; img-src data:; script-src 'self'; connect-src 'self'" };
  const [[forbidden]] = await shown(dir, { headers: policy });
  assert.match(forbidden, /^unsupported: .*script-src 'wasm-unsafe-eval'/s);
  rmSync(join(dir, 'memfold_bg.wasm'));
  rmSync(join(dir, 'bytes.js'));
  const [[nowhere]] = await shown(dir);
  assert.match(nowhere, /^unsupported: .*memfold\/inline.*open\(\{ wasm \}\)/s);
  // An explicit URL is used.
  mkdirSync(join(dir, 'elsewhere'));
  copyFileSync(join(project.dir, 'node_modules/memfold/memfold_bg.wasm'), join(dir, 'elsewhere/engine.wasm'));
  writeFileSync(join(dir, 'here.js'), `import { open, preload } from './index.js';
    await preload({ wasm: new URL('/elsewhere/engine.wasm', location.href) });
    globalThis.result = open({ name: 'named' }).then((m) => m.durability.store);`);
  assert.equal((await shown(dir))[0], 'indexeddb');
});

test('preload_accepts_bytes_or_a_module_before_open', () => {
  const code = `
    import { readFileSync } from 'node:fs';
    import { open, preload } from 'memfold';
    const bytes = readFileSync('node_modules/memfold/memfold_bg.wasm');
    await preload({ wasm: process.argv[2] === 'module' ? new WebAssembly.Module(bytes) : bytes });
    const memories = await open({ store: 'memory' });
    console.log((await memories.consolidate({ content: 'Tea is at four' })).entry.decision, await preload({ wsam: 1 }).catch((e) => e.message));`;
  writeFileSync(join(project.dir, 'given.mjs'), code);
  for (const how of ['module', 'bytes']) {
    const { stdout } = spawnSync(process.execPath, ['given.mjs', how], { cwd: project.dir, encoding: 'utf8' });
    assert.equal(stdout, 'CREATE unknown field `wsam`, expected `wasm`; did you mean `wasm`?\n');
  }
});

test('require_works_or_names_the_alternative', () => {
  writeFileSync(join(project.dir, 'old.cjs'), `const { open } = require('memfold'); open({ store: 'memory' }).then((m) => console.log(m.durability.store));`);
  const run = (node) => spawnSync(node, ['--no-warnings', 'old.cjs'], { cwd: project.dir, encoding: 'utf8' });
  assert.equal(run(fileURLToPath(new URL('../../www/worker/node_modules/node/bin/node', import.meta.url))).stdout, 'memory\n');
  const older = run(process.execPath);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) assert.equal(older.stdout, 'memory\n');
  else assert.ok(older.stdout === 'memory\n' || /await import\('memfold'\)/.test(older.stderr), older.stderr);
});
