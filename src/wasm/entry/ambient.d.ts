// What hosts give that the library of TypeScript does not name.
interface DurableObjectStorage {
  readonly sql: object;
}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}

declare module 'node:fs/promises' {
  export function readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
}
