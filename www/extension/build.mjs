// Builds the extension: pages and worker as modules and the content script as one script, then the
// folder dist/memfold and dist/memfold.zip for the store. Tests call `buildExtension`.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { build } from 'vite';
import { released } from '../../.ci/weights.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
export const folder = at('./dist/memfold');
/** Largest content script, in bytes, because Gmail's page must load it. */
const CONTENT_BUDGET = 30 * 1024;

const resolve = {
  alias: {
    'memfold/chrome': at('../../pkg/chrome.js'),
    'memfold/encoder': at('../../pkg/encoder.js'),
    'memfold/live': at('../../pkg/live.js'),
    memfold: at('../../pkg/index.js'),
  },
};
const define = { ENCODER_MODEL: JSON.stringify(`multilingual-e5-small/${released().weights.sha256.slice(0, 12)}`) };
const common = { root: at('.'), configFile: false, base: './', logLevel: 'error', resolve, define, worker: { format: 'es' } };
const output = { target: 'chrome123', outDir: folder, modulePreload: false, assetsInlineLimit: 0, reportCompressedSize: false };

export async function buildExtension() {
  rmSync(at('./dist'), { recursive: true, force: true });
  await build({
    ...common,
    publicDir: at('./public'),
    build: {
      ...output,
      emptyOutDir: true,
      rollupOptions: {
        input: { panel: at('./panel.html'), options: at('./options.html'), welcome: at('./welcome.html'), offscreen: at('./offscreen.html') },
        output: { entryFileNames: 'pages/[name].js', chunkFileNames: 'pages/[name].js', assetFileNames: 'pages/[name][extname]' },
      },
    },
  });
  await build({
    ...common,
    publicDir: false,
    build: {
      ...output,
      emptyOutDir: false,
      rollupOptions: {
        input: at('./src/worker/index.ts'),
        output: { entryFileNames: 'worker.js', assetFileNames: '[name][extname]', codeSplitting: false },
      },
    },
  });
  await build({
    ...common,
    publicDir: false,
    build: {
      ...output,
      emptyOutDir: false,
      rollupOptions: { input: at('./src/content.ts'), output: { entryFileNames: 'content.js', format: 'iife' } },
    },
  });
  for (const name of ['encoder.bin', 'head.bin.gz']) cpSync(at(`../../pkg-encoder/${name}`), join(folder, name));
  for (const name of ['before-paint.js']) writeFileSync(join(folder, name), readFileSync(at(`../demo/public/${name}`)));
  const version = /^version = "(.+)"$/m.exec(readFileSync(at('../../Cargo.toml'), 'utf8'))[1];
  const manifest = JSON.parse(readFileSync(at('./manifest.json'), 'utf8'));
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
  return { folder, version };
}

const files = () =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((f) => f.isFile())
    .map((f) => join(f.parentPath ?? f.path, f.name))
    .sort();

/** The zip for the store; equal files give equal bytes. */
export function zip() {
  const entries = Object.fromEntries(files().map((f) => [relative(folder, f), [readFileSync(f), { mtime: new Date('2000-01-01T00:00:00') }]]));
  const path = at('./dist/memfold.zip');
  writeFileSync(path, zipSync(entries, { level: 9 }));
  return path;
}

/** Size of the content script, gzipped. */
export const contentSize = () => gzipSync(readFileSync(join(folder, 'content.js')), { level: 9 }).length;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(at('./dist'), { recursive: true });
  await buildExtension();
  const size = contentSize();
  const path = zip();
  const kb = (n) => `${(n / 1024).toFixed(1)} KB`;
  console.log(
    `${relative(process.cwd(), folder)}/ is ready to be loaded, ${relative(process.cwd(), path)} (${kb(statSync(path).size)}) for the store; the content script weighs ${kb(size)} gzipped`,
  );
  if (size > CONTENT_BUDGET) {
    console.error(`content.js is past its budget of ${kb(CONTENT_BUDGET)}`);
    process.exit(1);
  }
}
