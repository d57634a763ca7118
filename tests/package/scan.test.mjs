// The scan by kernels and by plain loops: the same sums, and the same answers where an engine has no SIMD.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import kernels from '../../pkg/simd.js';
import { serve } from '../../www/serve.mjs';
import { launch } from '../chromium.mjs';
import { installed } from './installed.mjs';
import { vector } from './stub.mjs';

const CHUNK = 1_024;
const WITHOUT_SIMD = '--no-enable-sse4-1';
// Elsewhere V8 has no switch for it.
const skip = process.arch !== 'x64';

/** Consolidates the sample inbox and asks it, by the built-in embedder (columns) and by an application's (tiles). */
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
      const memories = await memfold.open({ store: 'memory', owner: ['user@example.com'], ...(embedder && { embedder }) });
      const report = await memories.ingest(mbox);
      const log = (await memories.data.log({ limit: 1_000 })).map((e) => [e.decision, e.confidence, e.reason]);
      const hits = [];
      for (const question of QUESTIONS) hits.push((await memories.search(question, { k: 20 })).map((hit) => [hit.memory.content, hit.score]));
      said.push({ scan: memories.scan, drafts: report.drafts, log, hits });
      await memories.close();
    }
    return said;
  }`;
const PAGE = `<!doctype html><meta charset="utf-8"><title>memfold</title>
<script type="importmap" nonce="map">{"imports":{"memfold":"/node_modules/memfold/index.js"}}</script>
<script type="module" src="/page.js"></script>`;
/** As extensions have it. */
const POLICY = "default-src 'none'; script-src 'self' 'nonce-map' 'wasm-unsafe-eval'; connect-src 'self'";

let project;
let expected;
before(() => {
  project = installed();
  const file = (name, text) => writeFileSync(join(project.dir, name), text);
  file('answers.js', ANSWERS);
  file('node.js', `
    import { readFileSync } from 'node:fs';
    import { answers } from './answers.js';
    console.log(JSON.stringify(await answers(readFileSync('sample.mbox'))));`);
  file('page.js', `
    import { answers } from './answers.js';
    const mbox = await (await fetch('/sample.mbox')).arrayBuffer();
    globalThis.result = await answers(mbox).catch((e) => String(e.stack));`);
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

const scanned = (answers, scan) => answers.map((a) => ({ ...a, scan }));

test('simd_is_used_in_node_and_under_a_strict_policy_in_chromium_with_the_same_answers', async () => {
  assert.deepEqual(expected.map((a) => a.scan), ['simd128', 'simd128']);
  assert.ok(expected.every(({ drafts, log, hits }) => drafts > 50 && log.length > 50 && hits.filter((h) => h.length > 0).length > 4));
  assert.deepEqual(await inChromium(), expected);
});

test('an_engine_without_simd_opens_decides_and_finds_the_same', { skip }, async () => {
  assert.deepEqual(inNode(WITHOUT_SIMD), scanned(expected, 'plain'));
  assert.deepEqual(await inChromium(`--js-flags=${WITHOUT_SIMD}`), scanned(expected, 'plain'));
});

test('where_no_kernel_can_be_made_the_plain_loops_do_it', () => {
  // A host that makes modules as they are fetched, and none from bytes at hand.
  writeFileSync(join(project.dir, 'strict.mjs'), `
    WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError('blocked by policy'); } };`);
  assert.deepEqual(inNode('--import=./strict.mjs'), scanned(expected, 'plain'));
});

test('the_kernels_give_the_bits_of_loops_written_plainly', () => {
  let state = 7;
  const next = (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % most;
  };
  const f = Math.fround;
  const real = () => f(next(2_001) / 1_000 - 1);
  assert.deepEqual(kernels.map(([name]) => name), ['simd128']);
  for (const [name, text] of kernels) {
    const memory = new WebAssembly.Memory({ initial: 40 });
    const kernel = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(text, 'base64')), { env: { memory } }).exports;
    const view = new DataView(memory.buffer);
    const [SUMS, ROWS, LINE, TURNS, PAIRS, NUMBERS, CODES] = [0, 4_096, 4_352, 8_192, 65_536, 131_072, 262_144];
    const sums = () => Array.from(new Int32Array(memory.buffer, SUMS, CHUNK));
    for (const width of [1, 2, 7, 64, 384]) {
      const wide = width + (width % 2);
      const codes = Array.from({ length: CHUNK }, () => Array.from({ length: wide }, (_, at) => (at < width ? next(255) - 127 : 0)));
      const levels = Array.from({ length: wide }, (_, at) => (at < width ? [0, next(65_535) - 32_767][next(2)] : 0));
      const plain = codes.map((row) => row.reduce((sum, code, at) => (sum + code * levels[at]) | 0, 0));

      codes.forEach((row, n) => row.forEach((code, at) => view.setInt8(CODES + at * CHUNK + n, code)));
      const some = levels.flatMap((level, at) => (level === 0 ? [] : [[at, level]]));
      const turns = Math.ceil(some.length / 4);
      for (let n = 0; n < 4 * turns; n += 1) {
        const [at, level] = some[n] ?? [0, 0];
        view.setUint32(TURNS + (n >> 2) * 24 + (n & 3) * 4, at, true);
        view.setInt16(TURNS + (n >> 2) * 24 + 16 + (n & 3) * 2, level, true);
      }
      kernel.sum(CODES, wide * CHUNK, TURNS, turns, SUMS);
      assert.deepEqual(sums(), plain, `${name}, columns of ${width}`);

      codes.forEach((row, n) => row.forEach((code, at) => view.setInt8(CODES + (n >> 4) * 16 * wide + (at >> 1) * 32 + (n & 15) * 2 + (at & 1), code)));
      levels.forEach((level, at) => view.setInt16(PAIRS + 2 * at, level, true));
      new Int32Array(memory.buffer, SUMS, CHUNK).fill(1);
      kernel.sum_tiles(CODES, wide * CHUNK, PAIRS, wide / 2, SUMS);
      assert.deepEqual(sums(), plain, `${name}, tiles of ${width}`);

      const numbers = Array.from({ length: 3 }, (_, k) => Float32Array.from({ length: CHUNK }, () => (k === 1 && next(9) === 0 ? NaN : real())));
      numbers.forEach((list, k) => new Float32Array(memory.buffer, NUMBERS + k * 4 * CHUNK, CHUNK).set(list));
      for (const line of [[1e-4, 0.01, 0.001, 0.4, 0, 0.2], [1e-6, 1, 0.1, 1, -1, 0.9], [0, 0, 0, 0.4, 0, 0], [1e-3, 1, 0, 1, -1, -1]].map((l) => l.map(f))) {
        line.forEach((x, n) => view.setFloat32(LINE + 4 * n, x, true));
        const [step, reach, slack, weight, floor, least] = line;
        const passes = plain.map((sum, row) => {
          const [scale, error, prior] = numbers.map((list) => list[row]);
          const upper = f(f(f(sum) * f(scale * step)) + f(f(error * reach) + slack));
          return f(f(Math.min(Number.isNaN(upper) ? floor : Math.max(upper, floor), 1) * weight) + prior) >= least;
        });
        kernel.sift(SUMS, ...[0, 1, 2].map((k) => NUMBERS + k * 4 * CHUNK), LINE, ROWS);
        assert.deepEqual(Array.from({ length: CHUNK }, (_, row) => ((view.getUint8(ROWS + (row >> 3)) >> (row & 7)) & 1) === 1), passes, `${name}, ${line}`);
      }
    }
    // A column that is not there is a trap, not a read beyond the codes.
    view.setUint32(TURNS, 384, true);
    assert.throws(() => kernel.sum(CODES, 384 * CHUNK, TURNS, 1, SUMS), WebAssembly.RuntimeError);
  }
});
