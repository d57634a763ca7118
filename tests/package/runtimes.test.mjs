// The installed package in Vite, webpack, esbuild, workerd and an extension's service worker,
// and the reports of package linters.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch, launchWithExtension } from '../chromium.mjs';
import { thorough } from '../tier.mjs';
import { Miniflare, load } from '../worker/workerd.mjs';
import { installed } from './installed.mjs';
import { EXPECTED } from './journey.js';

const www = createRequire(new URL('../../www/package.json', import.meta.url));
const pkg = fileURLToPath(new URL('../../pkg', import.meta.url));
const PAGE = `import * as memfold from 'memfold';
import { journey } from './journey.js';
journey(memfold, 'indexeddb').then((r) => { globalThis.result = r; }, (e) => { globalThis.result = String(e.stack); });`;

let project;
before(async () => {
  project = await installed();
  cpSync(fileURLToPath(new URL('journey.js', import.meta.url)), join(project.dir, 'journey.js'));
  writeFileSync(join(project.dir, 'page.js'), PAGE);
  writeFileSync(
    join(project.dir, 'index.html'),
    '<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="/page.js"></script>',
  );
});
after(() => project.remove());

/** The result of a built page. */
async function shown(dir) {
  const site = await serve(dir, {});
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => 'result' in globalThis, null, { timeout: 30_000 });
    return await page.evaluate('result');
  } finally {
    await browser.close();
    await site.close();
  }
}

test('the_package_runs_in_a_vite_build', async () => {
  const { build } = await import(pathToFileURL(www.resolve('vite')).href);
  await build({ root: project.dir, logLevel: 'error', configFile: false, build: { outDir: 'vite', target: 'es2022' } });
  assert.deepEqual(await shown(join(project.dir, 'vite')), EXPECTED);
});

thorough('the_package_runs_in_a_webpack_build', async () => {
  const { default: webpack } = await load('webpack');
  const dir = join(project.dir, 'webpack');
  const stats = await new Promise((resolve, reject) =>
    webpack({ mode: 'production', context: project.dir, entry: './page.js', output: { path: dir, filename: 'page.js' } }, (error, result) =>
      error ? reject(error) : resolve(result),
    ),
  );
  assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
  writeFileSync(join(dir, 'index.html'), '<!doctype html><title>x</title><link rel="icon" href="data:,"><script src="/page.js"></script>');
  assert.deepEqual(await shown(dir), EXPECTED);
});

