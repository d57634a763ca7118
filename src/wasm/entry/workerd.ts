// For Cloudflare Workers: the runtime compiles the imported modules; nothing happens before the first call.
import wasm from './memfold_bg.wasm';
import { face } from './open.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = face((engine) => engine.initSync({ module: wasm }));
export * from './api.js';
