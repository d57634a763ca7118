// `memfold/worker`: the same `open`, with the engine in a worker. Several tabs share one: whichever holds the lock runs it, and
// when that tab goes, the next in turn does.
import { invalid, object } from './arguments.js';
import { MemfoldError, guarded } from './error.js';
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

const made = (name: string): Worker => new Worker(new URL('./worker-host.js', import.meta.url), { type: 'module', name });
const madeShared = (name: string): SharedWorker => new SharedWorker(new URL('./worker-host.js', import.meta.url), { type: 'module', name });

const broke = (event: Event): MemfoldError =>
  new MemfoldError('unsupported', `the worker could not be started: ${(event as ErrorEvent).message || 'its script was not found'} (where a bundler does not carry it, name it: open({ worker: () => new Worker(…) }))`);

/** A worker of this page's own, or one that pages share. */
function direct(options: OpenOptions): Way {
  const name = `memfold ${options.name ?? ''}`;
  const worker = options.worker ? options.worker() : options.run === 'shared' ? madeShared(name) : made(name);
  const shared = 'port' in worker;
  const wire = shared ? worker.port : worker;
  const left = new AbortController();
  if (shared) {
    // While this page lives it holds a lock; whoever gets it knows that the page is gone.
    const lock = `memfold/page/${crypto.randomUUID()}`;
    void navigator.locks?.request(lock, { signal: left.signal }, () => new Promise<void>((resolve) => left.signal.addEventListener('abort', () => resolve()))).catch(() => undefined);
    wire.postMessage({ hello: lock });
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
  const own = crypto.randomUUID();
  const bus = new BroadcastChannel(`memfold/engine/${name}`);
  const left = new AbortController();
  const { signal } = left;
  const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  let leader: string | undefined;
  let waiting: Message[] = [];
  let worker: Worker | undefined;
  const send = (message: Message): void => {
    if (leader === undefined) waiting.push(message);
    else bus.postMessage({ to: leader, from: own, message } satisfies Said);
  };
  const held = (lock: string, work: () => Promise<void>): void => void navigator.locks.request(lock, { signal }, work).catch(() => undefined);
  // While this page lives it holds this one; the engine lets go of what it asked for when it gets it.
  held(`memfold/page/${own}`, () => gone);
  return {
    send,
    attach(receive, moved, broken) {
      bus.onmessage = ({ data }: MessageEvent<Said>) => {
        if ('to' in data) return data.to === own && data.from === leader ? receive(data.message) : undefined;
        if (!('leads' in data) || data.leads === leader) return;
        const before = leader;
        leader = data.leads;
        // What was asked of nobody yet is asked now; what was asked of somebody else is lost.
        if (before !== undefined) moved();
        const asked = waiting;
        waiting = [];
        asked.forEach(send);
      };
      held(`memfold/lead/${name}`, async () => {
        const broken_ = new Promise<void>((resolve) => {
          worker = options.worker ? (options.worker() as Worker) : made(`memfold ${name}`);
          if ('port' in worker) throw invalid('worker', 'makes a SharedWorker, which `run: "shared"` is for');
          worker.onerror = (event) => {
            broken(broke(event));
            resolve();
          };
          worker.postMessage({ lead: name });
        });
        await Promise.race([gone, broken_]);
        worker?.terminate();
      });
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
    const { run = typeof navigator === 'object' && 'locks' in navigator ? 'tabs' : 'dedicated', worker, ...rest } = given;
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
