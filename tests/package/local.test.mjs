// On-device models in Chromium: Transformers.js with real ONNX files, and the browser's built-in model.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch, launchWithExtension } from '../chromium.mjs';
import { embedding, speaking } from './tiny.mjs';

/** Two notes about one budget, and the model's reply. */
const NOTES = ['Q1 마케팅 예산은 5000만원으로 정했다', 'Q1 마케팅 예산은 6000만원으로 정했다'];
const REPLY = JSON.stringify({
  entries: [{ op: 'update', of: 'M1', text: NOTES[1], category: 'decision', evidence: NOTES[1], analysis: { why: '같은 예산입니다', sure: 0.9 } }],
});
const PAGES = { '/': '<!doctype html><title>x</title><link rel="icon" href="data:,">' };
const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let dir;
let site;
let browser;
before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'memfold-local-'));
  symlinkSync(at('pkg'), join(dir, 'memfold'));
  symlinkSync(at('node_modules/@huggingface/transformers/dist'), join(dir, 'transformers'));
  symlinkSync(at('node_modules/onnxruntime-web/dist'), join(dir, 'ort'));
  embedding(join(dir, 'models/letters'));
  speaking(join(dir, 'models/parrot'), REPLY);
  site = await serve(dir, { pages: PAGES });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await site?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs `work` in a page of the site, by default under a strict policy; returns its result and foreign request origins. */
async function inPage(work, given, { url } = site) {
  const page = await browser.newPage();
  await page.addInitScript(`globalThis.chromes = ${chromes}`);
  const asked = [];
  page.on('request', (request) => request.url().startsWith('http') && !request.url().startsWith(url) && asked.push(new URL(request.url()).origin));
  try {
    await page.goto(url);
    return { result: await page.evaluate(work, given), asked };
  } finally {
    await page.close();
  }
}

test('weights_are_fetched_only_on_download_from_the_given_source', async () => {
  const { result, asked } = await inPage(async () => {
    const { open } = await import('/memfold/index.js');
    const { embeddings } = await import('/memfold/transformers.js');
    const library = await import('/transformers/transformers.min.js');
    const kept = { ...library.env };
    const letters = embeddings({ library, model: 'letters', from: '/models/', runtime: '/ort/', dtype: 'fp32' });
    const early = await open({ storage: 'memory', embedder: letters.embedder });
    await early.add({ content: 'The rent for the studio is 800 euros' });
    const fetched = () => performance.getEntriesByType('resource').filter((e) => /\/models\/|ort-/.test(e.name)).length;
    const before = [letters.isReady, fetched(), (await early.search('studio rents')).length, (await early.model.reembed()).embedded];
    const seen = [];
    await letters.download({ onProgress: (p) => seen.push(p) });
    const memories = await open({ storage: 'memory', embedder: { ...letters.embedder, timeout: 20_000 } });
    await memories.data.import(await early.data.export());
    await memories.add({ content: '합창단이 목요일에 연습한다' });
    const { embedded, waiting, failed, dimensions, stopped } = await memories.model.reembed();
    const [hit] = await memories.search('studio rents');
    const same = ['remoteHost', 'remotePathTemplate', 'allowRemoteModels', 'allowLocalModels', 'fetch'].every((name) => library.env[name] === kept[name]);
    return { before, ready: letters.isReady, last: seen.at(-1), report: { embedded, waiting, failed, dimensions, stopped }, hit: hit.memory.content, same };
  });
  assert.deepEqual(result.before, [false, 0, 1, 0], 'the built-in one serves, and nothing is fetched');
  assert.deepEqual(result.report, { embedded: result.report.embedded, waiting: 0, failed: 0, dimensions: 64, stopped: undefined });
  assert.deepEqual([result.ready, result.hit, result.same], [true, 'The rent for the studio is 800 euros', true]);
  assert.ok(result.last.loaded > 1_000_000 && result.last.loaded === result.last.total, JSON.stringify(result.last));
  assert.deepEqual(asked, []);
});

