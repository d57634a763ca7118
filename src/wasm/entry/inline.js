// For bundlers that cannot carry a .wasm file: the bytes are in the code, a third larger.
import { initSync } from './memfold.js';
import bytes from './bytes.js';
import { face } from './api.js';

export const { open, compare, testEndpoint } = face(() =>
  initSync({ module: Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0)) }),
);
export { endpointAnalyst, Memories, MemfoldError } from './api.js';
