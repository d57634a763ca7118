// Checks the package's declarations as strict TypeScript users meet them: in a page with a plain `lib`, and without a DOM.
import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installed } from './installed.mjs';

const project = await installed();
const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
let broken = 0;
for (const [file, lib] of [
  ['user.ts', ['es2022', 'dom']],
  ['plain.ts', ['es2022']],
]) {
  cpSync(fileURLToPath(new URL(file, import.meta.url)), join(project.dir, file));
  writeFileSync(
    join(project.dir, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        lib,
        module: 'nodenext',
        moduleResolution: 'nodenext',
        types: [],
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        skipLibCheck: false,
      },
      files: [file],
    }),
  );
  broken += spawnSync(tsc, ['--project', project.dir], { stdio: 'inherit' }).status ?? 1;
}
project.remove();
process.exitCode = broken === 0 ? 0 : 1;
