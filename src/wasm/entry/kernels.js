// The loops of a scan in SIMD: a small module over the engine's memory, since an engine without SIMD refuses a whole file for it.
export const decoded = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/**
 * Gives the engine the first of these kernels (a name, and the module or its bytes as base64) that the host takes, and says
 * which. Where it takes none, for lack of SIMD or by a policy, the engine's own plain loops give the same answers.
 */
export function speedUp(memory, useKernel, kernels) {
  for (const [name, made] of kernels) {
    try {
      const module = typeof made === 'string' ? new WebAssembly.Module(decoded(made)) : made;
      useKernel(new WebAssembly.Instance(module, { env: { memory } }).exports);
      return name;
    } catch {
      // The next one, or none.
    }
  }
  return 'plain';
}
