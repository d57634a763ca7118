// The installed encoder against the reference in Node, in a page, in workerd and in bundles,
// and its errors for bad files and unsuitable hosts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { Miniflare, load } from '../worker/workerd.mjs';
import { installed } from './installed.mjs';
import { pages } from './pages.mjs';
import { thorough } from '../tier.mjs';

const www = createRequire(new URL('../../www/package.json', import.meta.url));
const cases = (name) => readFileSync(new URL(`../cases/encoder/${name}`, import.meta.url));
const lines = (name) =>
  cases(name)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const TEXTS = lines('texts.jsonl');
const PAIRS = lines('pairs.jsonl');
const halves = new Uint16Array(cases('vectors.f16').buffer.slice(0));
const float = (h) => (h & 0x8000 ? -1 : 1) * ((h & 0x7c00) === 0 ? (h & 1023) * 2 ** -24 : (1 + (h & 1023) / 1024) * 2 ** (((h >> 10) & 31) - 15));
const cosine = (vector, n) => vector.reduce((sum, x, d) => sum + x * float(halves[n * 384 + d]), 0);
const SOME = [0, 1, 50, 51, 100, 101, 150, 151];

let project;
let weights;
let head;
let encoder;
before(async () => {
  project = await installed('pkg-encoder');
  weights = join(project.dir, 'node_modules/memfold-encoder/encoder.bin');
  head = join(project.dir, 'node_modules/memfold-encoder/head.bin.gz');
  ({ encoder } = await import(pathToFileURL(join(project.dir, 'node_modules/memfold/encoder-node.js')).href));
});
after(() => project?.remove());

/** The code, field and name of the error that `work` rejects with. */
const code = (work) =>
  work.then(
    () => 'no error',
    (error) => [error.code, error.field, error.name].filter((x) => x !== undefined).join(' '),
  );

/** Runs a module of the project and reads the JSON that it prints. */
function printed(name, script) {
  writeFileSync(join(project.dir, name), script);
  return JSON.parse(execFileSync(process.execPath, [name], { cwd: project.dir, encoding: 'utf8' }));
}

test('only_the_encoder_package_contains_weights', () => {
  assert.deepEqual(
    project.files.filter((name) => /\.(bin|gz)$/.test(name)),
    [],
  );
  assert.deepEqual(readdirSync(join(project.dir, 'node_modules/memfold-encoder')).sort(), [
    'LICENSE',
    'README.md',
    'encoder.bin',
    'head.bin.gz',
    'head.d.ts',
    'head.js',
    'index.d.ts',
    'index.js',
    'package.json',
  ]);
  assert.ok(statSync(weights).size <= 25_000_000);
});

test('node_finds_the_installed_weights_and_exits_on_its_own', () => {
  const result = printed(
    'node.mjs',
    `
    import { open } from 'memfold';
    import { encoder } from 'memfold/encoder';
    const seen = [];
    const embedder = await encoder({ onProgress: (p) => seen.push(p) });
    const memories = await open({ storage: 'memory', embedder });
    await memories.add('월세는 매달 5일에 낸다');
    await memories.add('The cat needs a new litter box');
    const [hit] = await memories.search('when is the rent due?');
    console.log(JSON.stringify({ found: hit.memory.content, last: seen.at(-1), grows: seen.every((p, n) => n === 0 || p.loaded > seen[n - 1].loaded), keys: Object.keys(embedder), dimensions: embedder.dimensions, storage: embedder.storage, stored: await encoder.stored(), sent: await memories.model.sent() }));`,
  );
  const { size } = statSync(weights);
  assert.deepEqual(result, {
    found: '월세는 매달 5일에 낸다',
    last: { loaded: size, total: size },
    grows: true,
    keys: ['model', 'dimensions', 'local', 'embed'],
    dimensions: 384,
    storage: { stored: false },
    stored: { weights: false, head: false, bytes: 0 },
    sent: [],
  });
});

