// The package as it would be if a mailbox had never been seen: both fits are made without it, and what they give takes the
// place of the shipped weights in a copy of the WebAssembly file. Nothing is compiled anew.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FITS = [
  ['worth', 'src/extract/worth.bin'],
  ['context', 'src/decision/context/weights.txt'],
];

/** The bytes with others of equal length in the one place where `old` stands. */
export function exchanged(bytes, old, next) {
  if (old.length !== next.length) throw new Error(`${next.length} bytes cannot take the place of ${old.length}`);
  const at = bytes.indexOf(old);
  if (at < 0 || bytes.indexOf(old, at + 1) >= 0) throw new Error('the weights do not stand in the file, or twice');
  const out = Buffer.from(bytes);
  next.copy(out, at);
  return out;
}

/** The package with weights that were fitted without the mailbox of that name. */
export async function leftOut(name) {
  const dir = join(root, '.cache/left-out', name);
  mkdirSync(dir, { recursive: true });
  cpSync(join(root, 'pkg'), dir, { recursive: true });
  const wasm = join(dir, 'memfold_bg.wasm');
  let bytes = readFileSync(wasm);
  for (const [fit, shipped] of FITS) {
    const file = join(dir, `${fit}.txt`);
    const args = ['run', '--profile', 'fit', '--quiet', '--example', fit, '--', 'without', name, file];
    const { status } = spawnSync('cargo', args, { cwd: root, stdio: ['ignore', 'ignore', 2] });
    if (status !== 0) throw new Error(`the fit of ${fit} without ${name} failed`);
    bytes = exchanged(bytes, readFileSync(join(root, shipped)), readFileSync(file));
  }
  writeFileSync(wasm, bytes);
  return import(join(dir, 'node.js'));
}
