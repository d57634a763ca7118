// For Node, Deno and Bun: reads the wasm file that lies beside this one, and keeps memories in files.
import { readFile } from 'node:fs/promises';
import { face } from './open.js';
import { file } from './sqlite.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = face(
  async (engine) => engine.load({ module_or_path: await readFile(new URL('./memfold_bg.wasm', import.meta.url)) }),
  file,
);
export * from './api.js';
