// Bundles the command line into one file of the package, and collects the licences of the packages in it.
import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

/** The package folder of a module in node_modules. */
const packageOf = (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0];

function licence(dir) {
  const { name, version, license } = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
  const file = readdirSync(dir).find((entry) => /^licen[cs]e/i.test(entry));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(dir, file), 'utf8').trim() : ''}`;
}

/** One bundled file of this folder; the engine stays an import from `engine`. */
export async function bundled(entry, engine) {
  const { output } = await build({
    configFile: false,
    root: here,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: join(here, entry),
      target: 'node20',
      minify: true,
      write: false,
      rollupOptions: { external: ['memfold'], output: { codeSplitting: false, paths: { memfold: engine } } },
    },
  });
  const [file, ...more] = output;
  if (more.length > 0) throw new Error(`${entry} is ${output.length} files instead of one`);
  return file;
}

export async function commandLine(pkg) {
  const { code, moduleIds } = await bundled('main.mjs', './node.js');
  writeFileSync(join(pkg, 'cli.js'), code);
  chmodSync(join(pkg, 'cli.js'), 0o755);
  const used = [...new Set(moduleIds.map(packageOf).filter((dir) => dir && existsSync(join(dir, 'package.json'))))].sort();
  writeFileSync(join(pkg, 'LICENSES-CLI'), `cli.js holds parts of these packages.\n\n${used.map(licence).join('\n\n---\n\n')}\n`);
}
