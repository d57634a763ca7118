// The engine's own thread: the real package, the real database. It has no key and by its own policy no way out: a model is asked
// by the page.
import { compare, open, type Hears, type Memories, type OpenOptions } from 'memfold';
import { port } from '../../../shared/engine/port';
import type { Scene } from '../playground/scene';
import { tryOut, type Tried } from '../playground/trying';

let memories: Memories | undefined;
let name = '';

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
  /** Opens a memory; `tell` hears what is written to it, here and in other tabs. */
  async open(options: OpenOptions & { tell: Hears }): Promise<void> {
    await memories?.close();
    memories = undefined;
    name = options.name ?? '';
    const { tell, ...given } = options;
    memories = await open(given);
    memories.subscribe(tell);
  },
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
