// The encoder at the other end of a port, in a worker of a browser or of Node.
import { decoded } from './base64.js';
import packed from './encoder-bytes.js';
import { Core, type Loading } from './encoder-core.js';
import type { Pair, ReadFile } from './encoder-source.js';
import type { Signal } from './host.js';
import { Port, type Message } from './port.js';

/** The wasm file out of the code: a worker then needs no file beside its script, and no address that a policy has to allow. */
export const inflated = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await new Response(new Blob([decoded(packed)]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());

type Call = { signal?: Signal; onBytes(bytes: number): void };

/** Serves the other end; gives what takes its messages. */
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
