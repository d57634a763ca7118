// `memfold/react`: hooks that return memories and update on changes.
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

/** The memories that match a query; none for an empty one. */
export function useSearch(memories: Opened, query: string, options: SearchOptions = {}): Shown<Hit[]> {
  return useLive(memories, JSON.stringify([query, options]), (open, show, fail) => {
    if (typeof query !== 'string' || query.trim() !== '') return open.live.search(query, options, show, fail);
    show([]);
    return () => {};
  });
}
