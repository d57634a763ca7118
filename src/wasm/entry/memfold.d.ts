// The wasm bindings after the build step: each call creates a separate instance.
import type * as made from './generated.js';

/** Wraps the exports and imports of an instance. */
export interface Watch {
  exports(raw: WebAssembly.Exports): WebAssembly.Exports;
  imports(raw: WebAssembly.Imports): WebAssembly.Imports;
}

/** The bindings of one instance. */
export interface Bindings extends Omit<typeof made, 'default'> {
  load: typeof made.default;
  /** The compiled module, once loaded. */
  module(): WebAssembly.Module;
}

export default function bindings(watch: Watch): Bindings;