test('a_local_instruct_model_decides_updates', async () => {
  const { result } = await inPage(async (notes) => {
    const { open, testEndpoint } = await import('/memfold/index.js');
    const { instruct } = await import('/memfold/transformers.js');
    const library = await import('/transformers/transformers.min.js');
    const parrot = instruct({ library, model: 'parrot', from: '/models/', runtime: '/ort/', dtype: 'fp32' });
    const early = await testEndpoint(parrot.analyst);
    await parrot.download();
    const memories = await open({ storage: 'memory', model: parrot.analyst, policy: 'accurate' });
    await memories.add({ content: notes[0], threadId: 't' });
    const { entry } = await memories.add({ content: notes[1], threadId: 't' });
    return { early: early.code, decision: entry.decision, analyst: entry.analyst };
  }, NOTES);
  assert.deepEqual(result, { early: 'unreachable', decision: 'UPDATE', analyst: 'model' });
});

test('weights_come_from_the_given_source_only_and_failures_have_codes', async () => {
  const open = await serve(dir, { headers: {}, pages: PAGES });
  try {
    const { result, asked } = await inPage(
      async () => {
        const { embeddings } = await import('/memfold/transformers.js');
        const library = await import('/transformers/transformers.min.js');
        const code = (work) =>
          Promise.resolve()
            .then(work)
            .then(
              () => 'none',
              (e) => [e.code, e.field ?? null],
            );
        const options = { library, model: 'letters', from: '/models/', runtime: '/ort/', dtype: 'fp32' };
        const codes = [
          await code(() => embeddings({ ...options, model: 'none' }).download()),
          await code(() => embeddings(options).download({ signal: AbortSignal.abort() })),
          await code(() => embeddings({ ...options, from: 'https://weights.example/{model}/resolve/main/' }).download()),
          await code(() => embeddings({ ...options, from: undefined })),
          await code(() => embeddings({ ...options, library: {} })),
        ];
        // Requests by the library to any other origin are blocked.
        const sly = { ...library, env: library.env, pipeline: () => library.env.fetch('https://elsewhere.example/model.onnx') };
        return [...codes, await code(() => embeddings({ ...options, library: sly }).download())];
      },
      undefined,
      open,
    );
    assert.deepEqual(result, [
      ['connection_lost', null],
      ['aborted', null],
      ['connection_lost', null],
      ['invalid_field', 'from'],
      ['invalid_field', 'library'],
      ['connection_lost', null],
    ]);
    assert.deepEqual([...new Set(asked)], ['https://weights.example']);
  } finally {
    await open.close();
  }
});

/** A stand-in for Chrome's built-in model, which Chromium lacks. */
function chromes({ reply, state }) {
  const seen = (globalThis.seen = []);
  globalThis.LanguageModel = {
    availability: async (options) => (seen.push(['availability', options.expectedOutputs[0].languages[0]]), state.now),
    create: async ({ initialPrompts, monitor, signal }) => {
      signal?.throwIfAborted();
      if (state.now !== 'available') {
        const target = new EventTarget();
        monitor?.(target);
        for (const loaded of [0, 0.5, 1]) target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded, total: 1 }));
        if (state.broken) throw new DOMException('no network', 'NetworkError');
        state.now = 'available';
      }
      seen.push(['create', initialPrompts?.length]);
      return {
        prompt: async (text, { responseConstraint }) => (seen.push(['prompt', responseConstraint.type]), reply),
        contextUsage: 41.6,
        destroy: () => seen.push(['destroy']),
      };
    },
  };
}

