// For bundlers that cannot carry a .wasm file: the bytes are in the code, packed.
import bytes from './bytes.js';
import { face } from './open.js';
import kernels from './simd.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = face((engine) => engine.initSync({ module: bytes() }), kernels);
export * from './api.js';
