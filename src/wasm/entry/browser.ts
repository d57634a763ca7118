// Loads the engine in browsers, from the wasm file next to this module.
import { createApi, type InternalApi } from './open.js';

export const made: InternalApi = createApi((engine) => engine.load({ module_or_path: new URL('./memfold_bg.wasm', import.meta.url) }));
