#!/usr/bin/env node
// `npx memfold`: a memory in one file of this machine, from the command line.
import { open } from 'memfold';
import { run } from './program.mjs';

process.exitCode = await run(process.argv.slice(2), { open });
