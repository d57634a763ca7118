// The ways to run the encoder: at the other end of a port, or in this thread.
import { unwatched } from './arguments.js';
import { Core, type Loading } from './encoder-core.js';
import type { Running } from './encoder-face.js';
import { addressOf, type ReadFile, type WeightsSource } from './encoder-source.js';
import type { MemfoldError } from './error.js';
import type { Signal } from './host.js';
import type { Port } from './port.js';

/** A source as it crosses to a worker: an address, or bytes that are not copied. */
async function crossing(source: WeightsSource | undefined): Promise<WeightsSource | undefined> {
  if (source === undefined || source instanceof Blob) return source;
  const address = addressOf(source);
  if (address !== undefined) return address;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new Blob([source as BlobPart]);
  if (source instanceof Response) return source.blob();
  return new Response(source as BodyInit).blob();
}

const stopping = (signal: Signal | undefined) => (signal ? { signal: unwatched(signal) } : {});

/** An encoder that `serve` runs over there; `close` ends it. */
export function overPort(port: Port, close: () => void): Running {
  const ask = <T>(verb: string, ...args: unknown[]): Promise<T> => port.call(verb, args) as Promise<T>;
  return {
    async load({ weights, head, store }, onBytes, signal) {
      return ask('load', { weights: await crossing(weights), head: await crossing(head), store } satisfies Loading, { onBytes, ...stopping(signal) });
    },
    embed: (texts, isQuery, signal) => ask('embed', texts, isQuery, stopping(signal)),
    judge: (pairs, signal) => ask('judge', pairs, stopping(signal)),
    close,
  };
}

/** A worker's end by itself, told to those who wait for it. */
export const ending = (port: Port, lost: (error: MemfoldError) => void) => (error: MemfoldError): void => {
  lost(error);
  port.fail(error);
};

/** An encoder in this thread. */
export function here(module: WebAssembly.Module | Uint8Array<ArrayBuffer>, readFile?: ReadFile): Running {
  const core = new Core(module, readFile);
  return {
    load: (loading, onBytes, signal) => core.load(loading, onBytes, signal),
    embed: (texts, isQuery, signal) => core.embed(texts, isQuery, signal),
    judge: (pairs, signal) => core.judge(pairs, signal),
    close: () => core.close(),
  };
}
