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
before(async () => {
  project = await installed();
  cpSync(fileURLToPath(new URL('journey.js', import.meta.url)), join(project.dir, 'journey.js'));
});
after(() => project.remove());

/** Runs a module of the project and reads the JSON that it prints. */
function printed(name, code, ...flags) {
  writeFileSync(join(project.dir, name), code);
  return JSON.parse(execFileSync(process.execPath, [...flags, name], { cwd: project.dir, encoding: 'utf8' }));
}

test('the_tarball_contains_only_entries_types_and_licences', () => {
  assert.deepEqual(project.files, [
    'LICENSE-APACHE',
    'LICENSE-MIT',
    'LICENSES-CLI',
    'README.md',
    'ai-sdk.d.ts',
    'ai-sdk.js',
    'api.d.ts',
    'api.js',
    'arguments.js',
    'backing.d.ts',
    'backing.js',
    'base64.js',
    'browser.js',
    'changes.d.ts',
    'changes.js',
    'chrome.d.ts',
    'chrome.js',
    'cli.js',
    'context.d.ts',
    'context.js',
    'data.d.ts',
    'data.js',
    'embeddings.d.ts',
    'embeddings.js',
    'encoder-bindings.js',
    'encoder-bytes.js',
    'encoder-core.js',
    'encoder-face.d.ts',
    'encoder-face.js',
    'encoder-files.js',
    'encoder-host-node.js',
    'encoder-host.d.ts',
    'encoder-host.js',
    'encoder-node.js',
    'encoder-running.js',
    'encoder-serving.js',
    'encoder-source.d.ts',
    'encoder-source.js',
    'encoder-workerd.js',
    'encoder.d.ts',
    'encoder.js',
    'encoder_bg.wasm',
    'engine.js',
    'error.d.ts',
    'error.js',
    'estimate.js',
    'graph.d.ts',
    'graph.js',
    'hints.js',
    'host.d.ts',
    'host.js',
    'index.d.ts',
    'index.js',
    'indexeddb.js',
    'live.d.ts',
    'live.js',
    'log.d.ts',
    'log.js',
    'memfold.js',
    'memfold_bg.wasm',
    'memories.d.ts',
    'memories.js',
    'model.d.ts',
    'model.js',
    'models.d.ts',
    'models.js',
    'node.js',
    'open.d.ts',
    'open.js',
    'options.d.ts',
    'options.js',
    'package.json',
    'place.d.ts',
    'place.js',
    'port.js',
    'probe.js',
    'react.d.ts',
    'react.js',
    'receipts.d.ts',
    'receipts.js',
    'remote.js',
    'require.cjs',
    'require.d.cts',
    'review.d.ts',
    'review.js',
    'serving.js',
    'sleep.d.ts',
    'sleep.js',
    'source.d.ts',
    'source.js',
    'sql.js',
    'sqlite.js',
    'storage.d.ts',
    'storage.js',
    'sync.d.ts',
    'sync.js',
    'transformers.d.ts',
    'transformers.js',
    'troubles.d.ts',
    'troubles.js',
    'types.d.ts',
    'wasm.d.ts',
    'worker-host.d.ts',
    'worker-host.js',
    'worker.d.ts',
    'worker.js',
    'workerd.js',
  ]);
});

