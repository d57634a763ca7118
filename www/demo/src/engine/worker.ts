// Runs the engine with its database in a worker. It has no key, and its policy forbids requests:
// the page calls the model.
import { compare, open, type ImportMailOptions, type MailImportReport, type Memories, type OpenOptions, type Stop } from 'memfold';
import type { Estimate, Hears } from '../../../shared/types';
import type { LoadedEncoder } from 'memfold/encoder';
import type { Never } from '../../../shared/never';
import { port } from '../../../shared/engine/port';
import type { Scene } from '../playground/scene';
import { tryOut, type Tried } from '../playground/trying';

let memories: Memories | undefined;
let name = '';
let hearing: Stop | undefined;
let loaded: LoadedEncoder | undefined;

/** The encoder's code and file URLs, loaded on first use. */
const parts = () => Promise.all([import('memfold/encoder'), import('memfold-encoder'), import('memfold-encoder/head')]);

/** An embedder that reports the code of each failure, and `undefined` once it works again. */
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

/** The encoder, in a separate worker; the next `open` uses it. */
const meaning = {
  async stored(): Promise<boolean> {
    const [{ encoder }] = await parts();
    const { weights, head } = await encoder.stored();
    return weights && head;
  },
  /** Loads the files, cached or downloaded. Returns why the browser did not cache them, if so. */
  async load({
    report,
    ...options
  }: {
    onProgress(progress: { loaded: number; total: number }): void;
    signal: AbortSignal;
    report(code?: string): void;
  }): Promise<string | undefined> {
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
  /**
   * Stops the encoder and deletes its files. Until the memory is reopened, the built-in embedder is
   * used.
   */
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
    request.onblocked = () => reject(Object.assign(new Error('another tab has the database open'), { code: 'blocked', retryable: true }));
  });
}

const excluded = ({ people, topics }: Never) => ({ people: [...people], topics: [...topics] });

const thread = {
  get memories(): Memories {
    if (!memories) throw Object.assign(new Error('the store is not open'), { code: 'closed', retryable: false });
    return memories;
  },
  /**
   * Opens a memory and replaces the open one; `tell` receives changes made here and in other tabs.
   */
  async open(options: OpenOptions & { tell: Hears }): Promise<void> {
    name = options.name ?? '';
    const { tell, ...given } = options;
    const next = await open({ ...given, ...(loaded ? { embedder: loaded } : {}) });
    // Switched synchronously, so that no call comes in between; the old one finishes its calls.
    const before = memories;
    hearing?.();
    memories = next;
    hearing = next.subscribe(tell);
    await before?.close();
  },
  /** Imports mail, or lets the model read it again, except mail on the list. */
  async importMail(
    source: Blob | string,
    { never, reread = false, ...options }: ImportMailOptions & { never: Never; reread?: boolean },
  ): Promise<MailImportReport> {
    const mails = typeof source === 'string' ? new Blob([source]) : source;
    // Fails early if the file was moved or changed since it was chosen.
    await mails.slice(0, 1).arrayBuffer();
    const verb = reread ? 'reread' : 'importMail';
    return thread.memories[verb](source, { ...options, exclude: excluded(never) });
  },
  /** Estimates what reading these mails again costs. */
  async estimateReread(mails: Blob, { never, signal }: { never: Never; signal: AbortSignal }): Promise<Estimate> {
    return thread.memories.model.estimate(mails, { reread: true, exclude: excluded(never), signal });
  },
  meaning,
  tryOut: (scene: Scene, zone: string): Promise<Tried> => tryOut({ open, compare }, scene, zone),
  async erase(): Promise<void> {
    // Other connections are notified and find it empty.
    await memories?.destroy();
    memories = undefined;
    const all = await indexedDB.databases();
    for (const { name: found } of all) if (found?.includes(name)) await removed(found);
  },
};

/** The functions of the worker besides the memory. */
export type Thread = Omit<typeof thread, 'memories'>;

port(self as unknown as DedicatedWorkerGlobalScope, thread);