test('vectors_and_judgements_match_the_reference', async () => {
  const embedder = await encoder({ source: pathToFileURL(weights), head });
  try {
    for (const kind of ['query', 'document']) {
      const chosen = SOME.filter((n) => TEXTS[n].kind === kind);
      const vectors = await embedder.embed(
        chosen.map((n) => TEXTS[n].text),
        { kind },
      );
      chosen.forEach((n, i) => assert.ok(cosine(vectors[i], n) > 0.9995, `${TEXTS[n].text}: ${cosine(vectors[i], n)}`));
    }
    const judged = await embedder.judge(PAIRS.slice(0, 6).map((p) => [p.stored, p.new, p.sameThread]));
    PAIRS.slice(0, 6).forEach(({ log }, n) => log.forEach((x, o) => assert.ok(Math.abs(Math.exp(x) - Math.exp(judged[n * 4 + o])) < 0.03, `${n}`)));
    assert.deepEqual([await embedder.embed([]), (await embedder.judge([])).length], [[], 0]);
  } finally {
    embedder.close();
  }
});

test('engine_and_compare_use_the_head_for_a_bilingual_pair', async () => {
  const { compare, open } = await import(pathToFileURL(join(project.dir, 'node_modules/memfold/node.js')).href);
  const embedder = await encoder({ source: weights, head });
  const [existing, next] = [{ content: '이 팀장이 프로젝트를 맡고 있다' }, { content: 'Ms Kim now leads the project instead of Mr Lee' }];
  const memories = await open({ storage: 'memory', embedder });
  try {
    const [alone, both] = [await compare(existing, next), await compare(existing, next, { embedder })];
    assert.deepEqual([alone.outcome === 'UPDATE', alone.sure, both.outcome], [false, false, 'UPDATE']);
    const names = /^trees [A-Z_]+ \.\d\d, encoder UPDATE \.\d\d$/;
    assert.equal(both.keyFactors[0].code, 'encoder');
    assert.match(both.keyFactors[0].evidence, names);
    await memories.add(existing);
    const { entry } = await memories.add(next);
    assert.match(entry.reasons.find((r) => r.code === 'encoder').evidence, names);
    // The encoder runs locally, so only a failure would be recorded.
    assert.deepEqual(await memories.model.sent(), []);
  } finally {
    await memories.close();
    embedder.close();
  }
});

test('unusable_files_are_rejected_with_a_code', async () => {
  const bytes = readFileSync(weights);
  const changed = (at, by) => {
    const copy = Uint8Array.from(bytes);
    copy[at] ^= by;
    return copy;
  };
  const other = join(project.dir, 'other.bin');
  writeFileSync(other, changed(30, 1));
  const damagedHead = readFileSync(head);
  damagedHead.fill(0, 3_000_000, 3_001_000);
  const results = {
    truncated: await code(encoder({ source: bytes.subarray(0, 20_000_000) })),
    empty: await code(encoder({ source: new Uint8Array() })),
    page: await code(encoder({ source: new Blob(['<!doctype html>'.repeat(20)]) })),
    damaged: await code(encoder({ source: changed(20_000_000, 8) })),
    version: await code(encoder({ source: changed(12, 2) })),
    'another release': await code(encoder({ source: other })),
    'a head as weights': await code(encoder({ source: head })),
    'weights as a head': await code(encoder({ source: weights, head: bytes })),
    'a damaged head': await code(encoder({ source: weights, head: new Uint8Array(damagedHead) })),
    'no file': await code(encoder({ source: join(project.dir, 'nowhere.bin') })),
    'no server': await code(encoder({ source: 'http://127.0.0.1:9/encoder.bin' })),
    'no source': await code(encoder({ source: 7 })),
    'an unknown option': await code(encoder({ sources: 'x' })),
  };
  assert.deepEqual(results, {
    truncated: 'invalid_weights source MemfoldError',
    empty: 'invalid_weights source MemfoldError',
    page: 'invalid_weights source MemfoldError',
    damaged: 'invalid_weights source MemfoldError',
    version: 'wrong_weights source MemfoldError',
    'another release': 'wrong_weights source MemfoldError',
    'a head as weights': 'invalid_weights source MemfoldError',
    'weights as a head': 'invalid_weights head MemfoldError',
    'a damaged head': 'invalid_weights head MemfoldError',
    'no file': 'invalid_field source MemfoldError',
    'no server': 'connection_lost source MemfoldError',
    'no source': 'invalid_field source MemfoldError',
    'an unknown option': 'unknown_field sources MemfoldError',
  });
});

