// For bundlers that cannot carry a .wasm file: the bytes are in the code, a third larger.
import bytes from './bytes.js';
import { decoded } from './kernels.js';
import { face } from './open.js';
import kernels from './simd.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = face((engine) => engine.initSync({ module: decoded(bytes) }), kernels);
export * from './api.js';
