// A memory whose engine runs in a worker or another tab.
import { checkFinite, invalid, unwrapSignal } from './arguments.js';
import { callSafely, type Change, type Hears, type Stop } from './changes.js';
import { RunningCalls, closedError, type Intake, type Running, type ImportProgress, type Verbs } from './engine.js';
import { MemfoldError } from './error.js';
import type { WasmSource } from './host.js';
import { written } from './open.js';
import type { OpenOptions } from './options.js';
import type { Durability } from './place.js';
import { Port, type Message } from './port.js';
import type { HearsTrouble } from './troubles.js';
import type { Estimate } from './types.js';

/** A connection to an engine. If the engine moves to another tab, running calls are lost. */
export interface EngineConnection {
  send(message: Message): void;
  /** Registers handlers for messages, for a move of the engine to another tab, and for a failed worker. */
  attach(receive: (message: Message) => void, moved: () => void, broken: (error: MemfoldError) => void): void;
  leave(): void;
}

/** The result of opening. */
interface Answer {
  key: string;
  name: string;
  elsewhere: boolean;
  durability: Durability;
  /** The number of the last commit. */
  seq: number;
}

/** Read-only methods, which are safe to retry after the engine has moved. */
const READS: ReadonlySet<string> = new Set<keyof Verbs>([
  'answer',
  'get',
  'list',
  'history',
  'related',
  'links',
  'getEdges',
  'nodes',
  'log',
  'sent',
  'analytics',
  'usage',
  'export',
  'previewDelete',
  'reviews',
  'changesToConfirm',
  'check',
  'pulse',
  'collectMergeCandidates',
  'changes',
  'search',
]);

const hasKey = (options: unknown): boolean => ['key', 'sourceId'].some((name) => typeof (options as Record<string, unknown> | undefined)?.[name] === 'string');

/** The options that cross the connection. */
function toMessage({ onTrouble: _, ...options }: OpenOptions): OpenOptions {
  const { storage } = options;
  if (typeof storage === 'object' && 'commit' in storage) throw invalid('storage', 'is an adapter: open it where it is, not in a worker');
  if (typeof storage === 'object' && storage.object !== undefined) throw invalid('storage.object', 'is for Durable Objects, not for workers');
  return options;
}

export class Remote implements Running {
  readonly #way: EngineConnection;
  readonly #options: OpenOptions;
  readonly #wasm: WasmSource | undefined;
  readonly #port: Port;
  readonly #listeners = new Set<Hears>();
  readonly #trouble: HearsTrouble | undefined;
  #opened: Promise<Answer>;
  #answer!: Answer;
  /** The number of the last reported commit. */
  #seq = 0;
  readonly #ends = new AbortController();
  readonly #underway = new RunningCalls();
  #ending: Promise<void> | undefined;
  #hasLeft = false;

  private constructor(way: EngineConnection, options: OpenOptions, wasm: WasmSource | undefined) {
    this.#way = way;
    this.#options = checkFinite(toMessage(options));
    // A URL object cannot cross.
    this.#wasm = typeof wasm === 'object' && 'href' in wasm ? String(wasm.href) : wasm;
    const { onTrouble } = options;
    if (onTrouble !== undefined && typeof onTrouble !== 'function') throw invalid('onTrouble', 'is not a function');
    this.#trouble = onTrouble;
    this.#port = new Port((message) => way.send(message));
    way.attach(
      (message) => this.#port.receive(message),
      () => {
        this.#port.fail(new MemfoldError('connection_lost', 'the tab that ran the engine is gone; another one runs it now', { retryable: true }));
        if (this.#hasLeft) return;
        this.#opened = this.#open();
        // If reopening fails, the next call reports the error.
        void this.#reportMissed().catch(() => undefined);
      },
      (error) => this.#port.fail(error),
    );
    this.#opened = this.#open();
  }

  /** Opens a memory through a connection. */
  static async open(way: EngineConnection, options: OpenOptions, wasm?: WasmSource): Promise<{ running: Remote; name: string; elsewhere: boolean }> {
    const running = new Remote(way, options, wasm);
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
      this.#listeners.add(hears);
      return () => void this.#listeners.delete(hears);
    },
  };

