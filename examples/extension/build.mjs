// An extension loads no code from elsewhere: the package lies beside its files in dist/, which is loaded unpacked.
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
cpSync('src', 'dist', { recursive: true });
cpSync('node_modules/memfold', 'dist/memfold', { recursive: true, dereference: true });
