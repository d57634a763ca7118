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
import { thorough } from '../tier.mjs';

/** Size of the WebAssembly file in bytes. */
const ENGINE = statSync(new URL('../../pkg/memfold_bg.wasm', import.meta.url)).size;

const www = createRequire(new URL('../../www/package.json', import.meta.url));
const APP = `import { open } from 'memfold';
import { open as openInWorker } from 'memfold/worker';
const said = async (memories) => (await memories.add({ content: 'The dentist is on Thursday at 10' })).entry.decision;
const code = (work) => work.catch((e) => e.code + ': ' + e.message);
globalThis.result = Promise.all([code(open({ name: 'here' }).then(said)), code(openInWorker({ name: 'there', worker: { run: 'dedicated' } }).then(said))]);`;
/** The same without the worker. */
const HERE = APP.replace(/import .*worker';\n/, '').replace(/, code\(openInWorker.*?\)\)\]/s, ']');
const HTML = (script) => `<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="/${script}"></script>`;

let project;
before(async () => {
  project = await installed();
  writeFileSync(join(project.dir, 'app.js'), APP);
  writeFileSync(join(project.dir, 'here.js'), HERE);
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

thorough('webpack_finds_the_file_and_the_worker', async () => {
  const { default: webpack } = await load('webpack');
  const dir = folder('webpack');
  const stats = await new Promise((resolve, reject) =>
    webpack({ mode: 'production', context: project.dir, entry: './app.js', output: { path: dir, filename: 'app.js' } }, (error, result) =>
      error ? reject(error) : resolve(result),
    ),
  );
  assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
  assert.deepEqual(await shown(dir), [['CREATE', 'CREATE'], []]);
  assert.deepEqual(engines(dir), [['.wasm', ENGINE]]);
});

test('a_vite_library_contains_the_engine_once', async () => {
  const { build } = await import(pathToFileURL(www.resolve('vite')).href);
  await build({
    root: project.dir,
    logLevel: 'error',
    configFile: false,
    build: { outDir: 'library', target: 'es2022', lib: { entry: 'here.js', formats: ['es'], fileName: 'made' } },
  });
  // Base64 adds a third; two copies would exceed 2.5 times the size.
  const [[, size], ...more] = engines(join(project.dir, 'library'));
  assert.deepEqual([more, size < 1.5 * ENGINE], [[], true], `${size}`);
});

/** Rollup without plugins resolves no package. */
const resolver = { name: 'installed', resolveId: (id) => (id === 'memfold' ? join(project.dir, 'node_modules/memfold/index.js') : null) };

thorough('esbuild_and_rollup_use_the_file_that_is_copied_beside_their_output', async () => {
  const { build } = (await load('esbuild')).default;
  const { rollup } = await load('rollup');
  const made = {
    esbuild: (dir) => build({ absWorkingDir: project.dir, entryPoints: ['here.js'], bundle: true, format: 'esm', outdir: dir, logLevel: 'error' }),
    rollup: async (dir) => (await rollup({ input: join(project.dir, 'here.js'), plugins: [resolver], logLevel: 'silent' })).write({ dir, format: 'es' }),
  };
  for (const [name, make] of Object.entries(made)) {
    const dir = folder(name, 'here.js');
    await make(dir);
    copyFileSync(join(project.dir, 'node_modules/memfold/memfold_bg.wasm'), join(dir, 'memfold_bg.wasm'));
    assert.deepEqual([name, engines(dir)], [name, [['.wasm', ENGINE]]]);
    assert.deepEqual([name, await shown(dir)], [name, [['CREATE'], []]]);
  }
});

thorough('an_imported_file_is_emitted_or_inlined_by_the_bundlers_own_loader', async () => {
  const { build } = (await load('esbuild')).default;
  const { default: webpack } = await load('webpack');
  writeFileSync(
    join(project.dir, 'imported.js'),
    `import wasm from 'memfold/memfold_bg.wasm';\n${HERE.replace('{ open }', '{ open, preload }').replace("open({ name: 'here' })", "preload({ wasm }).then(() => open({ name: 'here' }))")}`,
  );
  const esbuild = (loader, format) => (dir) =>
    build({ absWorkingDir: project.dir, entryPoints: ['imported.js'], bundle: true, format, loader: { '.wasm': loader }, outdir: dir, logLevel: 'silent' });
  const made = {
    'esbuild file': ['.wasm', esbuild('file', 'esm')],
    // One classic script has no address of its own.
    'esbuild binary': ['.js', esbuild('binary', 'iife')],
    'webpack inline': [
      '.js',
      (dir) =>
        new Promise((resolve, reject) => {
          const module = { rules: [{ test: /\.wasm$/, type: 'asset/inline' }] };
          webpack(
            { mode: 'production', context: project.dir, entry: './imported.js', output: { path: dir, filename: 'imported.js' }, module },
            (error, stats) => (error || stats.hasErrors() ? reject(error ?? stats.toString()) : resolve()),
          );
        }),
    ],
  };
  for (const [name, [ending, make]] of Object.entries(made)) {
    const dir = folder(name, 'imported.js');
    await make(dir);
    assert.deepEqual([name, engines(dir).map(([kind]) => kind)], [name, [ending]]);
    assert.deepEqual([name, await shown(dir)], [name, [['CREATE'], []]]);
  }
});

test('a_missing_file_and_a_forbidding_policy_are_reported_with_a_remedy', async () => {
  const dir = folder('bare', 'here.js');
  const files = readdirSync(join(project.dir, 'node_modules/memfold')).filter((f) => f.endsWith('.js'));
  for (const file of files) copyFileSync(join(project.dir, 'node_modules/memfold', file), join(dir, file));
  writeFileSync(join(dir, 'here.js'), HERE.replace("'memfold'", "'./index.js'"));
  const [[nowhere], missing] = await shown(dir);
  assert.deepEqual(missing, ['/memfold_bg.wasm']);
  assert.match(nowhere, /^unsupported: .*copy memfold_bg\.wasm.*preload\(\{ wasm \}\)/s);
  copyFileSync(join(project.dir, 'node_modules/memfold/memfold_bg.wasm'), join(dir, 'memfold_bg.wasm'));
  const policy = { 'content-security-policy': "default-src 'none'; img-src data:; script-src 'self'; connect-src 'self'" };
  const [[forbidden]] = await shown(dir, { headers: policy });
  assert.match(forbidden, /^unsupported: .*script-src 'wasm-unsafe-eval'/s);
  rmSync(join(dir, 'memfold_bg.wasm'));
  // An explicit URL is used.
  mkdirSync(join(dir, 'elsewhere'));
  copyFileSync(join(project.dir, 'node_modules/memfold/memfold_bg.wasm'), join(dir, 'elsewhere/engine.wasm'));
  writeFileSync(
    join(dir, 'here.js'),
    `import { open, preload } from './index.js';
    await preload({ wasm: new URL('/elsewhere/engine.wasm', location.href) });
    globalThis.result = open({ name: 'named' }).then((m) => m.durability.store);`,
  );
  assert.equal((await shown(dir))[0], 'indexeddb');
});

test('preload_accepts_bytes_or_a_module_before_open', () => {
  const code = `
    import { readFileSync } from 'node:fs';
    import { open, preload } from 'memfold';
    const bytes = readFileSync('node_modules/memfold/memfold_bg.wasm');
    await preload({ wasm: process.argv[2] === 'module' ? new WebAssembly.Module(bytes) : bytes });
    const memories = await open({ storage: 'memory' });
    console.log((await memories.add({ content: 'Tea is at four' })).entry.decision, await preload({ wsam: 1 }).catch((e) => e.message));`;
  writeFileSync(join(project.dir, 'given.mjs'), code);
  for (const how of ['module', 'bytes']) {
    const { stdout } = spawnSync(process.execPath, ['given.mjs', how], { cwd: project.dir, encoding: 'utf8' });
    assert.equal(stdout, 'CREATE unknown field `wsam`, expected `wasm`; did you mean `wasm`?\n');
  }
});

test('require_works_or_names_the_alternative', () => {
  writeFileSync(join(project.dir, 'old.cjs'), `const { open } = require('memfold'); open({ storage: 'memory' }).then((m) => console.log(m.durability.store));`);
  const run = (node) => spawnSync(node, ['--no-warnings', 'old.cjs'], { cwd: project.dir, encoding: 'utf8' });
  assert.equal(run(fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))).stdout, 'memory\n');
  const older = run(process.execPath);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12)) assert.equal(older.stdout, 'memory\n');
  else assert.ok(older.stdout === 'memory\n' || /await import\('memfold'\)/.test(older.stderr), older.stderr);
});
