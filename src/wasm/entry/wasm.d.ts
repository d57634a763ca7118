import type { WasmSource } from './host.js';

/** The engine's wasm file, in the form that the bundler gives it: a URL, bytes or a module. Pass it to `preload({ wasm })`. */
declare const wasm: WasmSource;
export default wasm;
