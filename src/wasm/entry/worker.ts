// `memfold/worker`: the same `open`, with the engine in a worker. Several tabs share one: whichever holds the lock runs it, and
// when that tab goes, the next in turn does.
import { invalid, object } from './arguments.js';
import { unique } from './changes.js';
import { MemfoldError, guarded, typed } from './error.js';
import { Memories } from './memories.js';
import type { OpenOptions as Options } from './open.js';
import type { Message } from './port.js';
import { Remote, type Way } from './remote.js';

/** How a memory is opened in a worker. */
export interface OpenOptions extends Omit<Options, 'storage' | 'path'> {
  /**
   * `tabs` (where the host has Web Locks): one dedicated worker for all tabs of the site, in the tab that is open longest.
   * `shared`: a SharedWorker. `dedicated`: a worker of this page's own.
   */
  run?: 'tabs' | 'shared' | 'dedicated';
  /** Makes the worker, where a bundler does not find `memfold/worker-host` by itself; a module that imports it does. */
  worker?: () => Worker | SharedWorker;
}

/** What those who share an engine say to each other. */
type Said = { to: string; from: string; message: Message } | { seek: true } | { leads: string };

const hasLocks = (): boolean => typeof navigator === 'object' && 'locks' in navigator;

const made = (name: string): Worker => new Worker(new URL('./worker-host.js', import.meta.url), { type: 'module', name });
const madeShared = (name: string): SharedWorker => new SharedWorker(new URL('./worker-host.js', import.meta.url), { type: 'module', name });

/** Holds a lock for as long as this page lives and has not left; `work` begins once it is held. */
function holding(lock: string, left: AbortSignal, work: () => Promise<unknown> | void): void {
  const gone = new Promise<void>((resolve) => left.addEventListener('abort', () => resolve()));
  void navigator.locks.request(lock, { signal: left }, () => Promise.race([gone, work() ?? gone])).catch(() => undefined);
}

const broke = (event: Event): MemfoldError =>
  new MemfoldError('unsupported', `the worker could not be started: ${(event as ErrorEvent).message || 'its script was not found'} (where a bundler does not carry it, name it: open({ worker: () => new Worker(…) }))`);

/** A worker that this page alone talks to. */
function dedicated(options: OpenOptions, name: string): Worker {
  const worker = options.worker ? options.worker() : made(`memfold ${name}`);
  if ('port' in worker) throw invalid('worker', 'makes a SharedWorker, which is for `run: "shared"`');
  return worker;
}

/** A worker of this page's own, or one that pages share. */
function direct(options: OpenOptions): Way {
  const name = options.name ?? 'memfold';
  const worker = options.run !== 'shared' ? dedicated(options, name) : options.worker ? options.worker() : madeShared(`memfold ${name}`);
  const shared = 'port' in worker;
  const wire = shared ? worker.port : worker;
  const left = new AbortController();
  if (shared) {
    // Whoever gets this lock knows that the page is gone.
    const lock = `memfold/page/${unique()}`;
    if (hasLocks()) holding(lock, left.signal, () => wire.postMessage({ hello: lock }));
  }
  return {
    send: (message) => wire.postMessage(message),
    attach(receive, _, broken) {
      wire.onmessage = ({ data }: MessageEvent<Message>) => receive(data);
      worker.onerror = (event) => broken(broke(event));
    },
    leave() {
      left.abort();
      if (shared) wire.postMessage({ bye: true });
      else worker.terminate();
    },
  };
}

/** The engine that all tabs share; this one runs it when its turn comes. */
function among(options: OpenOptions): Way {
  const name = options.name ?? 'memfold';
  const own = unique();
  const bus = new BroadcastChannel(`memfold/engine/${name}`);
  const left = new AbortController();
  /** Whether the lock is held by which the engine knows that this page lives. */
  let lives = false;
  let leader: string | undefined;
  let waiting: Message[] = [];
  let worker: Worker | undefined;
  const send = (message: Message): void => {
    if (leader === undefined || !lives) waiting.push(message);
    else bus.postMessage({ to: leader, from: own, message } satisfies Said);
  };
  /** Asks what was asked of nobody yet. */
  const flush = (): void => {
    const asked = waiting;
    waiting = [];
    asked.forEach(send);
  };
  return {
    send,
    attach(receive, moved, broken) {
      bus.onmessage = ({ data }: MessageEvent<Said>) => {
        if ('to' in data) return data.to === own && data.from === leader ? receive(data.message) : undefined;
        if (!('leads' in data) || data.leads === leader) return;
        const before = leader;
        leader = data.leads;
        // What was asked of somebody else is lost.
        if (before !== undefined) moved();
        flush();
      };
      holding(`memfold/page/${own}`, left.signal, () => {
        lives = true;
        flush();
      });
      const lead = (): void => holding(`memfold/lead/${name}`, left.signal, () =>
        new Promise<void>((fallen) => {
          let mine: Worker;
          try {
            mine = worker = dedicated(options, name);
          } catch (error) {
            broken(typed(error));
            return fallen();
          }
          mine.onerror = (event) => {
            mine.terminate();
            broken(broke(event));
            fallen();
            // One that never ran would not run now.
            if (leader !== undefined) lead();
          };
          mine.postMessage({ lead: name });
        }));
      lead();
      bus.postMessage({ seek: true } satisfies Said);
    },
    leave() {
      left.abort();
      worker?.terminate();
      bus.close();
    },
  };
}

/**
 * Opens a memory whose engine runs in a worker: the page stays free, and everything else is as with `open` of `memfold`. Functions
 * among the options (an analyst, an embedder) are asked in this page.
 */
export function open(options?: OpenOptions): Promise<Memories> {
  return guarded(async () => {
    const given = object(options, 'options');
    const { run = hasLocks() ? 'tabs' : 'dedicated', worker, ...rest } = given;
    if (!['tabs', 'shared', 'dedicated'].includes(run)) throw invalid('run', `is \`${run}\`, which is none of \`tabs\`, \`shared\`, \`dedicated\``);
    if (worker !== undefined && typeof worker !== 'function') throw invalid('worker', 'is not a function');
    const asked = { ...given, run };
    // What is kept in a process is one tab's own.
    const way = run === 'tabs' && rest.store !== 'memory' ? among(asked) : direct(asked);
    const { running, name, elsewhere } = await Remote.open(way, rest);
    return Memories.over(running, name, elsewhere);
  });
}

export * from './api.js';
