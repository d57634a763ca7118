// Change notifications: informs listeners in this process and in every tab and worker with the same database open.
import type { Action, Decision } from './types.js';

/** The source of a change. */
export interface Writer {
  /** The id of one opened memory. */
  id: string;
  /** The kind of host. */
  kind: 'page' | 'worker' | 'shared-worker' | 'service-worker' | 'process';
}

/** A commit, as the engine reports it. */
export interface Written {
  /** The number of the commit. */
  seq: number;
  /** The id of its log entry. */
  entry: string;
  /** The action. */
  action: Action;
  /** The decision. */
  decision: Decision;
  /** The ids of all written memories. */
  ids: string[];
}

/** A change made by one commit. */
export interface Change extends Omit<Written, 'action'> {
  /** The action; `clear` if the store was emptied. */
  action: Action | 'clear';
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
export function callSafely(work: () => void): void {
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
  readonly #listeners = new Set<Hears>();
  readonly #channel: BroadcastChannel | undefined;
  readonly #missed: MissedChanges;
  /** All changes up to this commit were reported; undefined before the first listener. */
  #reportedUpTo: number | undefined;
  /** The log entry id of that commit. */
  #lastEntry: string | undefined;
  readonly #reported = new Map<number, string>();
  #catchUpTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #version: (() => unknown) | undefined;
  #pollTimer: ReturnType<typeof setInterval> | undefined;
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
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
    // In Node, an open channel would keep the process alive.
    (this.#channel as { unref?(): void }).unref?.();
    globalThis.addEventListener?.('pageshow', this.#catchUp);
    globalThis.document?.addEventListener('visibilitychange', this.#catchUp);
  }

  /** Reports changes from now on. */
  subscribe(hears: Hears): Stop {
    this.#listeners.add(hears);
    if (this.#reportedUpTo === undefined) void this.#readLastCommit();
    this.#startPolling();
    return () => {
      this.#listeners.delete(hears);
      if (this.#listeners.size > 0) return;
      this.#reportedUpTo = undefined;
      this.#stopPolling();
    };
  }

  /** Reports a commit of this opened memory. */
  written(written: Written[]): void {
    this.#post({ by: this.by, written });
    this.#report(written, this.by);
  }

  /** Reports that this opened memory has emptied the store. */
  cleared(): void {
    this.#post({ by: this.by, cleared: true });
    this.#reportCleared(this.by);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#catchUpTimer);
    this.#stopPolling();
    this.#listeners.clear();
    this.#channel?.close();
    globalThis.removeEventListener?.('pageshow', this.#catchUp);
    globalThis.document?.removeEventListener('visibilitychange', this.#catchUp);
  }

  #post(message: Message): void {
    if (!this.#closed) this.#channel?.postMessage(message);
  }

  async #readLastCommit(): Promise<void> {
    this.#reported.clear();
    const failed = {};
    const last = await this.#missed.last().catch(() => failed);
    // Changes reported in the meantime may be older or newer than `last`.
    if (this.#listeners.size === 0 || last === failed || this.#reportedUpTo !== undefined) return;
    const { seq: upto = 0, entry } = (last ?? {}) as Partial<Written>;
    this.#reportedUpTo = upto;
    this.#lastEntry = entry;
    for (const seq of this.#reported.keys()) if (seq <= upto) this.#reported.delete(seq);
  }

  #receive(message: Message): void {
    if ('written' in message) return this.#report(message.written, message.by);
    void this.#missed.cleared().catch(() => undefined);
    this.#reportCleared(message.by);
  }

  #reportCleared(by: Writer | undefined): void {
    this.#reported.clear();
    if (this.#reportedUpTo !== undefined) this.#reportedUpTo = 0;
    this.#emit([{ seq: 0, entry: '', action: 'clear', decision: 'DELETE', ids: [], ...(by && { by }), own: by?.id === this.by.id }]);
  }

  /** Polls for writes of other processes while there are listeners. */
  #startPolling(): void {
    const version = this.#version;
    if (!version || this.#pollTimer !== undefined || this.#closed) return;
    let seen: unknown;
    const look = async (): Promise<void> => {
      const now = await version();
      if (now === seen) return;
      // `seen` is set last, so that a failed read is retried.
      if (seen !== undefined) await this.#readOtherProcesses();
      seen = now;
    };
    const quietly = () => void look().catch(() => undefined);
    quietly();
    this.#pollTimer = setInterval(quietly, EVERY);
    (this.#pollTimer as { unref?(): void }).unref?.();
  }

  #stopPolling(): void {
    clearInterval(this.#pollTimer);
    this.#pollTimer = undefined;
  }

  /** Reports changes of another process, or that it emptied the store. */
  async #readOtherProcesses(): Promise<void> {
    const [upto, mark] = [this.#reportedUpTo, this.#lastEntry];
    if (upto === undefined) return;
    const found = await this.#missed.after(Math.max(0, upto - 1));
    if (this.#closed || this.#reportedUpTo !== upto) return this.#closed ? undefined : this.#readOtherProcesses();
    if (upto === 0 || found[0]?.entry === mark) return this.#report(upto === 0 ? found : found.slice(1), undefined);
    // Another process has emptied the store, and may have refilled it.
    await this.#missed.replaced();
    this.#reportCleared(undefined);
    const anew = await this.#missed.after(0);
    if (!this.#closed) this.#report(anew, undefined);
  }

  #report(written: Written[], by: Writer | undefined): void {
    if (this.#listeners.size === 0) return;
    const news = written.filter(({ seq }) => seq > (this.#reportedUpTo ?? 0) && !this.#reported.has(seq));
    for (const { seq, entry } of news) this.#reported.set(seq, entry);
    if (this.#reportedUpTo !== undefined) {
      for (let next = this.#reported.get(this.#reportedUpTo + 1); next !== undefined; next = this.#reported.get(this.#reportedUpTo + 1)) {
        this.#reportedUpTo += 1;
        this.#lastEntry = next;
        this.#reported.delete(this.#reportedUpTo);
      }
      // A commit in between is missing; its writer may report it shortly.
      if (this.#reported.size > 0) this.#catchUpTimer ??= setTimeout(this.#catchUp, LATE);
    }
    this.#emit(news.map((w) => ({ ...w, ...(by && { by }), own: by?.id === this.by.id })));
  }

  #emit(changes: Change[]): void {
    if (changes.length === 0) return;
    for (const hears of [...this.#listeners]) callSafely(() => hears(changes));
  }

  /** Reads unreported changes from the log, after a tab slept or for a writer without a channel. */
  #catchUp = (): void => {
    this.#catchUpTimer = undefined;
    const upto = this.#reportedUpTo;
    if (upto === undefined || this.#closed || this.#listeners.size === 0) return;
    void this.#missed.after(upto).then(
      (missed) => this.#report(missed, undefined),
      () => undefined,
    );
  };
}
