#!/usr/bin/env node
// `npx memfold`: memories in one file of this machine, from the command line.
import { open } from 'memfold';
import { run } from './program.mjs';

// Hides Node's warning that its SQLite is experimental.
const listeners = process.listeners('warning');
process.removeAllListeners('warning').on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') for (const listener of listeners) listener(warning);
});

// A reader such as `head` may close the pipe early; the verb still finishes.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await run(process.argv.slice(2), { open });
