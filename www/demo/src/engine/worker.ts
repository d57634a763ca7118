// The engine's own thread: the real package, the real database. It has no key and by its own policy no way out: a model is asked
// by the page.
import { compare, open, type Hears, type IngestCall, type IngestReport, type Memories, type OpenOptions, type Stop } from 'memfold';
import type { LoadedEncoder } from 'memfold/encoder';
import { isEmpty, type Never } from '../../../shared/never';
import { port } from '../../../shared/engine/port';
import type { Scene } from '../playground/scene';
import { skim } from '../../../shared/skim';
import { tryOut, type Tried } from '../playground/trying';

let memories: Memories | undefined;
let name = '';
let hearing: Stop | undefined;
let loaded: LoadedEncoder | undefined;

/** The encoder's code and the addresses of its files, fetched on first use. */
const parts = () => Promise.all([import('memfold/encoder'), import('memfold-encoder'), import('memfold-encoder/head')]);

/** The same embedder, which reports the code of each failure, and `undefined` once it works again. */
function reporting(embedder: LoadedEncoder, report: (code?: string) => void): LoadedEncoder {
  const embed: LoadedEncoder['embed'] = async (texts, call) => {
    try {
      const vectors = await embedder.embed(texts, call);
      report();
      return vectors;
    } catch (reason) {
      const { code } = reason as { code?: string };
      if (code !== 'aborted' && code !== 'closed') report(code);
      throw reason;
    }
  };
  return Object.create(embedder, { embed: { value: embed, enumerable: true } }) as LoadedEncoder;
}

/** The encoder, in a worker of its own; the next `open` uses it. */
const meaning = {
  async stored(): Promise<boolean> {
    const [{ encoder }] = await parts();
    const { weights, head } = await encoder.stored();
    return weights && head;
  },
  /** Loads the files, stored or fetched. Returns why the browser did not store them, if it did not. */
  async load({ report, ...options }: { onProgress(progress: { loaded: number; total: number }): void; signal: AbortSignal; report(code?: string): void }): Promise<string | undefined> {
    const [{ encoder }, { default: source }, { default: head }] = await parts();
    const embedder = await encoder({ source, head, ...options });
    loaded?.close();
    let last: string | undefined;
    loaded = reporting(embedder, (code) => {
      if (code !== last) report((last = code));
    });
    const { stored, error } = embedder.storage;
    return stored ? undefined : (error?.code ?? 'storage');
  },
  /** Ends the encoder and deletes its files. Until the memory is opened anew, the built-in embedder serves it. */
  async remove(): Promise<void> {
    loaded?.close();
    loaded = undefined;
    const [{ encoder }] = await parts();
    await encoder.remove();
  },
};

function removed(database: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(database);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(Object.assign(new Error('another tab holds the database open'), { code: 'blocked', retryable: true }));
  });
}

const thread = {
  get memories(): Memories {
    if (!memories) throw Object.assign(new Error('the store is not open'), { code: 'closed', retryable: false });
    return memories;
  },
  /** Opens a memory in the place of the one that is open; `tell` hears what is written to it, here and in other tabs. */
  async open(options: OpenOptions & { tell: Hears }): Promise<void> {
    name = options.name ?? '';
    const { tell, ...given } = options;
    const next = await open({ ...given, ...(loaded ? { embedder: loaded } : {}) });
    // In one step, so that no call comes between the two; what the old one has begun it ends.
    const before = memories;
    hearing?.();
    memories = next;
    hearing = next.subscribe(tell);
    await before?.close();
  },
  /** Takes mail in, except what is on the list. */
  async ingest(source: Blob | string, { never, ...options }: IngestCall & { never: Never }): Promise<IngestReport> {
    const mails = typeof source === 'string' ? new Blob([source]) : source;
    // A file that was moved or changed since it was chosen fails here, by its own name.
    await mails.slice(0, 1).arrayBuffer();
    if (isEmpty(never)) return thread.memories.ingest(source, options);
    // A stream begins where an earlier import stopped.
    return thread.memories.ingest(mails.slice(options.resume?.bytes ?? 0).stream().pipeThrough(skim(never) as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>), options);
  },
  meaning,
  tryOut: (scene: Scene, zone: string): Promise<Tried> => tryOut({ open, compare }, scene, zone),
  async erase(): Promise<void> {
    // Whoever else has it open is told, and finds it empty.
    await memories?.destroy();
    memories = undefined;
    const all = await indexedDB.databases();
    for (const { name: found } of all) if (found && found.includes(name)) await removed(found);
  },
};

/** What the page may ask for beside the memory itself. */
export type Thread = Omit<typeof thread, 'memories'>;

port(self as unknown as DedicatedWorkerGlobalScope, thread);
