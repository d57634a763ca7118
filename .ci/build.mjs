// Builds `pkg/`, the npm package: cargo, wasm-bindgen, wasm-opt, then the entries with their types, and the manifest.
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

/**
 * Named, not `--all-features`: with those, binaryen writes compact imports that browsers refuse. SIMD is not among them:
 * a host without it would refuse the whole file, so its loops are kernels of their own, and here wasm-opt refuses it.
 */
const FEATURES = ['bulk-memory', 'nontrapping-float-to-int', 'sign-ext', 'reference-types', 'multivalue', 'mutable-globals'];

/** The kernels, the fastest first: what each is called, and the features that it is compiled with (src/similarity/kernels). */
const KERNELS = [['simd128', '+simd128']];
/** A module of more bytes than that no page may compile at once. */
const KERNEL = 4_096;

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

/** A declaration file of the package, and all that it names. */
function reached(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, next] of readFileSync(at('pkg', name), 'utf8').matchAll(/(?:from|import\()\s*'\.\/([\w-]+)\.js'/g)) reached(`${next}.d.ts`, found);
  return found;
}

function fingerprint() {
  const hash = createHash('sha256');
  const inputs = ['Cargo.toml', 'Cargo.lock', 'build.rs', 'pkg.json', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', ...files('.ci').filter((f) => f.endsWith('.mjs')), ...files('src')];
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
// Equal functions become one, and the standard library's own code is inlined no more than ours: 10 KB gzipped.
const small = ['-Cllvm-args=-enable-merge-functions', '-Cllvm-args=-inline-threshold=5'];
const flags = [...(process.env.RUSTFLAGS ?? '').split(' ').filter(Boolean), ...remap, ...small, '-Csymbol-mangling-version=v0'];
const cargo = ['build', '--release', '--lib', '--target', 'wasm32-unknown-unknown'];
process.env.CARGO_ENCODED_RUSTFLAGS = flags.join('\x1f');
run('Compiling the engine to WebAssembly', 'cargo', cargo);
const target = process.env.CARGO_TARGET_DIR ?? at('target');
rmSync(at('pkg'), { recursive: true, force: true });
mkdirSync(at('pkg'));
run('Making the bindings', 'wasm-bindgen', ['--target', 'web', '--out-dir', 'pkg', '--out-name', 'memfold', join(target, 'wasm32-unknown-unknown/release/memfold.wasm')]);

const wasm = at('pkg/memfold_bg.wasm');
const before = statSync(wasm).size;
const optimise = (what, from, to, ...args) =>
  run(what, at('www/node_modules/.bin/wasm-opt'), [...args, ...FEATURES.map((f) => `--enable-${f}`), '-o', to, from]);
// Without inlining, which makes the file larger once gzipped, as making one of functions that differ in constants alone does (1.8 KB).
const ALONE = ['-aimfs', '0', '-fimfs', '0', '-ocimfs', '0'];
optimise('Optimising', wasm, wasm, '-O2', '--gufa', '-O2', ...ALONE, '-O2', '--strip-debug', '--strip-producers', '--strip-target-features');
const after = statSync(wasm).size;
if (after >= before) {
  say(`wasm-opt did not make the file smaller (${before} → ${after} bytes)`);
  process.exit(1);
}

for (const [name, features] of KERNELS) {
  const compiled = join(target, `memfold_${name}.wasm`);
  run(`Compiling the kernel ${name}`, 'rustc', [
    'src/similarity/kernels/module.rs', '--edition=2024', '--crate-type=cdylib', '--target=wasm32-unknown-unknown', '-Dwarnings',
    '-Copt-level=3', '-Cpanic=abort', `-Ctarget-feature=${features}`,
    '-Clink-arg=--import-memory', '-Clink-arg=-zstack-size=0', '-o', compiled,
  ]);
  const file = at(`pkg/memfold_${name}.wasm`);
  // Without the linker's marks of where data and heap lie.
  optimise(`Optimising ${name}`, compiled, file, '--remove-exports=__*', '--remove-unused-module-elements', '--strip-producers', '--strip-target-features');
  const module = new WebAssembly.Module(readFileSync(file));
  const from = WebAssembly.Module.imports(module).map((i) => i.module);
  if (`${from}` !== 'env' || statSync(file).size > KERNEL) {
    say(`the kernel ${name} is not loops over the engine's memory alone, or weighs more than ${KERNEL} bytes`);
    process.exit(1);
  }
}

// As generated, the bindings are of one instance. Here they are made anew for each, and what crosses can be watched:
// an instance that has trapped is of no more use, and the closures that it gave away must not reach the next one.
let glue = readFileSync(at('pkg/memfold.js'), 'utf8');
const names = [];
const swap = (what, by, times) => {
  const found = glue.match(what)?.length ?? 0;
  if (found !== times) {
    say(`the bindings have ${found} places of ${what}, not ${times}`);
    process.exit(1);
  }
  glue = glue.replace(what, by);
};
glue = glue.replace(/^export ((?:async )?(?:class|function) (\w+))/gm, (_, said, name) => (names.push(name), said));
swap(/^export \{ initSync, __wbg_init as default \};$/gm, `return { ${names.join(', ')}, initSync, load: __wbg_init, module: () => wasmModule };`, 1);
swap(/\bwasm = instance\.exports;/g, 'wasm = watch.exports(instance.exports);', 1);
swap(/= __wbg_get_imports\(\);/g, '= watch.imports(__wbg_get_imports());', 2);
swap(/^(?:export|import) /gm, '', 0);
writeFileSync(at('pkg/memfold.js'), `/** The bindings of one instance. */\nexport default function bindings(watch) {\n${glue}}\n`);

// The entries are checked against the bindings' own types, of which only those of values are published.
const generated = readFileSync(at('pkg/memfold.d.ts'), 'utf8');
writeFileSync(at('pkg/types.d.ts'), declarations(generated));
const bindings = at('.cache/bindings');
mkdirSync(bindings, { recursive: true });
writeFileSync(join(bindings, 'generated.d.ts'), generated);
cpSync(at('pkg/types.d.ts'), join(bindings, 'types.d.ts'));
rmSync(at('pkg/memfold.d.ts'));
rmSync(at('pkg/memfold_bg.wasm.d.ts'), { force: true });
run('Compiling the entries', at('www/node_modules/.bin/tsc'), ['--project', 'src/wasm/entry']);
const published = reached('index.d.ts');
for (const name of readdirSync(at('pkg'))) if (name.endsWith('.d.ts') && !published.has(name)) rmSync(at('pkg', name));
writeFileSync(at('pkg/bytes.js'), `// The engine's bytes, for bundlers that cannot carry a .wasm file.\nexport default '${readFileSync(wasm).toString('base64')}';\n`);
const kernels = KERNELS.map(([name]) => [name, readFileSync(at(`pkg/memfold_${name}.wasm`)).toString('base64')]);
writeFileSync(at('pkg/simd.js'), `// The kernels' bytes, the fastest first.\nexport default ${JSON.stringify(kernels)};\n`);

const version = /^version = "(.+)"$/m.exec(readFileSync(at('Cargo.toml'), 'utf8'))[1];
const { name, ...manifest } = JSON.parse(readFileSync(at('pkg.json'), 'utf8'));
writeFileSync(at('pkg/package.json'), `${JSON.stringify({ name, version, ...manifest }, null, 2)}\n`);
for (const name of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) cpSync(at(name), at('pkg', name));
writeFileSync(stamp, wanted);
say(`pkg/ is ready: memfold ${version}, wasm ${before} → ${after} bytes`);
