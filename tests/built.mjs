// What several test files need built, built once: kept by the hash of all that it is made of.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const kept = join(root, '.cache/built');
/** Made by builds, installed by npm, or written while tests run. */
const MADE = new Set(['dist', 'node_modules', '.wrangler']);
/** Milliseconds after which nobody reads what was built of older sources. */
const OLD = 3_600_000;

function* files(path) {
  if (statSync(path).isFile()) return void (yield path);
  for (const name of readdirSync(path).sort()) if (!MADE.has(name)) yield* files(join(path, name));
}

function hashed(inputs) {
  const hash = createHash('sha256').update(process.version);
  for (const input of inputs) {
    for (const path of files(join(root, input))) hash.update(`\0${relative(root, path)}\0`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 24);
}

/** The folder that `make(folder)` fills from these files and folders of the repository. Nobody may write into it. */
export async function built(name, inputs, make) {
  const at = join(kept, `${name}-${hashed(inputs)}`);
  if (existsSync(at)) return at;
  mkdirSync(kept, { recursive: true });
  for (const other of readdirSync(kept)) {
    const path = join(kept, other);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (other.startsWith(`${name}-`) && Date.now() - mtimeMs > OLD) rmSync(path, { recursive: true, force: true });
  }
  const making = mkdtempSync(join(kept, `${name}-making-`));
  try {
    await make(making);
    // It is there whole or not at all; where another test file was faster, theirs is as good.
    renameSync(making, at);
  } catch (error) {
    if (!existsSync(at)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return at;
}

/** A copy of what was built, for a test that writes into it. */
export const copied = (from, to) => (cpSync(from, to, { recursive: true }), to);
