// The package as a user would install it, packed and installed once for all test files.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { built } from '../built.mjs';

const folder = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
// On Windows npm is a batch file, which only a shell starts.
const shell = process.platform === 'win32';
const npm = (cwd, ...args) => execFileSync('npm', args, { cwd, encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * Returns `{dir, files, remove}`: a project with the package in its `node_modules`, and what the tarball held; `others` are folders of
 * packages that are installed beside it, such as `pkg-encoder`.
 */
export async function installed(...others) {
  const names = ['pkg', ...others];
  const made = await built(`installed-${names.join('-')}`, names, (dir) => {
    const packed = names.map((name) => JSON.parse(npm(folder(name), 'pack', '--json', '--pack-destination', dir))[0]);
    writeFileSync(join(dir, 'package.json'), '{"name":"user","private":true,"type":"module"}\n');
    npm(dir, 'install', '--no-audit', '--no-fund', '--offline', ...packed.map(({ filename }) => `./${filename}`));
    writeFileSync(join(dir, 'packed.json'), JSON.stringify(packed[0].files.map((f) => f.path).sort()));
  });
  const dir = mkdtempSync(join(tmpdir(), 'memfold-package-'));
  cpSync(made, dir, { recursive: true, verbatimSymlinks: true });
  return { dir, files: JSON.parse(readFileSync(join(dir, 'packed.json'), 'utf8')), remove: () => rmSync(dir, { recursive: true }) };
}
