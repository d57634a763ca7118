// The package of the encoder's weights, `pkg-encoder/`; and what the main package knows of its files.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { at } from './engine.mjs';

const DATA = 'src/encoder/data';
const HEAD = 'head.bin.gz';

/** The hash that a file names. */
function identity(file) {
  if (file.toString('latin1', 0, 8) !== 'memfold\0') throw new Error('this is no file of the encoder');
  return file.toString('hex', 24, 56);
}

/** The hashes and sizes of the released files, which the main package carries in their place. */
export function released() {
  const weights = readFileSync(at(DATA, 'encoder.bin'));
  const found = { weights: { sha256: identity(weights), bytes: weights.length } };
  if (existsSync(at(DATA, HEAD))) found.head = { sha256: identity(gunzipSync(readFileSync(at(DATA, HEAD)))), bytes: statSync(at(DATA, HEAD)).size };
  return found;
}

/** Builds the package. */
export function weights(version) {
  const dir = 'pkg-encoder';
  rmSync(at(dir), { recursive: true, force: true });
  mkdirSync(at(dir));
  const exported = {};
  const entry = (path, script, file, what) => {
    cpSync(at(DATA, file), at(dir, file));
    writeFileSync(at(dir, `${script}.js`), `// Bundlers carry the file that is named here.\nexport default new URL('./${file}', import.meta.url);\n`);
    writeFileSync(
      at(dir, `${script}.d.ts`),
      `/** ${what}, for \`memfold/encoder\`. */\ndeclare const address: { readonly href: string };\nexport default address;\n`,
    );
    exported[path] = { types: `./${script}.d.ts`, default: `./${script}.js` };
    exported[`./${file}`] = `./${file}`;
  };
  entry('.', 'index', 'encoder.bin', 'Where the weights lie');
  if (existsSync(at(DATA, HEAD))) entry('./head', 'head', HEAD, 'Where the head lies that judges pairs');
  for (const name of ['LICENSE', 'README.md']) cpSync(at(DATA, name), at(dir, name));
  const manifest = {
    name: 'memfold-encoder',
    version,
    license: 'MIT',
    type: 'module',
    sideEffects: false,
    description: 'The weights of the encoder of memfold: multilingual-e5-small for Korean and English, in 4 bits.',
    exports: { ...exported, './package.json': './package.json' },
    files: ['*.js', '*.d.ts', '*.bin', '*.gz', 'LICENSE', 'README.md'],
  };
  writeFileSync(at(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
