// Host types declared by shape, so that the declarations also work in projects whose `lib` lacks DOM.
type Given<Name extends string, Else> = typeof globalThis extends Record<Name, { prototype: infer T }> ? T : Else;

declare global {
  // Merges with the host's own declaration, which may be a class that `typeof globalThis` does not show.
  interface AbortSignal {}
  // For `await using`; older versions of the TypeScript library lack it.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** An `AbortSignal`. */
export type Signal = keyof AbortSignal extends never
  ? {
      readonly aborted: boolean;
      readonly reason?: unknown;
      addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
      removeEventListener(type: 'abort', listener: () => void): void;
    }
  : AbortSignal;

/** A `Blob`, such as a selected file. */
export type BlobLike = Given<
  'Blob',
  { readonly size: number; slice(start?: number, end?: number): BlobLike; arrayBuffer(): Promise<ArrayBuffer>; stream(): ByteStream }
>;

/** A `ReadableStream` of bytes. */
export type ByteStream = Given<
  'ReadableStream',
  { getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array }>; cancel(reason?: unknown): Promise<void>; releaseLock(): void } }
>;

/** The type of the host's `fetch`. */
export type Fetch = typeof globalThis extends { fetch: infer F } ? F : (input: any, init?: any) => Promise<any>;

/** The engine's wasm file: its URL, its bytes or the compiled module. */
export type WasmSource =
  | string
  | { readonly href: string }
  | ArrayBuffer
  | Uint8Array
  | Given<'Response', never>
  | (typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : object);