test('the_declarations_are_few_and_speak_typescript', () => {
  const read = (name) => readFileSync(join(project.dir, 'node_modules/memfold', name), 'utf8');
  const exported = [...read('api.d.ts').matchAll(/export type \{([^}]*)\}/g)].flatMap(([, names]) => names.match(/\w+/g));
  assert.ok(exported.length <= 60, `${exported.length} types`);
  const odd = project.files
    .filter((name) => name.endsWith('.d.ts'))
    .flatMap((name) => read(name).match(/.*(?:crate::|memfold::|\bRust\b|#\[|\[`|\bOption<|\bVec<|assert_eq!).*/g) ?? []);
  assert.deepEqual(odd, []);
});

test('the_manifest_lists_every_runtime_and_the_crates_version', () => {
  const manifest = JSON.parse(readFileSync(join(project.dir, 'node_modules/memfold/package.json'), 'utf8'));
  const cargo = readFileSync(new URL('../../Cargo.toml', import.meta.url), 'utf8');
  assert.equal(manifest.version, /^version = "(.+)"$/m.exec(cargo)[1]);
  assert.deepEqual(Object.keys(manifest.exports['.']), ['workerd', 'node', 'types', 'browser', 'default']);
  assert.deepEqual(Object.keys(manifest.exports), [
    '.',
    './worker',
    './worker-host',
    './encoder',
    './encoder-host',
    './live',
    './storage',
    './react',
    './chrome',
    './transformers',
    './ai-sdk',
    './memfold_bg.wasm',
    './package.json',
  ]);
  // Both peer dependencies are optional.
  assert.deepEqual(Object.keys(manifest.peerDependencies), Object.keys(manifest.peerDependenciesMeta));
  assert.equal(manifest.dependencies, undefined);
});

test('node_loads_the_installed_package', () => {
  const result = printed(
    'node.mjs',
    `
    import * as memfold from 'memfold';
    import { journey } from './journey.js';
    console.log(JSON.stringify(await journey(memfold, 'memory')));`,
  );
  assert.deepEqual(result, EXPECTED);
});

test('why_lists_the_decisions_of_all_versions_and_answers_show_the_parsed_question', () => {
  const result = printed(
    'why.mjs',
    `
    import { open } from 'memfold';
    const memories = await open({ storage: 'memory', zone: 540 });
    const say = (content, threadId) => memories.add({ content, threadId });
    await say('The kickoff meeting is on 22 January at 2 pm in room 3', 't1');
    await say('The cat needs a new litter box', 't2');
    const { memory } = await say('The kickoff meeting was moved to 3 pm', 't1');
    const told = (entries) => entries.map((e) => [e.decision, e.reason.length > 0 && e.reasons.length > 0]);
    const [first] = await memories.history(memory.id);
    const answer = await memories.explainSearch('금요일까지 해야 할 일이 뭐야?', { now: '2025-04-17T03:00:00Z' });
    console.log(JSON.stringify({
      newest: told(await memories.why(memory.id)), first: told(await memories.why(first.id)), nothing: await memories.why('01a20982-9788-700e-adbe-5ef90fcfaa85').catch(({ code }) => code),
      read: [answer.kind, answer.only, answer.lists, answer.from, answer.to],
    }));`,
  );
  const decided = [
    ['CREATE', true],
    ['UPDATE', true],
  ];
  assert.deepEqual(result, {
    newest: decided,
    first: decided,
    nothing: 'not_found',
    read: ['what', 'due', true, '2025-04-16T15:00:00.000Z', '2025-04-18T15:00:00.000Z'],
  });
});

test('an_application_analyst_is_called_and_its_faults_lose_nothing', () => {
  const result = printed(
    'analyst.mjs',
    `
    import { open } from 'memfold';
    const hang = () => new Promise(() => {});
    const said = (question) => {
      const text = 'Q1 마케팅 예산은 6000만원으로 정했다';
      return { op: 'update', of: question.candidates[0].handle, text, evidence: text, analysis: { why: '같은 예산입니다', sure: 0.9 } };
    };
    const good = (question) => ({ entries: [said(question)], tokens: 12 });
    const analysts = {
      good, async: async (q) => good(q), text: (q) => '\`\`\`json\\n' + JSON.stringify({ ...good(q), tokens: undefined }) + '\\n\`\`\`',
      throws: () => { throw new Error('no'); }, rejects: async () => { throw 1; }, hangs: hang,
      nothing: () => undefined, nan: (q) => ({ entries: [{ ...said(q), op: NaN }] }),
      circular: () => { const x = {}; x.x = x; return x; }, deletes: () => ({ delete: ['M1'] }),
    };
    const results = {};
    for (const [name, analyst] of Object.entries(analysts)) {
      let signal, asked;
      const memories = await open({
        storage: 'memory',
        policy: 'accurate',
        model: { timeout: 80, analyst: (question, call) => { asked = question; ({ signal } = call); return analyst(question); } },
      });
      await memories.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't' });
      const { entry } = await memories.add({ content: 'Q1 마케팅 예산은 6000만원으로 정했다', threadId: 't' });
      const kept = (await memories.list({ includeSuperseded: true })).length;
      const refused = entry.reasons.find((r) => r.kind === 'model_refused')?.error;
      results[name] = refused ? [entry.analyst, refused, entry.needsReview, kept, signal.aborted] : [entry.analyst, entry.decision, name === 'text' ? entry.tokens > 300 : entry.tokens, kept, signal.aborted];
      results.asked = [asked.language, asked.candidates.map((c) => c.handle), asked.schema.required, asked.text.includes('5000만원')];
    }
    const controller = new AbortController();
    const memories = await open({ storage: 'memory', policy: 'accurate', model: () => (setTimeout(() => controller.abort(), 20), hang()) });
    await memories.add({ content: 'Q1 마케팅 예산은 5000만원으로 정했다', threadId: 't' });
    const start = performance.now();
    results.aborted = await memories.add({ content: 'Q1 마케팅 예산은 6000만원으로 정했다', threadId: 't' }, { signal: controller.signal }).catch((e) => e.code);
    results.waited = performance.now() - start < 2_000;
    results.written = (await memories.log.list()).length;
    for (const options of [{ model: { analyst: 'x' } }, { model: { analyst() {}, timeout: 0 } }]) {
      results[JSON.stringify(options)] = await open({ storage: 'memory', ...options }).catch((e) => e.code + ':' + e.field);
    }
    console.log(JSON.stringify(results));
    process.exit();`,
  );
  const stands = (why, aborted = false) => ['local', why, true, 2, aborted];
  assert.deepEqual(result, {
    aborted: 'aborted',
    waited: true,
    written: 1,
    asked: ['ko', ['M1'], ['entries'], true],
    good: ['model', 'UPDATE', 12, 2, false],
    async: ['model', 'UPDATE', 12, 2, false],
    text: ['model', 'UPDATE', true, 2, false],
    throws: stands('failed'),
    rejects: stands('failed'),
    hangs: stands('timeout', true),
    nothing: stands('failed'),
    nan: stands('malformed'),
    circular: stands('failed'),
    deletes: stands('malformed'),
    '{"model":{"analyst":"x"}}': 'invalid_field:model.analyst',
    '{"model":{"timeout":0}}': 'invalid_field:model.timeout',
  });
});

test('the_workerd_entry_takes_a_compiled_module_and_does_nothing_before_the_first_call', () => {
  writeFileSync(
    join(project.dir, 'workerd-like.mjs'),
    `
    import { register } from 'node:module';
    const hook = \`
      export async function load(url, context, next) {
        if (!url.endsWith('.wasm')) return next(url, context);
        const source = "import { readFileSync } from 'node:fs'; export default new WebAssembly.Module(readFileSync(new URL(" + JSON.stringify(url) + ")));";
        return { format: 'module', shortCircuit: true, source };
      }\`;
    register('data:text/javascript,' + encodeURIComponent(hook));`,
  );
  const result = printed(
    'workerd.mjs',
    `
    const [now, random] = [Date.now, Math.random];
    Date.now = Math.random = () => { throw new Error('asked at module scope'); };
    const memfold = await import('memfold');
    [Date.now, Math.random] = [now, random];
    const { journey } = await import('./journey.js');
    console.log(JSON.stringify(await journey(memfold, 'memory')));`,
    '--conditions=workerd',
    '--import=./workerd-like.mjs',
  );
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
    const result = await inChromium(
      {
        'page.js': `
      import * as memfold from 'memfold';
      import { journey } from './journey.js';
      globalThis.result = await journey(memfold, '${store}').catch((e) => String(e.stack));`,
      },
      (page) => page.evaluate('result'),
    );
    assert.deepEqual(result, EXPECTED);
  });
}

test('a_module_worker_loads_it', async () => {
  const result = await inChromium(
    {
      'page.js': `new Worker('/worker.js', { type: 'module' }).onmessage = (e) => { globalThis.result = e.data; };`,
      'worker.js': `
      import * as memfold from '/node_modules/memfold/index.js';
      import { journey } from './journey.js';
      postMessage(await journey(memfold, 'indexeddb').catch((e) => String(e.stack)));`,
    },
    (page) => page.evaluate('result'),
  );
  assert.deepEqual(result, EXPECTED);
});