  get durability(): Durability {
    return this.#answer.durability;
  }

  get closing(): AbortSignal {
    return this.#ends.signal;
  }

  call: Running['call'] = (name, args) => {
    const given = (args as unknown[]).map(unwrapSignal);
    const ask = ({ key }: Answer) => this.#port.call('call', [key, name, given]);
    // An idempotency key makes a retry safe.
    const again = READS.has(name) || ((name === 'consolidate' || name === 'add') && hasKey(args[1]));
    return this.#trackRequest(ask, again) as never;
  };

  intake: Running['intake'] = async (options, signal, gauges) => {
    const n = await this.#trackRequest(({ key }) => this.#port.call('intake', [key, options, unwrapSignal(signal), gauges]));
    const ended = <T>(value: unknown): T => {
      void this.#port.call('end', [n]).catch(() => undefined);
      return value as T;
    };
    const intake: Intake = {
      push: (bytes) => this.#track(() => this.#port.call('push', [n, bytes])) as Promise<ImportProgress>,
      finish: () => this.#track(() => this.#port.call('finish', [n])).then((taken) => (gauges ? (taken as ImportProgress) : ended<ImportProgress>(taken))),
      estimate: () => this.#port.call('estimate', [n]).then((told) => ended<Estimate>(told)),
    };
    return intake;
  };

  async clear(): Promise<void> {
    await this.#trackRequest(({ key }) => this.#port.call('clear', [key]));
  }

  async destroy(): Promise<void> {
    if (this.#ending) throw closedError();
    await (this.#ending = this.#end(true));
  }

  close(): Promise<void> {
    return (this.#ending ??= this.#end(false));
  }

  /** Rejects new calls and waits for running ones, then closes the memory. */
  async #end(destroys: boolean): Promise<void> {
    this.#ends.abort();
    await this.#underway.over();
    try {
      const { key } = await this.#session();
      this.#listeners.clear();
      if (destroys) await this.#port.call('destroy', [key]);
      await this.#port.call('close', [key]);
    } finally {
      this.#hasLeft = true;
      this.#way.leave();
      this.#port.fail(closedError());
    }
  }

  /** Starts a call unless the memory is closing; closing waits for it. */
  #track<T>(work: () => Promise<T>): Promise<T> {
    return this.#ending ? Promise.reject(closedError()) : this.#underway.add(work());
  }

  #open(): Promise<Answer> {
    const trouble = this.#trouble;
    return this.#port.call('open', [
      this.#options,
      { tell: (changes: Change[]) => this.#emit(changes), ...(trouble && { trouble }), ...(this.#wasm !== undefined && { wasm: this.#wasm }) },
    ]) as Promise<Answer>;
  }

  /** The opened memory; waits for the new one if the engine has moved. */
  async #session(): Promise<Answer> {
    for (;;) {
      const opened = this.#opened;
      try {
        return (this.#answer = await opened);
      } catch (error) {
        if (opened === this.#opened) throw error;
      }
    }
  }

  #trackRequest(ask: (told: Answer) => Promise<unknown>, again = false): Promise<unknown> {
    return this.#track(() => this.#request(ask, again));
  }

  async #request(ask: (told: Answer) => Promise<unknown>, again: boolean): Promise<unknown> {
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

  /** Reports changes that were written during a move of the engine. */
  async #reportMissed(): Promise<void> {
    const [entries] = await this.call('log', [{ after: this.#seq }]);
    this.#emit(entries.map((entry) => ({ ...written(entry), own: false })));
  }

  #emit(changes: Change[]): void {
    if (changes.length === 0) return;
    this.#seq = changes.reduce((seq, change) => (change.action === 'clear' ? 0 : Math.max(seq, change.seq)), this.#seq);
    for (const hears of [...this.#listeners]) callSafely(() => hears(changes));
  }
}
