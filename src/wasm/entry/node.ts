// For Node: reads the wasm file that lies beside this one.
import { readFile } from 'node:fs/promises';
import { face } from './open.js';
import kernels from './simd.js';

export const { open, compare, endpointAnalyst, testEndpoint } = face(
  async (engine) => engine.load({ module_or_path: await readFile(new URL('./memfold_bg.wasm', import.meta.url)) }),
  kernels,
);
export * from './api.js';
