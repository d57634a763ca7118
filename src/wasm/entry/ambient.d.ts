// What hosts give that the library of TypeScript does not name.
interface DurableObjectStorage {
  readonly sql: object;
}

/** What webpack and Vite put in place while they build. */
interface ImportMeta {
  readonly webpack?: number;
  readonly env?: { readonly PROD?: boolean };
}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

declare module 'node:fs/promises' {
  export function readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
  export function stat(path: string): Promise<{ isDirectory(): boolean }>;
  export function rm(path: string, options: { force: boolean }): Promise<void>;
}

declare module 'node:path' {
  export function resolve(...parts: string[]): string;
  export function dirname(path: string): string;
}

declare module 'react' {
  export function useMemo<T>(make: () => T, given: unknown[]): T;
  export function useRef<T>(value: T): { current: T };
  export function useSyncExternalStore<T>(subscribe: (changed: () => void) => () => void, current: () => T, onServer: () => T): T;
}
