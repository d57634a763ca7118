// Entry point for Node, Deno and Bun: reads the wasm file from disk and stores memories in SQLite files.
import { readFile } from 'node:fs/promises';
import { createApi } from './open.js';
import { file } from './sqlite.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = createApi(
  async (engine) => engine.load({ module_or_path: await readFile(new URL('./memfold_bg.wasm', import.meta.url)) }),
  file,
);
export * from './api.js';