test('loading_and_embedding_stop_on_abort_and_close', async () => {
  const loading = new AbortController();
  assert.equal(await code(encoder({ source: weights, signal: loading.signal, onProgress: () => loading.abort() })), 'aborted MemfoldError');
  const embedder = await encoder({ source: weights });
  const controller = new AbortController();
  const many = code(embedder.embed(Array(1_000).fill('The lease ends in May'), { signal: controller.signal }));
  // A short call is served while a long one runs.
  const [vector] = await embedder.embed(['lease'], { kind: 'query' });
  assert.equal(vector.length, 384);
  controller.abort();
  assert.equal(await many, 'aborted MemfoldError');
  assert.equal((await embedder.embed(['May'])).length, 1);
  const last = code(embedder.embed(Array(1_000).fill('The lease ends in May')));
  embedder.close();
  assert.deepEqual([await last, await code(embedder.embed(['x']))], ['closed MemfoldError', 'closed MemfoldError']);
});

test('invalid_arguments_are_rejected', async () => {
  const embedder = await encoder({ source: weights });
  assert.deepEqual(
    [
      await code(embedder.embed('text')),
      await code(embedder.embed([1])),
      await code(embedder.embed(['x'], { kind: 'other' })),
      await code(embedder.judge([['a', 'b']])),
      embedder.judges,
    ],
    ['invalid_field texts MemfoldError', 'invalid_field texts MemfoldError', 'invalid_field kind MemfoldError', 'unsupported head MemfoldError', false],
  );
  embedder.close();
});

test('a_page_loads_the_encoder_in_a_worker_and_caches_the_files', async () => {
  const site = await pages(project.dir);
  try {
    const page = await site.page(`
      import { encoder } from '/node_modules/memfold/encoder.js';
      import { open } from '/node_modules/memfold/worker.js';
      import weights from '/node_modules/memfold-encoder/index.js';
      import head from '/node_modules/memfold-encoder/head.js';
      Object.assign(globalThis, { encoder, weights, head, open });
      globalThis.code = (work) => work.then(() => 'no error', (e) => e.code);
      globalThis.fetches = () => performance.getEntriesByType('resource').filter((r) => /\\.(bin|gz)$/.test(r.name)).length;`);
    const first = await page.evaluate(
      async ([texts, pairs]) => {
        const before = await encoder.stored();
        const seen = [];
        const e = await encoder({ source: weights, head, onProgress: (p) => seen.push(p) });
        globalThis.e = e;
        return {
          before,
          last: seen.at(-1),
          storage: e.storage,
          stored: await encoder.stored(),
          vectors: (await e.embed(texts, { kind: 'query' })).map((v) => [...v]),
          judged: [...(await e.judge(pairs))],
        };
      },
      [[0, 100].map((n) => TEXTS[n].text), PAIRS.slice(0, 2).map((p) => [p.stored, p.new, p.sameThread])],
    );
    const bytes = statSync(weights).size + statSync(head).size;
    assert.deepEqual(
      [first.before, first.last, first.storage, first.stored],
      [{ weights: false, head: false, bytes: 0 }, { loaded: bytes, total: bytes }, { stored: true }, { weights: true, head: true, bytes }],
    );
    [0, 100].forEach((n, i) => assert.ok(cosine(first.vectors[i], n) > 0.9995));
    PAIRS.slice(0, 2).forEach(({ log }, n) => log.forEach((x, o) => assert.ok(Math.abs(Math.exp(x) - Math.exp(first.judged[n * 4 + o])) < 0.03)));

    // An engine in a worker uses it as well.
    const evidence = await page.evaluate(async () => {
      const memories = await open({ storage: 'memory', worker: { run: 'dedicated' }, embedder: e });
      await memories.add({ content: '이 팀장이 프로젝트를 맡고 있다' });
      const { entry } = await memories.add({ content: 'Ms Kim now leads the project instead of Mr Lee' });
      await memories.close();
      return entry.reasons.find((r) => r.code === 'encoder')?.evidence;
    });
    assert.match(evidence, /encoder UPDATE/);

    // After a reload nothing is fetched, even without a source.
    await page.reload();
    await page.waitForFunction(() => globalThis.ready);
    const again = await page.evaluate(async () => {
      const e = await encoder({ head });
      const [v] = await e.embed(['lease']);
      e.close();
      return [v.length, e.judges, fetches()];
    });
    assert.deepEqual(again, [384, true, 0]);

    // A damaged cached copy is replaced, and `remove()` deletes it.
    const repaired = await page.evaluate(async () => {
      const cache = await caches.open('memfold-encoder');
      for (const key of await cache.keys()) await cache.put(key, new Response('not weights'));
      const e = await encoder({ source: weights, head });
      e.close();
      const after = await encoder.stored();
      await encoder.remove();
      return [after.bytes, await encoder.stored(), await code(encoder())];
    });
    assert.deepEqual(repaired, [bytes, { weights: false, head: false, bytes: 0 }, 'invalid_field']);
  } finally {
    await site.close();
  }
});

