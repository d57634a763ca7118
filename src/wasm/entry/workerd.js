// For Cloudflare Workers: the runtime compiles the imported module; nothing happens before the first call.
import wasm from './memfold_bg.wasm';
import { initSync } from './memfold.js';
import { face } from './api.js';

export const { open, compare, testEndpoint } = face(() => initSync({ module: wasm }));
export { endpointAnalyst, Memories, MemfoldError } from './api.js';
