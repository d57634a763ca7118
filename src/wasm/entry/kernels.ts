// The loops of a scan in SIMD: a small module over the engine's memory, since an engine without SIMD refuses a whole file for it.
export const decoded = (text: string) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

/** A kernel's name, and its module or the bytes of it as base64. */
export type Kernel = readonly [name: string, made: WebAssembly.Module | string];

/**
 * Gives the engine the first of these kernels that the host takes, and says
 * which. Where it takes none, for lack of SIMD or by a policy, the engine's own plain loops give the same answers.
 */
export function speedUp(memory: WebAssembly.Memory, useKernel: (kernel: WebAssembly.Exports) => void, kernels: readonly Kernel[]): string {
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
