#!/usr/bin/env node
// `npx memfold`: a memory in one file of this machine, from the command line.
import { open } from 'memfold';
import { run } from './program.mjs';

// Node calls its SQLite experimental each time that it is used: no news to whoever calls this.
const said = process.listeners('warning');
process.removeAllListeners('warning').on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') for (const say of said) say(warning);
});

// Whoever reads may have seen enough, as `head` has: what is under way is finished, and nothing more is said.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await run(process.argv.slice(2), { open });
