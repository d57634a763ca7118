// A memory whose engine runs elsewhere, as it is asked from here.
import { finite, invalid, unwatched } from './arguments.js';
import { apart, type Change, type Hears, type Stop } from './changes.js';
import { Underway, closedError, type Intake, type Running, type Taken, type Verbs } from './engine.js';
import { MemfoldError } from './error.js';
import { written, type OpenOptions } from './open.js';
import type { Durability } from './place.js';
import { Port, type Message } from './port.js';
import type { HearsTrouble } from './troubles.js';
import type { Estimate } from './types.js';

/** A way to an engine; where whoever runs it changes, what is under way there is lost. */
export interface Way {
  send(message: Message): void;
  /** Who hears what comes back, and that somebody else runs the engine now. */
  attach(receive: (message: Message) => void, moved: () => void, broken: (error: MemfoldError) => void): void;
  leave(): void;
}

/** What opening tells. */
interface Answer {
  key: string;
  name: string;
  elsewhere: boolean;
  durability: Durability;
  /** The last commit that was there. */
  seq: number;
}

/** What only reads, and so may be asked again of whoever runs the engine now. */
const READS: ReadonlySet<string> = new Set<keyof Verbs>([
  'answer', 'get', 'list', 'history', 'diff', 'related', 'links', 'getEdges', 'nodes', 'log', 'sent', 'analytics', 'usage', 'export', 'previewDelete', 'reviews', 'changesToConfirm', 'corrections', 'check', 'pulse', 'collectMergeCandidates', 'changes', 'search',
]);

/** Options as they cross: an address as its text. */
function crossing(options: OpenOptions): OpenOptions {
  const { wasm, onTrouble: _, ...rest } = options;
  if (rest.storage !== undefined) throw new MemfoldError('invalid_field', '`storage` is of a Durable Object, not of a worker', { field: 'storage' });
  if (wasm === undefined) return rest;
  return { ...rest, wasm: typeof wasm === 'object' && 'href' in wasm ? String(wasm.href) : wasm };
}

export class Remote implements Running {
  readonly #way: Way;
  readonly #options: OpenOptions;
  readonly #port: Port;
  readonly #hearers = new Set<Hears>();
  readonly #trouble: HearsTrouble | undefined;
  #opened: Promise<Answer>;
  #told!: Answer;
  /** The last commit that was told of. */
  #seq = 0;
  readonly #ends = new AbortController();
  readonly #underway = new Underway();
  #ending: Promise<void> | undefined;
  #left = false;

