// Host APIs without types in the TypeScript library.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

declare module 'node:fs/promises' {
  export function readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
  export function stat(path: string): Promise<{ isDirectory(): boolean }>;
  export function rm(path: string, options: { force: boolean }): Promise<void>;
}

declare module 'node:fs' {
  export function createReadStream(path: string | URL, options: { highWaterMark: number }): AsyncIterable<Uint8Array>;
}

declare module 'node:worker_threads' {
  interface Wire {
    postMessage(message: unknown): void;
    on(event: 'message', listener: (message: any) => void): void;
  }
  export const parentPort: Wire | null;
  export class Worker implements Wire {
    constructor(script: URL);
    postMessage(message: unknown): void;
    on(event: 'message', listener: (message: any) => void): void;
    on(event: 'error', listener: (error: Error & { code?: string }) => void): void;
    on(event: 'exit', listener: (code: number) => void): void;
    ref(): void;
    unref(): void;
    terminate(): Promise<number>;
  }
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
