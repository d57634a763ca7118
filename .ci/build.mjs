// Builds `pkg/`, the npm package: the engine and the encoder (`engine.mjs`), then the entries with their types, and the manifest.
// And `pkg-encoder/`, the package of the encoder's weights.
// Everything it says goes to stderr, so that what runs after it owns stdout. Unchanged inputs: nothing is done.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ENCODER, ENGINE, at, encoder, engine, files, hashOf, run, say } from './engine.mjs';
import { released, weights } from './weights.mjs';
import { adapted, declarations } from './types.mjs';

/** A declaration file of the package, and all that it names. */
function reached(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, next] of readFileSync(at('pkg', name), 'utf8').matchAll(/(?:from|import\()\s*'\.\/([\w-]+)\.js'/g)) reached(`${next}.d.ts`, found);
  return found;
}

/** What the command line shares with the Worker. */
const SHARED = ['tools', 'wishes', 'zone'].map((name) => `www/worker/src/${name}.ts`);
const compiled = `${engine()} ${encoder()}`;
const stamp = at('pkg/.built');
const wanted = `${compiled} ${hashOf(['pkg.json', 'README.md', 'LICENSE-MIT', 'LICENSE-APACHE', ...files('.ci').filter((f) => f.endsWith('.mjs')), ...files('src/wasm/entry'), ...files('src/encoder/data'), ...files('www/cli'), ...SHARED, 'package-lock.json', 'www/terminal/table.mjs'])}`;
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) process.exit(0);
rmSync(at('pkg'), { recursive: true, force: true });
mkdirSync(at('pkg'));
cpSync(at(ENCODER, 'encoder_bg.wasm'), at('pkg/encoder_bg.wasm'));
cpSync(at(ENGINE, 'memfold_bg.wasm'), at('pkg/memfold_bg.wasm'));

/** The bindings of a wasm file as a function that gives those of one instance; `watch` is what it is given. */
function perInstance(file, name, gives, changes = []) {
  let glue = readFileSync(file, 'utf8');
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
  swap(/^export \{ initSync, __wbg_init as default \};$/gm, `return { ${[...names, 'initSync', ...gives].join(', ')} };`, 1);
  // Each entry names the address of the encoder's file. A second address here would make a bundler copy the file again, and copy it for
  // applications that already carry its bytes.
  swap(new RegExp(`if \\(module_or_path === undefined\\) \\{\\s*module_or_path = new URL\\('${name}_bg\\.wasm', import\\.meta\\.url\\);\\s*\\}`, 'g'), '', 1);
  for (const change of changes) swap(...change);
  swap(/^(?:export|import) /gm, '', 0);
  return `/** The bindings of one instance. */\nexport default function bindings(watch) {\n${glue}}\n`;
}

// As generated, the bindings are of one instance. Here they are made anew for each, and what crosses can be watched:
// an instance that has trapped is of no more use, and the closures that it gave away must not reach the next one.
writeFileSync(
  at('pkg/memfold.js'),
  perInstance(
    at(ENGINE, 'memfold.js'),
    'memfold',
    ['load: __wbg_init', 'module: () => wasmModule'],
    [
      [/\bwasm = instance\.exports;/g, 'wasm = watch.exports(instance.exports);', 1],
      [/= __wbg_get_imports\(\);/g, '= watch.imports(__wbg_get_imports());', 2],
    ],
  ),
);
writeFileSync(at('pkg/encoder-bindings.js'), perInstance(at(ENCODER, 'encoder.js'), 'encoder', []));
writeFileSync(
  at('pkg/encoder-bytes.js'),
  `// The encoder's wasm file, packed.\nexport default '${gzipSync(readFileSync(at('pkg/encoder_bg.wasm')), { level: 9 }).toString('base64')}';\n`,
);
writeFileSync(at('pkg/encoder-files.js'), `// The files of this release.\nexport default ${JSON.stringify(released())};\n`);

// The entries are checked against the bindings' own types, of which only those of values are published.
const generated = adapted(readFileSync(at(ENGINE, 'memfold.d.ts'), 'utf8'));
writeFileSync(at('pkg/types.d.ts'), declarations(generated));
const bindings = at('.cache/bindings');
mkdirSync(bindings, { recursive: true });
writeFileSync(join(bindings, 'generated.d.ts'), generated);
cpSync(at('pkg/types.d.ts'), join(bindings, 'types.d.ts'));
cpSync(at(ENCODER, 'encoder.d.ts'), join(bindings, 'encoder-generated.d.ts'));
run('Compiling the entries', at('node_modules/.bin/tsc'), ['--project', 'src/wasm/entry']);
for (const name of ['require.cjs', 'require.d.cts', 'wasm.d.ts']) cpSync(at('src/wasm/entry', name), at('pkg', name));
const { name, ...manifest } = JSON.parse(readFileSync(at('pkg.json'), 'utf8'));
const published = new Set();
for (const { types } of Object.values(manifest.exports)) if (types) reached(types.slice(2), published);
for (const name of readdirSync(at('pkg'))) if (name.endsWith('.d.ts') && !published.has(name)) rmSync(at('pkg', name));

const version = /^version = "(.+)"$/m.exec(readFileSync(at('Cargo.toml'), 'utf8'))[1];
writeFileSync(at('pkg/package.json'), `${JSON.stringify({ name, version, ...manifest }, null, 2)}\n`);
for (const name of ['README.md', 'LICENSE-MIT', 'LICENSE-APACHE']) cpSync(at(name), at('pkg', name));
const { commandLine } = await import('../www/cli/build.mjs');
await commandLine(at('pkg'));
weights(version);
writeFileSync(stamp, wanted);
say(`pkg/ is ready: memfold ${version}`);
