// What hosts give, by its shape: the declarations are whole where a project's `lib` has no DOM.
type Given<Name extends string, Else> = typeof globalThis extends Record<Name, { prototype: infer T }> ? T : Else;

declare global {
  // The host's own, where it has one; some declare a class, which no type of `globalThis` tells of.
  interface AbortSignal {}
}

/** An `AbortSignal`. */
export type Signal = keyof AbortSignal extends never
  ? { readonly aborted: boolean; readonly reason?: unknown; addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void; removeEventListener(type: 'abort', listener: () => void): void }
  : AbortSignal;

/** A `Blob`, such as a file that was chosen. */
export type BlobLike = Given<'Blob', { readonly size: number; slice(start?: number, end?: number): BlobLike; arrayBuffer(): Promise<ArrayBuffer>; stream(): ByteStream }>;

/** A `ReadableStream` of bytes. */
export type ByteStream = Given<'ReadableStream', { getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array }>; cancel(reason?: unknown): Promise<void>; releaseLock(): void } }>;

/** The host's `fetch`, or one in its place. */
export type Fetch = typeof globalThis extends { fetch: infer F } ? F : (input: any, init?: any) => Promise<any>;

/** The engine's file: where it lies, its bytes, or the compiled module. */
export type WasmSource = string | { readonly href: string } | ArrayBuffer | Uint8Array | Given<'Response', never> | (typeof globalThis extends { WebAssembly: { Module: { prototype: infer M } } } ? M : object);
