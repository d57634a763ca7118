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
  last(): Promise<number>;
  after(seq: number): Promise<Written[]>;
  /** Lets go of what was known of a store that is empty now. */
  cleared(): Promise<unknown>;
}

type Message = { by: Writer; written: Written[] } | { by: Writer; cleared: true };

/** Milliseconds for which a commit is awaited that must lie between two that were heard of. */
const LATE = 150;

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
  #told = new Set<number>();
  #filling: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** `name` is that of the database, where others may have it open. */
  constructor(name: string | undefined, missed: Missed) {
    this.#missed = missed;
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
    return () => {
      this.#hearers.delete(hears);
      if (this.#hearers.size === 0) this.#upto = undefined;
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
    const last = await this.#missed.last().catch(() => undefined);
    // What was told meanwhile may lie before it or behind it.
    if (this.#hearers.size === 0 || last === undefined) return;
    this.#upto ??= last;
    for (const seq of this.#told) if (seq <= this.#upto) this.#told.delete(seq);
  }

  #heard(message: Message): void {
    if ('written' in message) return this.#tell(message.written, message.by);
    void this.#missed.cleared().catch(() => undefined);
    this.#empty(message.by);
  }

  #empty(by: Writer): void {
    this.#told.clear();
    if (this.#upto !== undefined) this.#upto = 0;
    this.#say([{ seq: 0, entry: '', action: 'clear', decision: 'DELETE', ids: [], by, own: by.id === this.by.id }]);
  }

  #tell(written: Written[], by: Writer | undefined): void {
    if (this.#hearers.size === 0) return;
    const news = written.filter(({ seq }) => seq > (this.#upto ?? 0) && !this.#told.has(seq));
    for (const { seq } of news) this.#told.add(seq);
    if (this.#upto !== undefined) {
      while (this.#told.delete(this.#upto + 1)) this.#upto += 1;
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