test('missing_host_features_are_reported_to_the_page', async () => {
  const site = await pages(project.dir);
  try {
    const page = await site.page(`
      import { encoder } from '/node_modules/memfold/encoder.js';
      import weights from '/node_modules/memfold-encoder/index.js';
      Object.assign(globalThis, { encoder, weights });
      globalThis.code = (work) => work.then(() => 'no error', (e) => e.code);`);
    const results = await page.evaluate(async () => {
      const results = {};
      const { validate, Instance } = WebAssembly;
      WebAssembly.validate = () => false;
      results['no SIMD'] = await code(encoder({ source: weights, worker: false }));
      WebAssembly.validate = validate;
      WebAssembly.Instance = function () {
        throw new RangeError('could not allocate memory');
      };
      results['no memory'] = await code(encoder({ source: weights, worker: false }));
      WebAssembly.Instance = Instance;
      results['no script'] = await code(encoder({ source: weights, worker: () => new Worker('/nowhere.js', { type: 'module' }) }));
      const open = caches.open.bind(caches);
      caches.open = () => Promise.reject(new DOMException('no room', 'QuotaExceededError'));
      const full = await encoder({ source: weights, worker: false });
      results['no room'] = [full.storage.stored, full.storage.error.code, (await full.embed(['x'])).length];
      full.close();
      caches.open = open;
      const kept = await encoder({ source: weights, store: false });
      results['not to be stored'] = [kept.storage, await encoder.stored()];
      kept.close();
      // A lost worker rejects pending calls, and the next call starts another.
      let worker;
      const lost = await encoder({ source: weights, worker: () => (worker = new Worker('/node_modules/memfold/encoder-host.js', { type: 'module' })) });
      const waiting = code(lost.embed(Array(100).fill('The lease ends in May')));
      const before = worker;
      worker.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' }));
      results.lost = [await waiting, (await lost.embed(['x'])).length, worker !== before];
      lost.close();
      return results;
    });
    assert.deepEqual(results, {
      'no SIMD': 'unsupported',
      'no memory': 'out_of_memory',
      'no script': 'unsupported',
      'no room': [false, 'quota_exceeded', 1],
      'not to be stored': [{ stored: false }, { weights: false, head: false, bytes: 0 }],
      lost: ['connection_lost', 1, true],
    });
  } finally {
    await site.close();
  }
});

