// For bundlers that cannot carry a .wasm file: the bytes are in the code, packed.
import bytes from './bytes.js';
import { face } from './open.js';

export const { open, preload, compare, endpointAnalyst, testEndpoint } = face((engine) => engine.initSync({ module: bytes() }));
export * from './api.js';