test('the_browsers_model_is_fetched_only_on_download_and_gets_a_schema', async () => {
  const { result, asked } = await inPage(
    async ({ notes, reply }) => {
      const { open, testEndpoint } = await import('/memfold/index.js');
      const chrome = await import('/memfold/chrome.js');
      const none = [await chrome.availability(), await chrome.download().catch((e) => e.code)];
      const state = { now: 'downloadable', broken: true };
      globalThis.chromes({ reply, state });
      const early = [(await testEndpoint(chrome.analyst())).code, state.now, await chrome.download().catch((e) => [e.code, e.retryable])];
      state.broken = false;
      const parts = [];
      const aborted = await chrome.download({ signal: AbortSignal.abort() }).catch((e) => e.code);
      await chrome.download({ onProgress: (part) => parts.push(part) });
      globalThis.seen.length = 0;
      const memories = await open({ storage: 'memory', model: chrome.analyst(), policy: 'accurate' });
      await memories.add({ content: notes[0], threadId: 't' });
      const { entry } = await memories.add({ content: notes[1], threadId: 't' });
      const [sent] = await memories.model.sent();
      return { none, early, aborted, parts, seen: globalThis.seen, entry: [entry.decision, entry.analyst, entry.tokens], sent: [sent.model, sent.to ?? null] };
    },
    { notes: NOTES, reply: REPLY },
  );
  assert.deepEqual(result, {
    none: ['unavailable', 'unsupported'],
    early: ['unreachable', 'downloadable', ['connection_lost', true]],
    aborted: 'aborted',
    parts: [0, 0.5, 1],
    seen: [['availability', 'en'], ['create', result.seen[1][1]], ['prompt', 'object'], ['destroy']],
    entry: ['UPDATE', 'model', 42],
    sent: ['LanguageModel', null],
  });
  assert.ok(result.seen[1][1] >= 1);
  assert.deepEqual(asked, []);
});

test('an_extensions_service_worker_uses_the_browsers_model_through_an_offscreen_document', async () => {
  const extension = join(dir, 'extension');
  mkdirSync(extension);
  cpSync(at('pkg'), join(extension, 'memfold'), { recursive: true });
  writeFileSync(
    join(extension, 'manifest.json'),
    JSON.stringify({
      manifest_version: 3,
      name: 'x',
      version: '1',
      permissions: ['offscreen'],
      background: { service_worker: 'worker.js', type: 'module' },
      content_security_policy: { extension_pages: "script-src 'self' 'wasm-unsafe-eval'" },
    }),
  );
  writeFileSync(join(extension, 'model.html'), '<!doctype html><script type="module" src="model.js"></script>');
  writeFileSync(
    join(extension, 'model.js'),
    `import { answerWorker } from './memfold/chrome.js';
    ${chromes}
    chromes({ reply: ${JSON.stringify(REPLY)}, state: { now: 'available' } });
    // A prompt with this word is never answered, and the page records its abort.
    const { create } = LanguageModel;
    LanguageModel.create = async (options) => ({ ...(await create(options)), prompt: (text, { signal }) => text.includes('HANG') ? new Promise((_, no) => signal.addEventListener('abort', () => (seen.push(['gone']), no(signal.reason)))) : ${JSON.stringify(REPLY)} });
    chrome.runtime.onMessage.addListener((_, __, reply) => reply(seen));
    answerWorker();`,
  );
  writeFileSync(
    join(extension, 'worker.js'),
    `import { open } from './memfold/index.js';
    import { offscreenAnalyst } from './memfold/chrome.js';
    globalThis.run = async (notes) => {
      const analyst = offscreenAnalyst({ url: 'model.html' });
      const memories = await open({ storage: 'memory', model: analyst, policy: 'accurate' });
      await memories.add({ content: notes[0], threadId: 't' });
      const { entry } = await memories.add({ content: notes[1], threadId: 't' });
      const question = { system: 's', examples: [], text: 't', schema: { type: 'object' } };
      const both = await Promise.all([1, 2].map(() => analyst(question, { signal: new AbortController().signal })));
      const gone = await analyst({ ...question, text: 'HANG' }, { signal: AbortSignal.timeout(300) }).catch((e) => e.name);
      await new Promise((done) => setTimeout(done, 100));
      const seen = await chrome.runtime.sendMessage({});
      await chrome.offscreen.closeDocument();
      const again = await analyst(question, { signal: new AbortController().signal });
      return { decision: [entry.decision, entry.analyst], both: both.map((r) => r.tokens), gone, ended: seen.slice(-2), again: again.tokens };
    };`,
  );
  const { context, worker } = await launchWithExtension(extension, join(dir, 'profile'));
  try {
    const result = await worker.evaluate((notes) => globalThis.run(notes), NOTES);
    assert.deepEqual(result, { decision: ['UPDATE', 'model'], both: [42, 42], gone: 'TimeoutError', ended: [['gone'], ['destroy']], again: 42 });
  } finally {
    await context.close();
  }
});
