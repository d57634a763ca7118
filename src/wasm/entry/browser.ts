// How browsers find the engine: the wasm file beside this one, or, where a bundler did not carry it, the copy in the code.
import { face, type Faced } from './open.js';

export const made: Faced = face(async (engine) => {
  try {
    return await engine.load({ module_or_path: new URL('./memfold_bg.wasm', import.meta.url) });
  } catch (error) {
    // These carry the file, and say so while they build: no copy is left in what they make.
    if (import.meta.webpack) throw error;
    if (import.meta.env?.PROD) throw error;
    // A policy forbids the copy too, and so does the script of an extension, which may import nothing later.
    const copy = await import('./bytes.js').catch(() => undefined);
    if (!copy || /content security policy|unsafe-eval/i.test(String(error))) throw error;
    return engine.load({ module_or_path: copy.default() });
  }
});
