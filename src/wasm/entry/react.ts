// `memfold/react`: hooks that return memories and update on changes. Those with `Suspense` wait for their first result.
import { useMemo, useRef, useSyncExternalStore } from 'react';
import type { Stop } from './changes.js';
import { typed, type MemfoldError } from './error.js';
import type { Memories } from './memories.js';
import type { Hit, ListOptions, Memory, SearchOptions } from './types.js';

/** The state of a live query. */
export interface Shown<T> {
  /** The last result, also while the next one is pending; undefined before the first. */
  data: T | undefined;
  error: MemfoldError | undefined;
  /** Whether the result of the current query is still pending. */
  pending: boolean;
}

/** An open memory, one being opened, or none yet. */
type Opened = Memories | Promise<Memories> | undefined;
type Begin<T> = (memories: Memories, show: (data: T) => void, fail: (error: MemfoldError) => void) => Stop;

const NOTHING: Shown<never> = { data: undefined, error: undefined, pending: true };

function useLive<T>(memories: Opened, asked: string, begin: Begin<T>): Shown<T> {
  const last = useRef<T | undefined>(undefined);
  const store = useMemo(() => {
    let shown: Shown<T> = { data: last.current, error: undefined, pending: true };
    const subscribe = (changed: () => void): Stop => {
      const show = (next: Shown<T>): void => {
        shown = next;
        last.current = next.data;
        changed();
      };
      let stop: Stop | undefined;
      let stopped = false;
      const fail = (error: unknown): void => show({ data: shown.data, error: typed(error), pending: false });
      const start = (open: Memories): void => {
        if (!stopped) stop = begin(open, (data) => show({ data, error: undefined, pending: false }), fail);
      };
      if (memories && 'then' in memories) memories.then(start).catch(fail);
      else if (memories) {
        try {
          start(memories);
        } catch (error) {
          fail(error);
        }
      }
      return () => {
        stopped = true;
        stop?.();
      };
    };
    return { subscribe, current: () => shown };
    // `asked` identifies everything that `begin` depends on.
  }, [memories, asked]);
  return useSyncExternalStore(store.subscribe, store.current, () => NOTHING);
}

/** A page of memories, as from `list`, updated on changes in any tab or worker. */
export function useMemories(memories: Opened, options: ListOptions = {}): Shown<Memory[]> {
  return useLive(memories, JSON.stringify(options), (open, show, fail) => open.live.list(options, show, fail));
}

const begunSearch =
  (query: string, options: SearchOptions): Begin<Hit[]> =>
  (open, show, fail) => {
    if (typeof query !== 'string' || query.trim() !== '') return open.live.search(query, options, show, fail);
    show([]);
    return () => {};
  };

/** The memories that match a query; none for an empty one. */
export function useSearch(memories: Opened, query: string, options: SearchOptions = {}): Shown<Hit[]> {
  return useLive(memories, JSON.stringify([query, options]), begunSearch(query, options));
}

/** A live query that components wait for. */
interface Awaited<T> {
  /** Resolves with the first result or error. */
  first: Promise<void>;
  subscribe(changed: () => void): Stop;
  current(): Shown<T>;
}

/** Milliseconds for which a query without a component goes on: React may discard one that waits, and mount another. */
const LINGERS = 5_000;

/** By memory and query, because React discards the state of a component that waits. */
const awaited = new WeakMap<object, Map<string, Awaited<unknown>>>();

function awaitedOf<T>(memories: Memories | Promise<Memories>, asked: string, begin: Begin<T>): Awaited<T> {
  const queries = awaited.get(memories) ?? new Map<string, Awaited<unknown>>();
  awaited.set(memories, queries);
  const known = queries.get(asked) as Awaited<T> | undefined;
  if (known) return known;
  const components = new Set<() => void>();
  let shown: Shown<T> = NOTHING;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: Stop | undefined;
  const end = (): void => {
    queries.delete(asked);
    stop?.();
  };
  const linger = (): void => {
    clearTimeout(timer);
    if (components.size === 0) timer = setTimeout(end, LINGERS);
  };
  const first = new Promise<void>((resolve) => {
    const show = (next: Shown<T>): void => {
      shown = next;
      resolve();
      for (const changed of [...components]) changed();
      linger();
    };
    const fail = (error: unknown): void => show({ data: shown.data, error: typed(error), pending: false });
    const start = (open: Memories): void => {
      stop = begin(open, (data) => show({ data, error: undefined, pending: false }), fail);
    };
    Promise.resolve(memories).then(start).catch(fail);
  });
  const made: Awaited<T> = {
    first,
    subscribe(changed) {
      components.add(changed);
      clearTimeout(timer);
      return () => {
        components.delete(changed);
        linger();
      };
    },
    current: () => shown,
  };
  queries.set(asked, made);
  return made;
}

function useAwaited<T>(memories: Memories | Promise<Memories>, asked: string, begin: Begin<T>): T {
  const query = awaitedOf(memories, asked, begin);
  const { data, error, pending } = useSyncExternalStore(query.subscribe, query.current, query.current);
  if (pending) throw query.first;
  // A later failure leaves the last result, as the next change repeats the query.
  if (error && data === undefined) throw error;
  return data as T;
}

/** Like `useMemories`, inside `<Suspense>`: returns the memories once they are there. An error goes to the error boundary. */
export function useSuspenseMemories(memories: Memories | Promise<Memories>, options: ListOptions = {}): Memory[] {
  return useAwaited(memories, JSON.stringify(options), (open, show, fail) => open.live.list(options, show, fail));
}

/** Like `useSearch`, inside `<Suspense>`: returns the hits once they are there. An error goes to the error boundary. */
export function useSuspenseSearch(memories: Memories | Promise<Memories>, query: string, options: SearchOptions = {}): Hit[] {
  return useAwaited(memories, JSON.stringify([query, options]), begunSearch(query, options));
}
