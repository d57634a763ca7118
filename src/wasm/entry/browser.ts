// Loads the engine in browsers: from the wasm file next to this module or, if a bundler left it out, from the inlined
// copy.
import { createApi, type InternalApi } from './open.js';

export const made: InternalApi = createApi(async (engine) => {
  try {
    return await engine.load({ module_or_path: new URL('./memfold_bg.wasm', import.meta.url) });
  } catch (error) {
    // webpack and Vite bundle the file and report failures at build time, so their output needs no copy.
    if (import.meta.webpack) throw error;
    if (import.meta.env?.PROD) throw error;
    // A content security policy forbids the copy too; extension scripts cannot import it dynamically.
    const copy = await import('./bytes.js').catch(() => undefined);
    if (!copy || /content security policy|unsafe-eval/i.test(String(error))) throw error;
    return engine.load({ module_or_path: copy.default() });
  }
});
