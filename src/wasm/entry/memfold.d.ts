// The bindings as the build lays them out: of one instance each.
import type * as made from './generated.js';

/** Looks at what an instance exports, and at what is imported into it. */
export interface Watch {
  exports(raw: WebAssembly.Exports): WebAssembly.Exports;
  imports(raw: WebAssembly.Imports): WebAssembly.Imports;
}

/** What the bindings of one instance give. */
export interface Bindings extends Omit<typeof made, 'default'> {
  load: typeof made.default;
  /** The compiled module, once it is loaded. */
  module(): WebAssembly.Module;
}

export default function bindings(watch: Watch): Bindings;
