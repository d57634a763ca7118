// Builds `pkg/`, the npm package: the engine (`engine.mjs`), then the entries with their types, and the manifest.
// Everything it says goes to stderr, so that what runs after it owns stdout. Unchanged inputs: nothing is done.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ENGINE, KERNELS, at, engine, files, hashOf, run, say } from './engine.mjs';
import { declarations } from './types.mjs';

/** A declaration file of the package, and all that it names. */
function reached(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, next] of readFileSync(at('pkg', name), 'utf8').matchAll(/(?:from|import\()\s*'\.\/([\w-]+)\.js'/g)) reached(`${next}.d.ts`, found);
  return found;
}

const compiled = engine();
const stamp = at('pkg/.built');
const wanted = `${compiled} ${hashOf(['pkg.json', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', ...files('.ci').filter((f) => f.endsWith('.mjs')), ...files('src/wasm/entry'), ...files('www/cli'), 'www/package-lock.json', 'www/terminal/table.mjs'])}`;
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0);
rmSync(at('pkg'), { recursive: true, force: true });
mkdirSync(at('pkg'));
for (const name of ['memfold_bg.wasm', ...KERNELS.map(([kernel]) => `memfold_${kernel}.wasm`)]) cpSync(at(ENGINE, name), at('pkg', name));

// As generated, the bindings are of one instance. Here they are made anew for each, and what crosses can be watched:
// an instance that has trapped is of no more use, and the closures that it gave away must not reach the next one.
let glue = readFileSync(at(ENGINE, 'memfold.js'), 'utf8');
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
// Each entry says where the file is. Said here too, a bundler would carry it for whoever has the bytes in the code, and twice for a library.
swap(/if \(module_or_path === undefined\) \{\s*module_or_path = new URL\('memfold_bg\.wasm', import\.meta\.url\);\s*\}/g, '', 1);
swap(/^(?:export|import) /gm, '', 0);
writeFileSync(at('pkg/memfold.js'), `/** The bindings of one instance. */\nexport default function bindings(watch) {\n${glue}}\n`);

// The entries are checked against the bindings' own types, of which only those of values are published.
const generated = readFileSync(at(ENGINE, 'memfold.d.ts'), 'utf8');
writeFileSync(at('pkg/types.d.ts'), declarations(generated));
const bindings = at('.cache/bindings');
mkdirSync(bindings, { recursive: true });
writeFileSync(join(bindings, 'generated.d.ts'), generated);
cpSync(at('pkg/types.d.ts'), join(bindings, 'types.d.ts'));
run('Compiling the entries', at('www/node_modules/.bin/tsc'), ['--project', 'src/wasm/entry']);
const { name, ...manifest } = JSON.parse(readFileSync(at('pkg.json'), 'utf8'));
const published = new Set();
for (const { types } of Object.values(manifest.exports)) if (types) reached(types.slice(2), published);
for (const name of readdirSync(at('pkg'))) if (name.endsWith('.d.ts') && !published.has(name)) rmSync(at('pkg', name));
const packed = gzipSync(readFileSync(at('pkg/memfold_bg.wasm')), { level: 9 }).toString('base64');
writeFileSync(at('pkg/bytes.js'), `// The engine's bytes, for bundlers that cannot carry a .wasm file.
import { unpacked } from './inflate.js';
import { decoded } from './kernels.js';
export default () => unpacked(decoded('${packed}'));\n`);
const kernels = KERNELS.map(([name]) => [name, readFileSync(at(`pkg/memfold_${name}.wasm`)).toString('base64')]);
writeFileSync(at('pkg/simd.js'), `// The kernels' bytes, the fastest first.\nexport default ${JSON.stringify(kernels)};\n`);

const version = /^version = "(.+)"$/m.exec(readFileSync(at('Cargo.toml'), 'utf8'))[1];
writeFileSync(at('pkg/package.json'), `${JSON.stringify({ name, version, ...manifest }, null, 2)}\n`);
for (const name of ['require.cjs', 'require.d.cts']) cpSync(at('src/wasm/entry', name), at('pkg', name));
for (const name of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) cpSync(at(name), at('pkg', name));
const { commandLine, inflate } = await import('../www/cli/build.mjs');
await Promise.all([commandLine(at('pkg')), inflate(at('pkg'))]);
writeFileSync(stamp, wanted);
say(`pkg/ is ready: memfold ${version}`);
