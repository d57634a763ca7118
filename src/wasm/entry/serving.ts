// The engine's end of a worker: memories that are opened and asked from elsewhere, each for as long as anybody asks it.
import { watched } from './arguments.js';
import type { Change } from './changes.js';
import { lastCommit, type Intake, type Running, type Verbs } from './engine.js';
import { MemfoldError } from './error.js';
import type { Faced, OpenOptions } from './open.js';
import { Port, type Message } from './port.js';
import type { HearsTrouble } from './troubles.js';

/** A memory, and how many ask it. */
interface Shared {
  opening: ReturnType<Faced['run']>;
  users: number;
}

/** The memories of one worker. */
export class Serving {
  readonly #run: Faced['run'];
  readonly #open = new Map<string, Shared>();
  #alone = 0;

  constructor(run: Faced['run']) {
    this.#run = run;
  }

  /** Serves whoever is at the other end; gives what takes its messages, and what lets go of it. */
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
      await shared.opening.then(({ running }) => running.close(), () => undefined);
    };
    const intake = (n: number): Intake => {
      const found = intakes.get(n);
      if (!found) throw new MemfoldError('closed', 'the import has ended');
      return found;
    };
    const verbs = {
      open: async (options: OpenOptions, to: { tell(changes: Change[]): unknown; trouble?: HearsTrouble }) => {
        // Who brings functions of their own shares nothing.
        let functions = false;
        const told = JSON.stringify(options, (_, value: unknown) => (typeof value === 'function' ? void (functions = true) : value));
        const key = functions ? `${(this.#alone += 1)}` : told;
        let shared = this.#open.get(key);
        if (!shared) this.#open.set(key, (shared = { opening: this.#run(options), users: 0 }));
        if (!used.has(key)) {
          shared.users += 1;
          used.set(key, shared);
        }
        try {
          const { running, name, elsewhere } = await shared.opening;
          if (gone) throw new MemfoldError('closed', 'the page is gone');
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
        const given = args.map((arg) => (arg instanceof AbortSignal ? watched(arg) : arg));
        return (await memory(key)).call(verb, given as never);
      },
      intake: async (key: string, options: never, signal: AbortSignal | undefined, gauges: boolean) => {
        intakes.set((last += 1), await (await memory(key)).intake(options, signal && watched(signal), gauges));
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
        port.fail(new MemfoldError('closed', 'the page is gone'));
        for (const key of [...used.keys()]) void release(key);
      },
    };
  }
}
