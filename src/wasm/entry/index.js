// For browsers: pages, workers and extension service workers. Fetches the wasm file that lies beside this one.
import { face } from './api.js';
import kernels from './simd.js';

export const { open, compare, testEndpoint } = face((engine) => engine.load({ module_or_path: new URL('./memfold_bg.wasm', import.meta.url) }), kernels);
export { endpointAnalyst, Memories, MemfoldError } from './api.js';
