// Prints what the package weighs, gzipped, and fails past the budgets of its wasm files and of the unpacked package.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** What other packages of this kind weigh (automerge, loro, sqlite: .4 to 1.6 MB); 110 KB of it are the public suffix list and the hosts of free mail. 90 KB are
 * serde_json, the standard library's sorts, lower case and printing of floats: they replace 1,000 lines of our own. */
const BUDGET = 1_500 * 1024;
/** The encoder's wasm file, which is loaded by those who ask for it. */
const ENCODER = 60 * 1024;
/** All files of `pkg/`, as npm unpacks them. 3.9 MB of it is the engine's wasm file. */
const UNPACKED = 5_200 * 1024;

const pkg = new URL('../pkg/', import.meta.url);
const gzipped = (name) => gzipSync(readFileSync(new URL(name, pkg)), { level: 9 }).length;
const kb = (bytes) => `${(bytes / 1024).toFixed(1).padStart(7)} KB`;

const names = readdirSync(pkg).filter((f) => /\.(js|wasm)$/.test(f));
for (const name of names) console.log(`${kb(gzipped(name))}  ${name}`);
const wasm = names.filter((f) => f.endsWith('.wasm') && f !== 'encoder_bg.wasm').reduce((sum, name) => sum + gzipped(name), 0);
console.log(`${kb(BUDGET)}  is the budget of the wasm files`);
if (wasm > BUDGET) {
  console.log(`the wasm files are ${kb(wasm - BUDGET).trim()} past their budget`);
  process.exit(1);
}
const encoder = gzipped('encoder_bg.wasm');
if (encoder > ENCODER) {
  console.log(`encoder_bg.wasm is ${kb(encoder - ENCODER).trim()} past its budget`);
  process.exit(1);
}
const unpacked = readdirSync(pkg)
  .filter((name) => name !== '.built')
  .reduce((sum, name) => sum + statSync(new URL(name, pkg)).size, 0);
console.log(`${kb(unpacked)}  unpacked, of ${kb(UNPACKED).trim()}`);
if (unpacked > UNPACKED) {
  console.log(`the unpacked package is ${kb(unpacked - UNPACKED).trim()} past its budget`);
  process.exit(1);
}
