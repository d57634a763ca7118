// The recipes of the documentation, as somebody who has never seen the source would follow them: the files that a page names, in a
// clean folder, with the packed package and what else the page says is to be installed.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from '../package/installed.mjs';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Where packages of other people are taken from, in place of the registry. */
const NEXT = at('tests/newcomer/next/node_modules');
const SHELF = at('node_modules');
/** Node got SQLite in this version; before it, the page on Node says, `better-sqlite3` is installed beside. */
const HAS_SQLITE = (([major, minor]) => major > 22 || (major === 22 && minor >= 13))(process.versions.node.split('.').map(Number));

/** What lies in an example that somebody has run. */
const MADE = /[/\\](?:node_modules|dist|\.wrangler|package-lock\.json|\w+\.sqlite.*)$/;

/** A page: how it is run, its files and what each of them prints, and what is to be installed. */
export function recipe(path) {
  const text = readFileSync(at(path), 'utf8');
  const head = Object.fromEntries([...(/^---\n([\s\S]*?)\n---/.exec(text)?.[1].matchAll(/^(\w+): (.+)$/gm) ?? [])].map(([, key, value]) => [key, value]));
  const files = [];
  const installs = new Set();
  for (const [, language, name, body] of text.matchAll(/^```(\w+)(?: \[(.+?)\])?\n([\s\S]*?)^```$/gm)) {
    if (name === 'prints') files.at(-1).prints = body;
    else if (name) files.push({ name, body });
    else if (language === 'sh')
      for (const [, said] of body.matchAll(/^npm install (.+)$/gm)) for (const one of said.split(' ')) if (!one.startsWith('-')) installs.add(one);
  }
  return { path, ...head, files, installs: [...installs] };
}

/** The pages whose programs are run; each names its runner in its front matter. */
const PROGRAMS = ['start', 'cheat-sheet', 'playground', 'mail', 'sync', 'cookbook'];
export const PAGES = [
  ...PROGRAMS.map((name) => `docs/${name}.md`),
  ...readdirSync(at('docs/recipes'))
    .sort()
    .map((name) => `docs/recipes/${name}`),
];

/** Lines that are to be written: those that hold code. */
export const lines = (code) => code.split('\n').filter((line) => /\S/.test(line) && !/^\s*\/\//.test(line)).length;

/**
 * `folder(page)` is a clean folder with the files of a page and what it installs, `example(name)` a copy of an
 * example with what its manifest names.
 */
export async function shop() {
  const { dir: project, remove } = await installed();
  const dir = mkdtempSync(join(tmpdir(), 'memfold-newcomer-'));
  const install = (path, names) => {
    const to = mkdtempSync(join(dir, `${path.replace(/\W+/g, '-')}-`));
    if (!names.includes('memfold')) throw new Error(`${path} does not say that the package is to be installed`);
    cpSync(project, to, { recursive: true, verbatimSymlinks: true });
    // Its compiler follows no link out of the folder.
    if (names.includes('next')) cpSync(NEXT, join(to, 'node_modules'), { recursive: true });
    for (const name of [...names, ...(HAS_SQLITE ? [] : ['better-sqlite3'])]) {
      if (name === 'memfold' || existsSync(join(to, 'node_modules', name))) continue;
      if (!existsSync(join(SHELF, name))) throw new Error(`${path} installs ${name}, which is not among the packages of this repository`);
      mkdirSync(dirname(join(to, 'node_modules', name)), { recursive: true });
      symlinkSync(join(SHELF, name), join(to, 'node_modules', name));
    }
    return to;
  };
  const folder = ({ path, files, installs }) => {
    const to = install(path, installs);
    for (const { name, body } of files) {
      mkdirSync(dirname(join(to, name)), { recursive: true });
      writeFileSync(join(to, name), body);
    }
    return to;
  };
  const example = (name) => {
    const from = at(`examples/${name}`);
    const { dependencies, devDependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    const to = install(`example-${name}`, Object.keys({ ...dependencies, ...devDependencies }));
    cpSync(from, to, { recursive: true, filter: (path) => !MADE.test(path) });
    return to;
  };
  const close = () => {
    remove();
    rmSync(dir, { recursive: true, force: true });
  };
  return { folder, example, close };
}
