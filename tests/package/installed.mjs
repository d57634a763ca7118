// Packs the package and installs it as a user would, in a directory of its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
// On Windows npm is a batch file, which only a shell starts.
const shell = process.platform === 'win32';
const npm = (cwd, ...args) => execFileSync('npm', args, { cwd, encoding: 'utf8', shell, stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * Returns `{dir, files, remove}`: a project with the package in its `node_modules`, and what the tarball held; `others` are folders of
 * packages that are installed beside it, such as `pkg-encoder`.
 */
export function installed(...others) {
  const dir = mkdtempSync(join(tmpdir(), 'memfold-package-'));
  const packed = ['pkg', ...others].map((name) => JSON.parse(npm(folder(name), 'pack', '--json', '--pack-destination', dir))[0]);
  const [{ files }] = packed;
  writeFileSync(join(dir, 'package.json'), '{"name":"user","private":true,"type":"module"}\n');
  npm(dir, 'install', '--no-audit', '--no-fund', '--offline', ...packed.map(({ filename }) => `./${filename}`));
  return { dir, files: files.map((f) => f.path).sort(), remove: () => rmSync(dir, { recursive: true }) };
}
