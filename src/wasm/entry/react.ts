// `memfold/react`: memories that a component shows, and shows again whenever they change.
import { useMemo, useRef, useSyncExternalStore } from 'react';
import type { Stop } from './changes.js';
import { typed, type MemfoldError } from './error.js';
import type { Memories } from './memories.js';
import type { Hit, ListOptions, Memory, SearchOptions } from './types.js';

/** What is shown. */
export interface Shown<T> {
  /** The last answer, also while another one is awaited; absent before the first. */
  data: T | undefined;
  error: MemfoldError | undefined;
  /** Whether the answer to what is asked now has not come yet. */
  pending: boolean;
}

/** A memory that is open, is being opened, or is not there yet. */
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
    // `asked` says all that `begin` asks for.
  }, [memories, asked]);
  return useSyncExternalStore(store.subscribe, store.current, () => NOTHING);
}

/** A page of memories, as `list` gives it, which follows what is written in any tab or worker. */
export function useMemories(memories: Opened, options: ListOptions = {}): Shown<Memory[]> {
  return useLive(memories, JSON.stringify(options), (open, show, fail) => open.live.list(options, show, fail));
}

/** The memories that answer a question; none for an empty one. */
export function useSearch(memories: Opened, query: string, options: SearchOptions = {}): Shown<Hit[]> {
  return useLive(memories, JSON.stringify([query, options]), (open, show, fail) => {
    if (typeof query !== 'string' || query.trim() !== '') return open.live.search(query, options, show, fail);
    show([]);
    return () => {};
  });
}
