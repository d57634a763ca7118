// The SIMD vector scan: equal results in Node and Chromium, and a coded error on hosts without SIMD.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { installed } from './installed.mjs';
import { vector } from './stub.mjs';

const WITHOUT_SIMD = '--no-enable-sse4-1';
// Only V8 on x64 has a flag that disables SIMD.
const skip = process.arch !== 'x64';

/** Imports the sample inbox and searches it with the built-in embedder and an application's. */
const ANSWERS = `
  import * as memfold from 'memfold';
  ${vector}
  let now = 1_770_000_000_000;
  Date.now = () => (now += 1);
  const QUESTIONS = ['마케팅 예산 얼마야?', 'kickoff meeting', 'who approved the contract?', '이번 주 일정', 'Q1 목표', 'invoice', '납품 언제', 'training'];
  export async function answers(mbox) {
    const embed = (texts) => texts.map(vector);
    const said = [];
    for (const embedder of [undefined, { model: 'letters', dimensions: 96, embed }]) {
      const memories = await memfold.open({ storage: 'memory', owner: ['user@example.com'], ...(embedder && { embedder }) });
      const report = await memories.importMail(mbox);
      const log = (await memories.log.list({ limit: 1_000 })).map((e) => [e.decision, e.confidence, e.reason]);
      const hits = [];
      for (const question of QUESTIONS) hits.push((await memories.search(question, { limit: 20 })).map((hit) => [hit.memory.content, hit.score]));
      said.push({ drafts: report.drafts, log, hits });
      await memories.close();
    }
    return said;
  }`;
const PAGE = `<!doctype html><meta charset="utf-8"><title>memfold</title>
<script type="importmap" nonce="map">{"imports":{"memfold":"/node_modules/memfold/index.js"}}</script>
<script type="module" src="/page.js"></script>`;
/** The content security policy of extensions. */
const POLICY = "default-src 'none'; script-src 'self' 'nonce-map' 'wasm-unsafe-eval'; connect-src 'self'";

let project;
let expected;
before(async () => {
  project = await installed();
  const file = (name, text) => writeFileSync(join(project.dir, name), text);
  file('answers.js', ANSWERS);
  file(
    'node.js',
    `
    import { readFileSync } from 'node:fs';
    import { answers } from './answers.js';
    console.log(JSON.stringify(await answers(readFileSync('sample.mbox')).catch(({ code, message }) => ({ code, message }))));`,
  );
  file(
    'page.js',
    `
    import { answers } from './answers.js';
    const mbox = await (await fetch('/sample.mbox')).arrayBuffer();
    globalThis.result = await answers(mbox).catch(({ code, message }) => ({ code, message }));`,
  );
  cpSync(fileURLToPath(new URL('../inbox/sample.mbox', import.meta.url)), join(project.dir, 'sample.mbox'));
  expected = inNode();
});
after(() => project.remove());

function inNode(...flags) {
  return JSON.parse(execFileSync(process.execPath, [...flags, 'node.js'], { cwd: project.dir, encoding: 'utf8', maxBuffer: 1 << 26 }));
}

async function inChromium(...flags) {
  const site = await serve(project.dir, { pages: { '/': PAGE }, headers: { 'content-security-policy': POLICY } });
  const browser = await launch({ args: flags });
  try {
    const page = await browser.newPage();
    await page.goto(site.url);
    await page.waitForFunction(() => 'result' in globalThis, null, { timeout: 60_000 });
    return await page.evaluate('result');
  } finally {
    await browser.close();
    await site.close();
  }
}

test('node_and_chromium_under_a_strict_policy_give_the_same_answers', async () => {
  assert.ok(expected.every(({ drafts, log, hits }) => drafts > 50 && log.length > 50 && hits.filter((h) => h.length > 0).length > 4));
  assert.deepEqual(await inChromium(), expected);
});

test('a_host_without_simd_gets_an_error', { skip }, async () => {
  const told = { code: 'unsupported', message: 'this host has no SIMD in WebAssembly, which the engine needs' };
  assert.deepEqual(inNode(WITHOUT_SIMD), told);
  assert.deepEqual(await inChromium(`--js-flags=${WITHOUT_SIMD}`), told);
});
