// Change notifications: informs listeners in this process and in every tab and worker with the same database open.
import type { Written } from './types.js';

/** The source of a change. */
export interface Writer {
  /** The id of one opened memory. */
  id: string;
  /** The kind of host. */
  kind: 'page' | 'worker' | 'shared-worker' | 'service-worker' | 'process';
}

/** A change made by one commit. */
export interface Change extends Omit<Written, 'action'> {
  /** The action; `clear` if the store was emptied. */
  action: Written['action'] | 'clear';
  /** The source; absent if unknown, as for another process on the same file. */
  by?: Writer;
  /** Whether this opened memory made the change. */
  own: boolean;
}

/** A change listener; gets the changes of one write together. */
export type Hears = (changes: Change[]) => void;
/** Unsubscribes, or stops a running task. */
export type Stop = () => void;

/** Reads missed changes from the log. */
export interface MissedChanges {
  last(): Promise<Written | undefined>;
  after(seq: number): Promise<Written[]>;
  /** Resets the cached state after the store was emptied. */
  cleared(): Promise<unknown>;
  /** Resets the cached state after the store was replaced by another log. */
  replaced(): Promise<unknown>;
}

type Message = { by: Writer; written: Written[] } | { by: Writer; cleared: true };

/** Milliseconds to wait for a missing commit before reading it from the log. */
const LATE = 150;
/** Milliseconds between checks for writes of other processes. */
const EVERY = 1_000;

/** Calls an application's listener; an exception must not affect other listeners or the writer. */
export function apart(work: () => void): void {
  try {
    work();
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}

/** A unique id; without `crypto.randomUUID`, as on http pages, from time and randomness. */
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

/** The changes of one memory. */
export class Changes {
  readonly by: Writer = { id: unique(), kind: kind() };
  readonly #hearers = new Set<Hears>();
  readonly #channel: BroadcastChannel | undefined;
  readonly #missed: MissedChanges;
  /** All changes up to this commit were reported; undefined before the first listener. */
  #upto: number | undefined;
  /** The log entry id of that commit. */
  #mark: string | undefined;
  readonly #told = new Map<number, string>();
  #filling: ReturnType<typeof setTimeout> | undefined;
  readonly #version: (() => unknown) | undefined;
  #watching: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  /**
   * `name` is the database's name if others may have it open. `version` returns a value that changes when a process
   * without notifications has written.
   */
  constructor(name: string | undefined, missed: MissedChanges, version?: () => unknown) {
    this.#missed = missed;
    this.#version = version;
    if (name === undefined || typeof BroadcastChannel !== 'function') return;
    this.#channel = new BroadcastChannel(`memfold/changes/${name}`);
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#heard(data);
    // In Node, an open channel would keep the process alive.
    (this.#channel as { unref?(): void }).unref?.();
    globalThis.addEventListener?.('pageshow', this.#look);
    globalThis.document?.addEventListener('visibilitychange', this.#look);
  }

  /** Reports changes from now on. */
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

  /** Reports a commit of this opened memory. */
  written(written: Written[]): void {
    this.#post({ by: this.by, written });
    this.#tell(written, this.by);
  }

  /** Reports that this opened memory has emptied the store. */
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
    // Changes reported in the meantime may be older or newer than `last`.
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

  /** Polls for writes of other processes while there are listeners. */
  #watch(): void {
    const version = this.#version;
    if (!version || this.#watching !== undefined || this.#closed) return;
    let seen: unknown;
    const look = async (): Promise<void> => {
      const now = version();
      if (now === seen) return;
      // `seen` is set last, so that a failed read is retried.
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

  /** Reports changes of another process, or that it emptied the store. */
  async #others(): Promise<void> {
    const [upto, mark] = [this.#upto, this.#mark];
    if (upto === undefined) return;
    const found = await this.#missed.after(Math.max(0, upto - 1));
    if (this.#closed || this.#upto !== upto) return this.#closed ? undefined : this.#others();
    if (upto === 0 || found[0]?.entry === mark) return this.#tell(upto === 0 ? found : found.slice(1), undefined);
    // Another process has emptied the store, and may have refilled it.
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
      // A commit in between is missing; its writer may report it shortly.
      if (this.#told.size > 0) this.#filling ??= setTimeout(this.#look, LATE);
    }
    this.#say(news.map((w) => ({ ...w, ...(by && { by }), own: by?.id === this.by.id })));
  }

  #say(changes: Change[]): void {
    if (changes.length === 0) return;
    for (const hears of [...this.#hearers]) apart(() => hears(changes));
  }

  /** Reads unreported changes from the log, after a tab slept or for a writer without a channel. */
  #look = (): void => {
    this.#filling = undefined;
    const upto = this.#upto;
    if (upto === undefined || this.#closed || this.#hearers.size === 0) return;
    void this.#missed.after(upto).then((missed) => this.#tell(missed, undefined), () => undefined);
  };
}
