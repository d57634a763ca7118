#!/usr/bin/env node
// Writes this Worker into a new folder, as a project of its own that installs memfold from npm.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const read = (name) => readFileSync(join(here, name), 'utf8');
const fail = (text) => (console.error(text), process.exit(1));

const [folder] = process.argv.slice(2);
if (!folder) fail('usage: create-memfold-worker FOLDER');
const target = resolve(folder);
if (existsSync(target) && readdirSync(target).length > 0) fail(`${folder} is not empty`);
const name = basename(target)
  .toLowerCase()
  .replace(/[^a-z0-9-]+/g, '-')
  .replace(/^-+|-+$/g, '');
if (!/^[a-z][a-z0-9-]{0,53}$/.test(name)) fail(`${basename(target)} does not begin with a letter, or is too long for the name of a Worker`);

mkdirSync(target, { recursive: true });
const write = (file, text) => writeFileSync(join(target, file), text);
cpSync(join(here, 'src'), join(target, 'src'), { recursive: true });
cpSync(join(here, 'template/README.md'), join(target, 'README.md'));
const { engines, dependencies, devDependencies } = JSON.parse(read('package.json'));
const manifest = {
  name,
  private: true,
  type: 'module',
  engines,
  scripts: {
    dev: 'wrangler dev',
    deploy: 'wrangler deploy',
    check: 'wrangler deploy --dry-run',
    'check-types': 'wrangler types --include-env false && tsc -p .',
  },
  dependencies: { memfold: 'latest', ...dependencies },
  devDependencies: { typescript: devDependencies.typescript, wrangler: devDependencies.wrangler },
};
write('package.json', `${JSON.stringify(manifest, null, 2)}\n`);
// In the repository, the package is taken from its build.
write(
  'wrangler.jsonc',
  read('wrangler.jsonc')
    .replace('"name": "memfold"', `"name": "${name}"`)
    .replace('"../../node_modules/', '"node_modules/')
    .replace(/\n.*as `make build`.*\n.*"alias".*/, ''),
);
write(
  'tsconfig.json',
  read('tsconfig.json')
    .replace(/,\n.*"paths".*/, '')
    .replace(/\n.*The platform's own.*\n.*"include".*/, '\n  "include": ["src", "worker-configuration.d.ts"]'),
);
write('.gitignore', 'node_modules\n.wrangler\n.dev.vars\nworker-configuration.d.ts\n');
console.log(`${folder} is ready. Next:\n\n  cd ${folder}\n  npm install\n  npm run dev`);
