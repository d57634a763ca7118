// Entry point for bundlers without support for .wasm files: the file is inlined, compressed.
import bytes from './bytes.js';
import { createApi } from './open.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = createApi((engine) => engine.initSync({ module: bytes() }));
export * from './api.js';
