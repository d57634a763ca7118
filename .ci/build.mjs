// Builds `pkg/`, the npm package: cargo, wasm-bindgen, wasm-opt, then the entries, the types and the manifest.
// Everything it says goes to stderr, so that what runs after it owns stdout. Unchanged inputs: nothing is done.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declarations } from './types.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => join(root, ...parts);
const say = (text) => process.stderr.write(`${text}\n`);

/** Named, not `--all-features`: with those, binaryen writes compact imports that browsers refuse. */
const FEATURES = ['bulk-memory', 'nontrapping-float-to-int', 'sign-ext', 'reference-types', 'multivalue', 'mutable-globals', 'simd'];

/** Chosen by what the file weighs gzipped: -Oz makes it smaller as it is, and 40 KB larger on its way. */
const PASSES = [
  '--remove-unused-names', '--merge-blocks', '--optimize-instructions', '--rse', '--vacuum', '--coalesce-locals',
  '--reorder-locals', '--duplicate-function-elimination', '--remove-unused-module-elements',
];

function run(what, command, args) {
  const start = performance.now();
  say(`${what} …`);
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error || status !== 0) {
    say(`${what} failed${error ? `: ${error.message}` : ''}`);
    process.exit(1);
  }
  say(`  done in ${((performance.now() - start) / 1000).toFixed(1)}s`);
}

function files(dir) {
  return readdirSync(at(dir), { withFileTypes: true, recursive: true })
    .filter((f) => f.isFile())
    .map((f) => join(relative(root, f.parentPath ?? f.path), f.name))
    .sort();
}

function fingerprint() {
  const hash = createHash('sha256');
  const inputs = ['Cargo.toml', 'Cargo.lock', 'pkg.json', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', '.ci/build.mjs', '.ci/types.mjs', ...files('src')];
  if (existsSync(at('.cargo/config.toml'))) inputs.push('.cargo/config.toml');
  for (const name of inputs) hash.update(name).update('\0').update(readFileSync(at(name))).update('\0');
  return hash.digest('hex');
}

const stamp = at('pkg/.built');
const wanted = fingerprint();
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0);

// The places of panics, without the builder's own directories.
const home = process.env.CARGO_HOME ?? join(homedir(), '.cargo');
const sysroot = spawnSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).stdout?.trim();
const remap = [[home, 'cargo'], [sysroot, 'rust'], [root, '.']].filter(([from]) => from).map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
process.env.CARGO_ENCODED_RUSTFLAGS = [...(process.env.RUSTFLAGS ?? '').split(' ').filter(Boolean), ...remap].join('\x1f');
run('Compiling the engine to WebAssembly', 'cargo', ['build', '--release', '--lib', '--target', 'wasm32-unknown-unknown']);
const target = process.env.CARGO_TARGET_DIR ?? at('target');
rmSync(at('pkg'), { recursive: true, force: true });
mkdirSync(at('pkg'));
run('Making the bindings', 'wasm-bindgen', ['--target', 'web', '--out-dir', 'pkg', '--out-name', 'memfold', join(target, 'wasm32-unknown-unknown/release/memfold.wasm')]);

const wasm = at('pkg/memfold_bg.wasm');
const before = statSync(wasm).size;
run('Optimising', at('www/node_modules/.bin/wasm-opt'), [...PASSES, '--strip-debug', '--strip-producers', '--strip-target-features', ...FEATURES.map((f) => `--enable-${f}`), '-o', wasm, wasm]);
const after = statSync(wasm).size;
if (after >= before) {
  say(`wasm-opt did not make the file smaller (${before} → ${after} bytes)`);
  process.exit(1);
}

const generated = readFileSync(at('pkg/memfold.d.ts'), 'utf8');
writeFileSync(at('pkg/types.d.ts'), declarations(generated));
rmSync(at('pkg/memfold.d.ts'));
rmSync(at('pkg/memfold_bg.wasm.d.ts'), { force: true });
for (const name of readdirSync(at('src/wasm/entry'))) cpSync(at('src/wasm/entry', name), at('pkg', name));
writeFileSync(at('pkg/bytes.js'), `// The engine's bytes, for bundlers that cannot carry a .wasm file.\nexport default '${readFileSync(wasm).toString('base64')}';\n`);

const version = /^version = "(.+)"$/m.exec(readFileSync(at('Cargo.toml'), 'utf8'))[1];
const { name, ...manifest } = JSON.parse(readFileSync(at('pkg.json'), 'utf8'));
writeFileSync(at('pkg/package.json'), `${JSON.stringify({ name, version, ...manifest }, null, 2)}\n`);
for (const name of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) cpSync(at(name), at('pkg', name));
writeFileSync(stamp, wanted);
say(`pkg/ is ready: memfold ${version}, wasm ${before} → ${after} bytes`);
