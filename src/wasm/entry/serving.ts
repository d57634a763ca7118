// The worker's side: opens memories for pages and shares equal ones until no page uses them.
import { wrapSignal } from './arguments.js';
import type { Change } from './changes.js';
import { lastCommit, type Intake, type Running, type Verbs } from './engine.js';
import { MemfoldError } from './error.js';
import type { WasmSource } from './host.js';
import type { InternalApi } from './open.js';
import type { OpenOptions } from './options.js';
import { Port, type Message } from './port.js';
import type { HearsTrouble } from './troubles.js';

/** An open memory with the number of its users. */
interface Shared {
  opening: ReturnType<InternalApi['run']>;
  users: number;
}

/** The open memories of a worker. */
export class Serving {
  readonly #run: InternalApi['run'];
  readonly #open = new Map<string, Shared>();
  #unshared = 0;

  constructor(run: InternalApi['run']) {
    this.#run = run;
  }

  /** Serves one page; returns the handlers for its messages and its end. */
  serve(send: (message: Message) => void): { receive(message: Message): void; leave(): void } {
    const used = new Map<string, Shared>();
    const intakes = new Map<number, Intake>();
    const stops = new Map<string, () => void>();
    let [last, gone] = [0, false];
    const memory = (key: string): Promise<Running> => {
      const shared = used.get(key);
      if (!shared) throw new MemfoldError('closed', 'the memory was closed');
      return shared.opening.then(({ running }) => running);
    };
    const release = async (key: string): Promise<void> => {
      const shared = used.get(key);
      stops.get(key)?.();
      stops.delete(key);
      if (!used.delete(key) || !shared || (shared.users -= 1) > 0) return;
      this.#open.delete(key);
      await shared.opening.then(
        ({ running }) => running.close(),
        () => undefined,
      );
    };
    const intake = (n: number): Intake => {
      const found = intakes.get(n);
      if (!found) throw new MemfoldError('closed', 'the import has ended');
      return found;
    };
    const verbs = {
      open: async (options: OpenOptions, to: { tell(changes: Change[]): unknown; trouble?: HearsTrouble; wasm?: WasmSource }) => {
        // Options with functions are never shared.
        let functions = false;
        const told = JSON.stringify(options, (_, value: unknown) => (typeof value === 'function' ? void (functions = true) : value));
        const key = functions ? `${(this.#unshared += 1)}` : told;
        let shared = this.#open.get(key);
        if (!shared) this.#open.set(key, (shared = { opening: this.#run(options, to.wasm), users: 0 }));
        if (!used.has(key)) {
          shared.users += 1;
          used.set(key, shared);
        }
        try {
          const { running, name, elsewhere } = await shared.opening;
          if (gone) throw new MemfoldError('closed', 'the page has closed');
          stops.get(key)?.();
          const ends = [running.changes.subscribe((changes) => void to.tell(changes)), ...(to.trouble ? [running.troubles.subscribe(to.trouble)] : [])];
          stops.set(key, () => ends.forEach((end) => end()));
          return { key, name, elsewhere, durability: running.durability, seq: await lastCommit(running) };
        } catch (error) {
          await release(key);
          throw error;
        }
      },
      call: async (key: string, verb: keyof Verbs, args: unknown[]) => {
        const given = args.map((arg) => (arg instanceof AbortSignal ? wrapSignal(arg) : arg));
        return (await memory(key)).call(verb, given as never);
      },
      intake: async (key: string, options: never, signal: AbortSignal | undefined, gauges: boolean) => {
        intakes.set((last += 1), await (await memory(key)).intake(options, signal && wrapSignal(signal), gauges));
        return last;
      },
      push: (n: number, bytes: Uint8Array) => intake(n).push(bytes),
      finish: (n: number) => intake(n).finish(),
      estimate: (n: number) => intake(n).estimate(),
      end: (n: number) => void intakes.delete(n),
      clear: async (key: string) => (await memory(key)).clear(),
      durability: async (key: string) => (await memory(key)).durability,
      destroy: async (key: string) => {
        const running = await memory(key);
        this.#open.delete(key);
        await running.destroy();
      },
      close: release,
    };
    const port = new Port(send, verbs as never);
    return {
      receive: (message) => port.receive(message),
      leave: () => {
        gone = true;
        port.fail(new MemfoldError('closed', 'the page has closed'));
        for (const key of [...used.keys()]) void release(key);
      },
    };
  }
}
