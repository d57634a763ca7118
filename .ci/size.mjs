// Prints what the package weighs, gzipped, and fails past the budget of its wasm files; with `--parts`, what each part of
// the wasm file weighs. The file is packed as a whole: a part's figure is its share by what it weighs packed alone.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { read } from './wasm.mjs';

// What the file weighs now and little more, so that nothing grows it unseen. The goal is 150 KB for the spine and as
// much for the analyst; lower this with every diet. Without the source of the standard library (.ci/build.mjs) it is
// larger by what the second figure says.
// 9 KB are for hosts without SIMD: what is copied by 16 bytes takes two instructions without it.
const BUDGET = 855 * 1024;
const UNSOURCED = 36 * 1024;

const root = new URL('../', import.meta.url);
const pkg = new URL('pkg/', root);
const packed = (bytes) => gzipSync(bytes, { level: 9 }).length;
const gzipped = (name) => packed(readFileSync(new URL(name, pkg)));
const kb = (bytes) => `${(bytes / 1024).toFixed(1).padStart(7)} KB`;

/** The part of a function by its name: one of our modules, or whose code it is. */
function part(name) {
  const own = /memfold(?:\[\w+\])?::(\w+)/.exec(name)?.[1];
  if (own) return own === '_' ? 'wasm' : own;
  if (/mail_parser/.test(name)) return 'mail, the crate mail-parser';
  if (/wasm_bindgen|js_sys|web_sys|gloo|externref|^(engine|intake)_/.test(name)) return 'bindings of the host';
  return 'standard library and small crates';
}

function parts() {
  const target = process.env.CARGO_TARGET_DIR ?? new URL('target', root).pathname;
  const { functions, data } = read(readFileSync(`${target}/memfold.named.wasm`));
  const bodies = new Map();
  for (const { name, body } of functions) bodies.set(part(name), [...(bodies.get(part(name)) ?? []), body]);
  const rows = [...bodies].map(([name, list]) => [name, packed(Buffer.concat(list))]);
  let rest = Buffer.concat(data);
  for (const name of ['weights.bin', 'wording.bin', 'lexicon.txt', 'cues.txt']) {
    const bytes = readFileSync(new URL(`src/analysis/${name}`, root));
    const at = rest.indexOf(bytes);
    if (at < 0) throw new Error(`${name} is not in the file`);
    rest = Buffer.concat([rest.subarray(0, at), rest.subarray(at + bytes.length)]);
    rows.push([`data, analysis/${name}`, packed(bytes)]);
  }
  rows.push(['data, tables of words and the rest', packed(rest)]);
  const whole = gzipped('memfold_bg.wasm');
  const sum = rows.reduce((all, [, weight]) => all + weight, 0);
  for (const [name, weight] of rows.sort((a, b) => b[1] - a[1])) console.log(`${kb((weight * whole) / sum)}  ${name}`);
  console.log(`${kb(whole)}  memfold_bg.wasm`);
}

if (process.argv.includes('--parts')) {
  parts();
} else {
  const names = readdirSync(pkg).filter((f) => /\.(js|wasm)$/.test(f));
  for (const name of names) console.log(`${kb(gzipped(name))}  ${name}`);
  const wasm = names.filter((f) => f.endsWith('.wasm')).reduce((sum, name) => sum + gzipped(name), 0);
  const budget = BUDGET + (existsSync(new URL('.unsourced', pkg)) ? UNSOURCED : 0);
  console.log(`${kb(budget)}  is the budget of the wasm files`);
  if (wasm > budget) {
    console.log(`the wasm files are ${kb(wasm - budget).trim()} past their budget`);
    process.exit(1);
  }
}
