// Starts the encoder behind a port or in this thread.
import { unwrapSignal } from './arguments.js';
import { Core, type Loading } from './encoder-core.js';
import type { Running } from './encoder-face.js';
import { addressOf, type ReadFile, type WeightsSource } from './encoder-source.js';
import { MemfoldError } from './error.js';
import type { Signal } from './host.js';
import type { Port } from './port.js';

/** Converts a source for a worker: to a URL, or to a Blob, which is not copied. */
async function toTransferable(source: WeightsSource | undefined): Promise<WeightsSource | undefined> {
  if (source === undefined || source instanceof Blob) return source;
  const address = addressOf(source);
  if (address !== undefined) return address;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return new Blob([source as BlobPart]);
  if (source instanceof Response) return source.blob();
  return new Response(source as BodyInit).blob();
}

const stopping = (signal: Signal | undefined) => (signal ? { signal: unwrapSignal(signal) } : {});

/**
 * An encoder behind a port. `stop` ends its worker. Calling `end` reports an unexpected end: `lost` is called, and
 * running and later calls are rejected.
 */
export function runOverPort(port: Port, stop: () => void, lost: (error: MemfoldError) => void): { running: Running; end(error: MemfoldError): void } {
  let over: MemfoldError | undefined;
  const ask = <T>(verb: string, ...args: unknown[]): Promise<T> => (over ? Promise.reject(over) : (port.call(verb, args) as Promise<T>));
  const fail = (error: MemfoldError): void => {
    over ??= error;
    stop();
    port.fail(error);
  };
  return {
    running: {
      async load({ weights, head, store }, onBytes, signal) {
        return ask('load', { weights: await toTransferable(weights), head: await toTransferable(head), store } satisfies Loading, {
          onBytes,
          ...stopping(signal),
        });
      },
      embed: (texts, isQuery, signal) => ask('embed', texts, isQuery, stopping(signal)),
      judge: (pairs, signal) => ask('judge', pairs, stopping(signal)),
      close: () => fail(new MemfoldError('closed', 'the encoder was closed')),
    },
    end(error) {
      if (over) return;
      lost(error);
      fail(error);
    },
  };
}

/** Runs the encoder in this thread. */
export function runInThread(module: WebAssembly.Module | Uint8Array<ArrayBuffer>, readFile?: ReadFile): Running {
  const core = new Core(module, readFile);
  return {
    load: (loading, onBytes, signal) => core.load(loading, onBytes, signal),
    embed: (texts, isQuery, signal) => core.embed(texts, isQuery, signal),
    judge: (pairs, signal) => core.judge(pairs, signal),
    close: () => core.close(),
  };
}
