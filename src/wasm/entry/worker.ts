// `memfold/worker`: `open` with the engine in a worker. Tabs share one engine: the tab that holds the lock runs it, and
// the next in line takes over when it closes.
import { invalid, object, refuseUnknown } from './arguments.js';
import { unique } from './changes.js';
import { MemfoldError, guarded, typed } from './error.js';
import type { WasmSource } from './host.js';
import { Memories } from './memories.js';
import type { OpenOptions as Options, StorageOptions } from './options.js';
import type { Message } from './port.js';
import { Remote, type EngineConnection } from './remote.js';

/** Options for opening a memory in a worker. */
export interface OpenOptions extends Omit<Options, 'storage'> {
  storage?: 'indexeddb' | 'memory' | Omit<StorageOptions, 'path' | 'object'>;
  /** How the worker is created. */
  worker?: WorkerOptions;
}

/** How the worker of a memory is created. */
export interface WorkerOptions {
  /**
   * `tabs` (requires Web Locks): one dedicated worker for all tabs of the site, in the tab that has been open longest.
   * `shared`: a SharedWorker. `dedicated`: a worker for this page only.
   */
  run?: 'tabs' | 'shared' | 'dedicated';
  /** Creates the worker, if a bundler cannot find `memfold/worker-host`; its module must import `memfold/worker-host`. */
  create?: () => Worker | SharedWorker;
  /** The engine's wasm file or its URL, if it is not found next to the script. Only the first call uses it. */
  wasm?: WasmSource;
}

type Way = WorkerOptions & { name: string };

/** Messages between tabs that share an engine. */
type Said = { to: string; from: string; message: Message } | { seek: true } | { leads: string };

const hasLocks = (): boolean => typeof navigator === 'object' && 'locks' in navigator;

const createWorker = (name: string): Worker => new Worker(new URL('./worker-host.js', import.meta.url), { type: 'module', name });
const createSharedWorker = (name: string): SharedWorker => new SharedWorker(new URL('./worker-host.js', import.meta.url), { type: 'module', name });

/** Holds a lock until this page closes or leaves; `work` starts once it is held. */
function holdLock(lock: string, left: AbortSignal, work: () => Promise<unknown> | void): void {
  const gone = new Promise<void>((resolve) => left.addEventListener('abort', () => resolve()));
  void navigator.locks.request(lock, { signal: left }, () => Promise.race([gone, work() ?? gone])).catch(() => undefined);
}

const startError = (event: Event): MemfoldError =>
  new MemfoldError(
    'unsupported',
    `the worker could not be started: ${(event as ErrorEvent).message || 'its script was not found'} (if the bundler leaves it out, create it: open({ worker: { create: () => new Worker(…) } }))`,
  );

/** A worker for this page only. */
function createDedicated({ create, name }: Way): Worker {
  const worker = create ? create() : createWorker(`memfold ${name}`);
  if ('port' in worker) throw invalid('worker.create', 'returns a SharedWorker, which needs `run: "shared"`');
  return worker;
}

/** A connection to this page's own worker, or to a SharedWorker. */
function connectWorker(way: Way): EngineConnection {
  const { run, create, name } = way;
  const worker = run !== 'shared' ? createDedicated(way) : create ? create() : createSharedWorker(`memfold ${name}`);
  const shared = 'port' in worker;
  const wire = shared ? worker.port : worker;
  const left = new AbortController();
  if (shared) {
    // The worker waits for this lock to detect the end of the page.
    const lock = `memfold/page/${unique()}`;
    if (hasLocks()) holdLock(lock, left.signal, () => wire.postMessage({ hello: lock }));
  }
  return {
    send: (message) => wire.postMessage(message),
    attach(receive, _, broken) {
      wire.onmessage = ({ data }: MessageEvent<Message>) => receive(data);
      worker.onerror = (event) => broken(startError(event));
    },
    leave() {
      left.abort();
      if (shared) wire.postMessage({ bye: true });
      else worker.terminate();
    },
  };
}

/** A connection to the engine shared by all tabs; this tab runs it when it gets the lock. */
function shareEngine(way: Way): EngineConnection {
  const { name } = way;
  const own = unique();
  const bus = new BroadcastChannel(`memfold/engine/${name}`);
  const left = new AbortController();
  /** Whether this page holds the lock that shows the engine that it is alive. */
  let lives = false;
  let leader: string | undefined;
  let waiting: Message[] = [];
  let worker: Worker | undefined;
  const send = (message: Message): void => {
    if (leader === undefined || !lives) waiting.push(message);
    else bus.postMessage({ to: leader, from: own, message } satisfies Said);
  };
  /** Sends the messages that were waiting for an engine. */
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
        // Calls to the previous engine are lost.
        if (before !== undefined) moved();
        flush();
      };
      holdLock(`memfold/page/${own}`, left.signal, () => {
        lives = true;
        flush();
      });
      const lead = (): void =>
        holdLock(
          `memfold/lead/${name}`,
          left.signal,
          () =>
            new Promise<void>((fallen) => {
              let mine: Worker;
              try {
                mine = worker = createDedicated(way);
              } catch (error) {
                broken(typed(error));
                return fallen();
              }
              mine.onerror = (event) => {
                mine.terminate();
                broken(startError(event));
                fallen();
                // Retry only if a worker has ever run; otherwise it would fail again.
                if (leader !== undefined) lead();
              };
              mine.postMessage({ lead: name });
            }),
        );
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
 * Opens a memory with its engine in a worker, which keeps the page responsive. Otherwise like `open` of `memfold`.
 * Callbacks in the options (analyst, embedder) run in this page.
 */
export function open(options?: OpenOptions): Promise<Memories> {
  return guarded(async () => {
    const given = object(options, 'options');
    const { worker, ...rest } = given;
    const { run = hasLocks() ? 'tabs' : 'dedicated', create, wasm, ...unknown } = object(worker, 'worker');
    refuseUnknown(unknown, ['run', 'create', 'wasm'], 'worker.');
    if (!['tabs', 'shared', 'dedicated'].includes(run)) throw invalid('worker.run', `is \`${run}\`, which is none of \`tabs\`, \`shared\`, \`dedicated\``);
    if (create !== undefined && typeof create !== 'function') throw invalid('worker.create', 'is not a function');
    const asked: Way = { run, ...(create && { create }), name: rest.name ?? 'memfold' };
    // In-process memory belongs to one tab.
    const isHere = rest.storage === 'memory' || (rest.storage as StorageOptions | undefined)?.store === 'memory';
    const way = run === 'tabs' && !isHere ? shareEngine(asked) : connectWorker(asked);
    const { running, name, elsewhere } = await Remote.open(way, rest, wasm);
    return Memories.over(running, name, elsewhere, rest.zone);
  });
}

export * from './api.js';
