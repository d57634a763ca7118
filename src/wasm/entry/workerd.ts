// Entry point for Cloudflare Workers: the runtime has compiled the wasm module; nothing runs before the first call.
import wasm from './memfold_bg.wasm';
import { createApi } from './open.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = createApi((engine) => engine.initSync({ module: wasm }));
export * from './api.js';
