// What was written, by whom: told to those who look, in this process, and in every tab and worker that has the database open.
import type { Written } from './types.js';

/** Where a change was made. */
export interface Writer {
  /** Of one opening of the memory. */
  id: string;
  /** What it runs in. */
  kind: 'page' | 'worker' | 'shared-worker' | 'service-worker' | 'process';
}

/** What one commit has changed. */
export interface Change extends Omit<Written, 'action'> {
  /** What was done; `clear` where everything is gone. */
  action: Written['action'] | 'clear';
  /** Who did it; absent where nobody said so, as of another process on the same file. */
  by?: Writer;
  /** Whether it was done by this opening of the memory. */
  own: boolean;
}

/** Hears of changes, several at once where they were made together. */
export type Hears = (changes: Change[]) => void;
/** Ends what was begun. */
export type Stop = () => void;

/** How what was missed is read from the log. */
export interface Missed {
  last(): Promise<Written | undefined>;
  after(seq: number): Promise<Written[]>;
  /** Lets go of what was known of a store that is empty now. */
  cleared(): Promise<unknown>;
  /** Lets go of what was known of a store in which another log stands now. */
  replaced(): Promise<unknown>;
}

type Message = { by: Writer; written: Written[] } | { by: Writer; cleared: true };

/** Milliseconds for which a commit is awaited that must lie between two that were heard of. */
const LATE = 150;
/** Milliseconds between two looks at whether another process has written. */
const EVERY = 1_000;

