// Checks the package's declarations as a strict TypeScript user with a plain `lib` meets them.
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './installed.mjs';

const project = installed();
cpSync(fileURLToPath(new URL('user.ts', import.meta.url)), join(project.dir, 'user.ts'));
writeFileSync(join(project.dir, 'tsconfig.json'), JSON.stringify({
  compilerOptions: {
    target: 'es2022', lib: ['es2022', 'dom'], module: 'nodenext', moduleResolution: 'nodenext', types: [],
    strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, skipLibCheck: false,
  },
  files: ['user.ts'],
}));
const tsc = fileURLToPath(new URL('../../www/node_modules/.bin/tsc', import.meta.url));
const { status } = spawnSync(tsc, ['--project', project.dir], { stdio: 'inherit' });
project.remove();
process.exitCode = status ?? 1;
