// The encoder's side of a port, in a browser worker or a Node worker thread.
import { decoded } from './base64.js';
import packed from './encoder-bytes.js';
import { Core, type Loading } from './encoder-core.js';
import type { Pair, ReadFile } from './encoder-source.js';
import type { Signal } from './host.js';
import { Port, type Message } from './port.js';

/** The wasm file, inlined in the script: a worker needs no second file and no URL allowed by a content security policy. */
export const inflated = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Response(new Blob([decoded(packed)]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());

type Call = { signal?: Signal; onBytes(bytes: number): void };

/** Serves one port; returns its message handler. */
export function serve(send: (message: Message) => void, readFile?: ReadFile): (message: Message) => void {
  let core: Core | undefined;
  const port = new Port(send, {
    load: async (loading, call) => {
      const { onBytes, signal } = call as Call;
      core = new Core(await inflated(), readFile);
      return core.load(loading as Loading, onBytes, signal);
    },
    embed: (texts, isQuery, call) => core!.embed(texts as string[], isQuery as boolean, (call as Call).signal),
    judge: (pairs, call) => core!.judge(pairs as Pair[], (call as Call).signal),
  });
  return (message) => port.receive(message);
}