/** Calls what an application gave: one who fails must not keep it from the others, nor from whoever has written. */
export function apart(work: () => void): void {
  try {
    work();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

/** A name that nobody else has; without Web Crypto's own, as in a page that came over http. */
export const unique = (): string => globalThis.crypto?.randomUUID?.() ?? `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

function kind(): Writer['kind'] {
  const is = (name: string) => {
    const type = (globalThis as Record<string, unknown>)[name];
    return typeof type === 'function' && globalThis instanceof (type as new () => object);
  };
  if (is('ServiceWorkerGlobalScope')) return 'service-worker';
  if (is('SharedWorkerGlobalScope')) return 'shared-worker';
  if (is('WorkerGlobalScope')) return 'worker';
  return typeof document === 'object' ? 'page' : 'process';
}

/** What was written to one memory. */
export class Changes {
  readonly by: Writer = { id: unique(), kind: kind() };
  readonly #hearers = new Set<Hears>();
  readonly #channel: BroadcastChannel | undefined;
  readonly #missed: Missed;
  /** All up to this commit was told; those behind it that were told already. Unknown before anybody looks. */
  #upto: number | undefined;
  /** The entry of the last of them. */
  #mark: string | undefined;
  readonly #told = new Map<number, string>();
  #filling: ReturnType<typeof setTimeout> | undefined;
  readonly #version: (() => unknown) | undefined;
  #watching: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /**
   * `name` is that of the database, where others may have it open; `version` tells by another value that a process that does not say
   * so has written.
   */
  constructor(name: string | undefined, missed: Missed, version?: () => unknown) {
    this.#missed = missed;
    this.#version = version;
    if (name === undefined || typeof BroadcastChannel !== 'function') return;
    this.#channel = new BroadcastChannel(`memfold/changes/${name}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#heard(data);
    // In Node a channel would keep the process from ending.
    (this.#channel as { unref?(): void }).unref?.();
    globalThis.addEventListener?.('pageshow', this.#look);
    globalThis.document?.addEventListener('visibilitychange', this.#look);
  }

  /** Begins to tell what is written from now on. */
  subscribe(hears: Hears): Stop {
    this.#hearers.add(hears);
    if (this.#upto === undefined) void this.#begin();
    this.#watch();
    return () => {
      this.#hearers.delete(hears);
      if (this.#hearers.size > 0) return;
      this.#upto = undefined;
      this.#rest();
    };
  }

  /** What this opening has written. */
  written(written: Written[]): void {
    this.#post({ by: this.by, written });
    this.#tell(written, this.by);
  }

  /** This opening has emptied the store. */
  cleared(): void {
    this.#post({ by: this.by, cleared: true });
    this.#empty(this.by);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#filling);
    this.#rest();
    this.#hearers.clear();
    this.#channel?.close();
    globalThis.removeEventListener?.('pageshow', this.#look);
    globalThis.document?.removeEventListener('visibilitychange', this.#look);
  }

  #post(message: Message): void {
    if (!this.#closed) this.#channel?.postMessage(message);
  }

  async #begin(): Promise<void> {
    this.#told.clear();
    const failed = {};
    const last = await this.#missed.last().catch(() => failed);
    // What was told meanwhile may lie before it or behind it.
    if (this.#hearers.size === 0 || last === failed || this.#upto !== undefined) return;
    const { seq: upto = 0, entry } = (last ?? {}) as Partial<Written>;
    this.#upto = upto;
    this.#mark = entry;
    for (const seq of this.#told.keys()) if (seq <= upto) this.#told.delete(seq);
  }

  #heard(message: Message): void {
    if ('written' in message) return this.#tell(message.written, message.by);
    void this.#missed.cleared().catch(() => undefined);
    this.#empty(message.by);
  }

  #empty(by: Writer | undefined): void {
    this.#told.clear();
    if (this.#upto !== undefined) this.#upto = 0;
    this.#say([{ seq: 0, entry: '', action: 'clear', decision: 'DELETE', ids: [], ...(by && { by }), own: by?.id === this.by.id }]);
  }

  /** Looks every now and then whether another process has written, while somebody hears. */
  #watch(): void {
    const version = this.#version;
    if (!version || this.#watching !== undefined || this.#closed) return;
    let seen: unknown;
    const look = async (): Promise<void> => {
      const now = version();
      if (now === seen) return;
      // What could not be read is looked for again.
      if (seen !== undefined) await this.#others();
      seen = now;
    };
    const quietly = () => void look().catch(() => undefined);
    quietly();
    this.#watching = setInterval(quietly, EVERY);
    (this.#watching as { unref?(): void }).unref?.();
  }

  #rest(): void {
    clearInterval(this.#watching);
    this.#watching = undefined;
  }

  /** Tells what another process has written, or that it has emptied the store. */
  async #others(): Promise<void> {
    const [upto, mark] = [this.#upto, this.#mark];
    if (upto === undefined) return;
    const found = await this.#missed.after(Math.max(0, upto - 1));
    if (this.#closed || this.#upto !== upto) return this.#closed ? undefined : this.#others();
    if (upto === 0 || found[0]?.entry === mark) return this.#tell(upto === 0 ? found : found.slice(1), undefined);
    // Another process has emptied it, and perhaps filled it again.
    await this.#missed.replaced();
    this.#empty(undefined);
    const anew = await this.#missed.after(0);
    if (!this.#closed) this.#tell(anew, undefined);
  }

  #tell(written: Written[], by: Writer | undefined): void {
    if (this.#hearers.size === 0) return;
    const news = written.filter(({ seq }) => seq > (this.#upto ?? 0) && !this.#told.has(seq));
    for (const { seq, entry } of news) this.#told.set(seq, entry);
    if (this.#upto !== undefined) {
      for (let next = this.#told.get(this.#upto + 1); next !== undefined; next = this.#told.get(this.#upto + 1)) {
        this.#upto += 1;
        this.#mark = next;
        this.#told.delete(this.#upto);
      }
      // Others have written in between, and have not said so yet.
      if (this.#told.size > 0) this.#filling ??= setTimeout(this.#look, LATE);
    }
    this.#say(news.map((w) => ({ ...w, ...(by && { by }), own: by?.id === this.by.id })));
  }

  #say(changes: Change[]): void {
    if (changes.length === 0) return;
    for (const hears of [...this.#hearers]) apart(() => hears(changes));
  }

  /** Reads what nobody has told of: a tab that slept, a writer that has no channel. */
  #look = (): void => {
    this.#filling = undefined;
    const upto = this.#upto;
    if (upto === undefined || this.#closed || this.#hearers.size === 0) return;
    void this.#missed.after(upto).then((missed) => this.#tell(missed, undefined), () => undefined);
  };
}