  private constructor(way: Way, options: OpenOptions) {
    this.#way = way;
    this.#options = finite(crossing(options), 'options');
    const { onTrouble } = options;
    if (onTrouble !== undefined && typeof onTrouble !== 'function') throw invalid('onTrouble', 'is not a function');
    this.#trouble = onTrouble;
    this.#port = new Port((message) => way.send(message));
    way.attach(
      (message) => this.#port.receive(message),
      () => {
        this.#port.fail(new MemfoldError('connection_lost', 'the tab that ran the engine is gone; another one runs it now', { retryable: true }));
        if (this.#left) return;
        this.#opened = this.#open();
        // Where that fails, whoever asks next is told.
        void this.#missed().catch(() => undefined);
      },
      (error) => this.#port.fail(error),
    );
    this.#opened = this.#open();
  }

  /** Opens a memory over there; gives it, with its name and whether it embeds elsewhere. */
  static async open(way: Way, options: OpenOptions): Promise<{ running: Remote; name: string; elsewhere: boolean }> {
    const running = new Remote(way, options);
    try {
      const { name, elsewhere, seq } = await running.#session();
      running.#seq = Math.max(running.#seq, seq);
      return { running, name, elsewhere };
    } catch (error) {
      way.leave();
      throw error;
    }
  }

  readonly changes = {
    subscribe: (hears: Hears): Stop => {
      this.#hearers.add(hears);
      return () => void this.#hearers.delete(hears);
    },
  };

  get durability(): Durability {
    return this.#told.durability;
  }

  get closing(): AbortSignal {
    return this.#ends.signal;
  }

  call: Running['call'] = (name, args) => {
    const given = (args as unknown[]).map(unwatched);
    const ask = ({ key }: Answer) => this.#port.call('call', [key, name, given]);
    // A key makes a second try of the same harmless.
    const again = READS.has(name) || (name === 'consolidate' && typeof (args[1] as { key?: unknown } | undefined)?.key === 'string');
    return this.#asked(ask, again) as never;
  };

  intake: Running['intake'] = async (options, signal, gauges) => {
    const n = await this.#asked(({ key }) => this.#port.call('intake', [key, options, unwatched(signal), gauges]));
    const ended = <T>(value: unknown): T => {
      void this.#port.call('end', [n]).catch(() => undefined);
      return value as T;
    };
    const intake: Intake = {
      push: (bytes) => this.#begun(() => this.#port.call('push', [n, bytes])) as Promise<Taken>,
      finish: () => this.#begun(() => this.#port.call('finish', [n])).then((taken) => (gauges ? (taken as Taken) : ended<Taken>(taken))),
      estimate: () => this.#port.call('estimate', [n]).then((told) => ended<Estimate>(told)),
    };
    return intake;
  };

  async clear(): Promise<void> {
    await this.#asked(({ key }) => this.#port.call('clear', [key]));
  }

  async destroy(): Promise<void> {
    if (this.#ending) throw closedError();
    await (this.#ending = this.#end(true));
  }

  close(): Promise<void> {
    return (this.#ending ??= this.#end(false));
  }

  /** What is under way ends first; whatever comes after it comes too late. */
  async #end(destroys: boolean): Promise<void> {
    this.#ends.abort();
    await this.#underway.over();
    try {
      const { key } = await this.#session();
      this.#hearers.clear();
      if (destroys) await this.#port.call('destroy', [key]);
      await this.#port.call('close', [key]);
    } finally {
      this.#left = true;
      this.#way.leave();
      this.#port.fail(closedError());
    }
  }

  /** A call, unless it comes too late; a close waits for it. */
  #begun<T>(work: () => Promise<T>): Promise<T> {
    return this.#ending ? Promise.reject(closedError()) : this.#underway.add(work());
  }

  #open(): Promise<Answer> {
    const trouble = this.#trouble;
    return this.#port.call('open', [this.#options, { tell: (changes: Change[]) => this.#hear(changes), ...(trouble && { trouble }) }]) as Promise<Answer>;
  }

  /** The memory over there; opened anew where whoever ran it is gone. */
  async #session(): Promise<Answer> {
    for (;;) {
      const opened = this.#opened;
      try {
        return (this.#told = await opened);
      } catch (error) {
        if (opened === this.#opened) throw error;
      }
    }
  }

  #asked(ask: (told: Answer) => Promise<unknown>, again = false): Promise<unknown> {
    return this.#begun(() => this.#answered(ask, again));
  }

  async #answered(ask: (told: Answer) => Promise<unknown>, again: boolean): Promise<unknown> {
    for (;;) {
      const opened = this.#opened;
      const told = await this.#session();
      try {
        return await ask(told);
      } catch (error) {
        if (!again || opened === this.#opened || (error as MemfoldError).code !== 'connection_lost') throw error;
      }
    }
  }

  /** Tells what was written while nobody ran the engine, or by whoever did before it could say so. */
  async #missed(): Promise<void> {
    const [entries] = await this.call('log', [{ after: this.#seq }]);
    this.#hear(entries.map((entry) => ({ ...written(entry), own: false })));
  }

  #hear(changes: Change[]): void {
    if (changes.length === 0) return;
    this.#seq = changes.reduce((seq, change) => (change.action === 'clear' ? 0 : Math.max(seq, change.seq)), this.#seq);
    for (const hears of [...this.#hearers]) apart(() => hears(changes));
  }
}
