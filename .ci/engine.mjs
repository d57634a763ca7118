// Compiles the engine into `.cache/engine`: cargo, wasm-bindgen, wasm-opt. What changes in the entries alone needs none of it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const at = (...parts) => join(root, ...parts);
export const say = (text) => process.stderr.write(`${text}\n`);
/** Where what is compiled lies. */
export const ENGINE = '.cache/engine';
export const ENCODER = '.cache/encoder';

/** Named, not `--all-features`: with those, binaryen writes compact imports that browsers refuse. */
const FEATURES = ['bulk-memory', 'nontrapping-float-to-int', 'sign-ext', 'reference-types', 'multivalue', 'mutable-globals', 'simd'];
const SIMD = '-Ctarget-feature=+simd128';

export function run(what, command, args) {
  const start = performance.now();
  say(`${what} …`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error || status !== 0) {
    say(`${what} failed${error ? `: ${error.message}` : ''}`);
    process.exit(1);
  }
  say(`  done in ${((performance.now() - start) / 1000).toFixed(1)}s`);
}

export function files(dir) {
  return readdirSync(at(dir), { withFileTypes: true, recursive: true })
    .filter((f) => f.isFile())
    .map((f) => join(relative(root, f.parentPath ?? f.path), f.name))
    .sort();
}

/** The hash of these files. */
export function hashOf(inputs) {
  const hash = createHash('sha256');
  for (const name of inputs)
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(at(name)))
      .update('\0');
  return hash.digest('hex');
}

/** Compiles into `out` where one of these sources has changed, and says by which hash the result is known. */
function compiled(out, sources, compile) {
  const inputs = ['Cargo.toml', 'Cargo.lock', '.ci/engine.mjs', ...sources];
  const stamp = at(out, '.built');
  const wanted = hashOf(inputs);
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    rmSync(at(out), { recursive: true, force: true });
    mkdirSync(at(out), { recursive: true });
    compile();
    writeFileSync(stamp, wanted);
  }
  return wanted;
}

/** Compiles the engine where its sources have changed, and says by which hash it is known. */
export const engine = () =>
  compiled(ENGINE, ['build.rs', ...files('src').filter((f) => !f.startsWith('src/wasm/entry/') && !f.startsWith('src/encoder/'))], compileEngine);

/** The same of the encoder. */
export const encoder = () =>
  compiled(
    ENCODER,
    files('src/encoder').filter((f) => !f.startsWith('src/encoder/data/')),
    compileEncoder,
  );

/** The places of panics, without the builder's own directories. */
function remapped() {
  const home = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
  const sysroot = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).stdout?.trim();
  return [
    [home, 'cargo'],
    [sysroot, 'rust'],
    [root, '.'],
  ]
    .filter(([from]) => from)
    .map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
}

const target = process.env.CARGO_TARGET_DIR ?? at('target');

/** Runs cargo for wasm32 with these flags, then wasm-bindgen. */
function bindgen(crate, flags, out, name, dir = target) {
  process.env.CARGO_ENCODED_RUSTFLAGS = [...(process.env.RUSTFLAGS ?? '').split(' ').filter(Boolean), ...remapped(), ...flags].join('\x1f');
  run(`Compiling ${crate} to WebAssembly`, 'cargo', [
    'build',
    '--release',
    '--lib',
    '--package',
    crate,
    '--target',
    'wasm32-unknown-unknown',
    '--target-dir',
    dir,
  ]);
  const file = join(dir, `wasm32-unknown-unknown/release/${crate.replace('-', '_')}.wasm`);
  run('Making the bindings', 'wasm-bindgen', ['--target', 'web', '--out-dir', out, '--out-name', name, file]);
}

function optimise(what, from, to, features, ...args) {
  run(what, at('node_modules/.bin/wasm-opt'), [...args, ...features.map((f) => `--enable-${f}`), '-o', to, from]);
}

/** Speed before size. */
function compileEncoder() {
  bindgen('memfold-encoder', [SIMD], ENCODER, 'encoder', join(target, 'encoder'));
  const wasm = at(ENCODER, 'encoder_bg.wasm');
  optimise('Optimising', wasm, wasm, FEATURES, '-O3', '--strip-debug', '--strip-producers', '--strip-target-features');
}

function compileEngine() {
  // Equal functions become one, and the standard library's own code is inlined no more than ours: 10 KB gzipped.
  const small = ['-Cllvm-args=-enable-merge-functions'];
  bindgen('memfold', [...small, SIMD, '-Csymbol-mangling-version=v0'], ENGINE, 'memfold');

  const wasm = at(ENGINE, 'memfold_bg.wasm');
  const before = statSync(wasm).size;
  // Without inlining, which makes the file larger once gzipped, as making one of functions that differ in constants alone does (1.8 KB).
  const ALONE = ['-aimfs', '0', '-fimfs', '0', '-ocimfs', '0'];
  // What was made from one piece of source side by side, by name: the same size, and 3 % less (36 KB) once gzipped.
  const ALIKE = ['--reorder-functions-by-name'];
  optimise(
    'Optimising',
    wasm,
    wasm,
    FEATURES,
    '-O2',
    '--gufa',
    '-O2',
    ...ALONE,
    '-O2',
    ...ALIKE,
    '--strip-debug',
    '--strip-producers',
    '--strip-target-features',
  );
  const after = statSync(wasm).size;
  say(`  ${before} → ${after} bytes`);
  if (after >= before) {
    say(`wasm-opt did not make the file smaller (${before} → ${after} bytes)`);
    process.exit(1);
  }
}