thorough('vite_and_webpack_builds_include_worker_and_weights', async () => {
  writeFileSync(
    join(project.dir, 'app.js'),
    `import { encoder } from 'memfold/encoder';
import weights from 'memfold-encoder';
encoder({ source: weights }).then(async (e) => { globalThis.result = (await e.embed(['lease']))[0].length; }, (e) => { globalThis.result = e.message; });`,
  );
  const html = (script) => `<!doctype html><title>x</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
  writeFileSync(join(project.dir, 'index.html'), html('/app.js'));
  const { build } = await import(pathToFileURL(www.resolve('vite')).href);
  await build({ root: project.dir, logLevel: 'error', configFile: false, build: { outDir: 'vite', target: 'es2022' } });
  const { default: webpack } = await load('webpack');
  const dir = join(project.dir, 'webpack');
  mkdirSync(dir);
  writeFileSync(join(dir, 'index.html'), html('/app.js'));
  const stats = await new Promise((resolve, reject) =>
    webpack({ mode: 'production', context: project.dir, entry: './app.js', output: { path: dir, filename: 'app.js' } }, (error, result) =>
      error ? reject(error) : resolve(result),
    ),
  );
  assert.deepEqual(stats.toJson({ all: false, errors: true }).errors, []);
  const browser = await launch();
  try {
    for (const built of ['vite', 'webpack']) {
      const site = await serve(join(project.dir, built), {});
      const page = await browser.newPage();
      await page.goto(site.url);
      await page.waitForFunction(() => 'result' in globalThis, null, { timeout: 60_000 });
      assert.equal(await page.evaluate('result'), 384, built);
      await site.close();
    }
  } finally {
    await browser.close();
  }
});

test('a_cloudflare_worker_loads_the_encoder_from_assets', async () => {
  const dir = join(project.dir, 'node_modules/memfold');
  const { build } = (await load('esbuild')).default;
  writeFileSync(
    join(project.dir, 'main.js'),
    `import { encoder } from 'memfold/encoder';
    export default { async fetch(request, env) {
      const path = new URL(request.url).pathname;
      try {
        const e = await encoder({ source: await env.ASSETS.fetch('http://assets' + path) });
        return Response.json([(await e.embed(['lease']))[0].length, e.storage, await encoder.stored()]);
      } catch (error) {
        return Response.json([error.code, error.message]);
      }
    } };`,
  );
  const out = join(project.dir, 'workerd');
  await build({
    absWorkingDir: project.dir,
    entryPoints: ['main.js'],
    bundle: true,
    format: 'esm',
    conditions: ['workerd'],
    external: ['*.wasm'],
    outfile: join(out, 'main.js'),
    logLevel: 'error',
  });
  copyFileSync(join(dir, 'encoder_bg.wasm'), join(out, 'encoder_bg.wasm'));
  const module = (type, name) => ({ type, path: join(out, name), contents: readFileSync(join(out, name)) });
  const bytes = readFileSync(weights);
  const assets = { '/encoder.bin': bytes, '/short.bin': bytes.subarray(0, 1_000_000) };
  const mf = new Miniflare({
    modulesRoot: out,
    modules: [module('ESModule', 'main.js'), module('CompiledWasm', 'encoder_bg.wasm')],
    compatibilityDate: '2026-04-01',
    serviceBindings: {
      ASSETS: (request) => new Response(assets[new URL(request.url).pathname] ?? 'not found', { status: new URL(request.url).pathname in assets ? 200 : 404 }),
    },
  });
  try {
    const ask = async (path) => (await mf.dispatchFetch(`http://x${path}`)).json();
    assert.deepEqual(await ask('/encoder.bin'), [384, { stored: false }, { weights: false, head: false, bytes: 0 }]);
    assert.equal((await ask('/short.bin'))[0], 'invalid_weights');
    assert.equal((await ask('/nowhere'))[0], 'connection_lost');
  } finally {
    await mf.dispose();
  }
});