test('the_package_runs_in_a_single_esbuild_file', async () => {
  const { build } = (await load('esbuild')).default;
  writeFileSync(
    join(project.dir, 'one.js'),
    `import * as memfold from 'memfold';
    import wasm from 'memfold/memfold_bg.wasm';
    import { journey } from './journey.js';
    await memfold.preload({ wasm });
    console.log(JSON.stringify(await journey(memfold, 'memory')));`,
  );
  await build({
    absWorkingDir: project.dir,
    entryPoints: ['one.js'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    loader: { '.wasm': 'binary' },
    outfile: 'esbuild/one.mjs',
    logLevel: 'error',
  });
  const alone = mkdtempSync(join(tmpdir(), 'memfold-one-'));
  cpSync(join(project.dir, 'esbuild/one.mjs'), join(alone, 'one.mjs'));
  const said = execFileSync(process.execPath, ['one.mjs'], { cwd: alone, encoding: 'utf8' });
  rmSync(alone, { recursive: true });
  assert.deepEqual(JSON.parse(said), EXPECTED);
});

test('the_package_runs_in_a_durable_object_over_its_database', async () => {
  const dir = join(project.dir, 'node_modules/memfold');
  writeFileSync(
    join(dir, 'main.js'),
    `
    import { DurableObject } from 'cloudflare:workers';
    import * as memfold from './workerd.js';
    import { journey } from './journey.js';
    export class Mine extends DurableObject {
      async fetch() {
        // The journey's first memory is stored in the object, the others in memory.
        const open = (options) => memfold.open(options.storage === 'object' ? { ...options, storage: { object: this.ctx.storage } } : options);
        return Response.json(await journey({ ...memfold, open }, 'object').catch((e) => String(e.stack)));
      }
    }
    export default { fetch: (request, env) => env.MINE.getByName('one').fetch(request) };`,
  );
  cpSync(join(project.dir, 'journey.js'), join(dir, 'journey.js'));
  const others = /^(index|node)\.js$/;
  const compiled = readdirSync(dir).filter((n) => n.endsWith('.wasm'));
  const names = ['main.js', ...readdirSync(dir).filter((n) => n.endsWith('.js') && n !== 'main.js' && !others.test(n))];
  const module = (type, name) => ({ type, path: join(dir, name), contents: readFileSync(join(dir, name)) });
  const mf = new Miniflare({
    modulesRoot: dir,
    modules: [...names.map((n) => module('ESModule', n)), ...compiled.map((n) => module('CompiledWasm', n))],
    compatibilityDate: '2026-04-01',
    durableObjects: { MINE: { className: 'Mine', useSQLite: true } },
  });
  try {
    assert.deepEqual(await (await mf.dispatchFetch('http://x/')).json(), EXPECTED);
  } finally {
    await mf.dispose();
    for (const name of ['main.js', 'journey.js']) rmSync(join(dir, name));
  }
});

test('the_package_runs_in_an_extensions_service_worker_and_notifies_its_pages', async () => {
  const dir = join(project.dir, 'extension');
  mkdirSync(dir);
  cpSync(join(project.dir, 'node_modules/memfold'), join(dir, 'memfold'), { recursive: true });
  cpSync(join(project.dir, 'journey.js'), join(dir, 'journey.js'));
  writeFileSync(
    join(dir, 'manifest.json'),
    JSON.stringify({
      manifest_version: 3,
      name: 'x',
      version: '1',
      background: { service_worker: 'worker.js', type: 'module' },
      content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'" },
    }),
  );
  writeFileSync(
    join(dir, 'worker.js'),
    `import * as memfold from './memfold/index.js';
    import { journey } from './journey.js';
    globalThis.ran = journey(memfold, 'indexeddb').catch((e) => String(e.stack));
    globalThis.note = async (content) => (globalThis.memories ??= await memfold.open({ name: 'shared' })).add({ content });`,
  );
  writeFileSync(join(dir, 'page.html'), '<!doctype html><title>x</title><script type="module" src="page.js"></script>');
  writeFileSync(
    join(dir, 'page.js'),
    `import { open } from './memfold/index.js';
    const memories = await open({ name: 'shared' });
    globalThis.heard = [];
    memories.subscribe((changes) => heard.push(...changes.map((c) => [c.decision, c.by?.kind, c.own])));
    memories.live.list({}, (list) => { globalThis.texts = list.map((m) => m.content); });`,
  );
  const profile = mkdtempSync(join(tmpdir(), 'memfold-profile-'));
  const { context, worker } = await launchWithExtension(dir, profile);
  try {
    assert.deepEqual(await worker.evaluate(() => globalThis.ran), EXPECTED);
    const page = await context.newPage();
    await page.goto(new URL('page.html', worker.url()).href);
    await page.waitForFunction(() => globalThis.texts?.length === 0);
    await worker.evaluate(() => globalThis.note('The dentist is on Thursday at 10').then(() => undefined));
    await page.waitForFunction(() => globalThis.texts.length === 1 && globalThis.heard.length === 1);
    assert.deepEqual(await page.evaluate(() => [globalThis.texts, globalThis.heard]), [
      ['The dentist is on Thursday at 10'],
      [['CREATE', 'service-worker', false]],
    ]);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
});

test('publint_and_are_the_types_wrong_report_no_problems', async () => {
  const { publint } = await load('publint');
  assert.deepEqual((await publint({ pkgDir: pkg, strict: true })).messages, []);
  const { dir } = project;
  const [tarball] = readdirSync(dir).filter((n) => n.endsWith('.tgz'));
  const attw = fileURLToPath(new URL('../../node_modules/.bin/attw', import.meta.url));
  // The package is ESM only, so findings about `require` and legacy resolution are ignored.
  execFileSync(attw, [join(dir, tarball), '--profile', 'esm-only', '--exclude-entrypoints', './memfold_bg.wasm'], { stdio: 'pipe' });
});
