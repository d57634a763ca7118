// The extension's own database: mails that wait, mails that were handled, and this database's name. It may be lost without
// losing a memory: the engine knows by itself what it has read.
import type { LogEntry } from 'memfold';

/** A mail that waits to be read. Its text is gone as soon as it is. */
export type Waiting = { key: string; account: string; thread: string; id: string; raw: string; at: number; tries: number };

/** What became of a mail: the entries of the log, by decision. */
export type Handled = {
  key: string;
  account: string;
  thread: string;
  id: string;
  at: number;
  subject: string;
  /** The time of its first entry in the log. */
  since: string;
  entries: { id: string; decision: LogEntry['decision']; review: boolean; wrote: boolean }[];
  fault?: string;
};

const NAME = 'memfold-gmail';
let opening: Promise<IDBDatabase> | undefined;

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const done = (tx: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve();
    tx.onabort = () => reject(tx.error);
  });

function base(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => {
      const db = request.result;
      db.createObjectStore('waiting', { keyPath: 'key' });
      db.createObjectStore('handled', { keyPath: 'key' }).createIndex('thread', ['account', 'thread']);
      db.createObjectStore('facts');
    };
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const db = request.result;
      const lost = () => (opening = undefined);
      db.onclose = lost;
      db.onversionchange = () => (db.close(), lost());
      resolve(db);
    };
  });
  opening.catch(() => (opening = undefined));
  return opening;
}

type Store = 'waiting' | 'handled' | 'facts';

/** Does something in one transaction; nothing else is awaited in it. */
async function within<T>(stores: Store[], mode: IDBTransactionMode, work: (tx: IDBTransaction) => IDBRequest<T> | undefined): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const tx = (await base()).transaction(stores, mode);
      const request = work(tx);
      const end = done(tx);
      const [value] = await Promise.all([request && settled(request), end]);
      return value;
    } catch (reason) {
      // The browser may close a connection at any time; it is opened again once.
      if (tries > 1 || !(reason instanceof DOMException) || reason.name !== 'InvalidStateError') throw reason;
      opening = undefined;
    }
  }
}

export const handled = (keys: readonly string[]): Promise<Handled[]> =>
  Promise.all(keys.map((key) => within(['handled'], 'readonly', (tx) => tx.objectStore('handled').get(key) as IDBRequest<Handled>))).then((found) =>
    found.filter((h) => h !== undefined),
  );

export const ofThread = async (account: string, thread: string): Promise<Handled[]> =>
  (await within(['handled'], 'readonly', (tx) => tx.objectStore('handled').index('thread').getAll([account, thread]) as IDBRequest<Handled[]>)) ?? [];

/** Puts mails into the queue; one that waits already stays as it is. */
export async function enqueue(mails: readonly Waiting[]): Promise<void> {
  await within(['waiting', 'handled'], 'readwrite', (tx) => {
    const queue = tx.objectStore('waiting');
    for (const mail of mails) {
      const known = tx.objectStore('handled').getKey(mail.key);
      known.onsuccess = () => {
        if (known.result !== undefined) return;
        const there = queue.getKey(mail.key);
        there.onsuccess = () => there.result === undefined && queue.put(mail);
      };
    }
    return undefined;
  });
}

/** The mails that wait, the oldest of the first few. */
export async function next(): Promise<Waiting | undefined> {
  const some = (await within(['waiting'], 'readonly', (tx) => tx.objectStore('waiting').getAll(null, 50) as IDBRequest<Waiting[]>)) ?? [];
  return some.sort((a, b) => a.tries - b.tries || a.at - b.at)[0];
}

export const waiting = async (): Promise<number> => (await within(['waiting'], 'readonly', (tx) => tx.objectStore('waiting').count())) ?? 0;
export const isWaiting = async (key: string): Promise<boolean> =>
  (await within(['waiting'], 'readonly', (tx) => tx.objectStore('waiting').getKey(key))) !== undefined;

/** Notes what became of a mail and takes it out of the queue, in one step. */
export async function settle(mail: Handled): Promise<void> {
  await within(['waiting', 'handled'], 'readwrite', (tx) => {
    tx.objectStore('waiting').delete(mail.key);
    tx.objectStore('handled').put(mail);
    return undefined;
  });
}

export async function again(mail: Waiting): Promise<void> {
  await within(['waiting'], 'readwrite', (tx) => {
    tx.objectStore('waiting').put({ ...mail, tries: mail.tries + 1 });
    return undefined;
  });
}

export const fact = (name: string): Promise<unknown> => within(['facts'], 'readonly', (tx) => tx.objectStore('facts').get(name));
export const note = (name: string, value: unknown): Promise<unknown> => within(['facts'], 'readwrite', (tx) => tx.objectStore('facts').put(value, name));

/** Empties it; the connection of this worker is closed first. */
export async function drop(): Promise<void> {
  (await opening?.catch(() => undefined))?.close();
  opening = undefined;
  await removed(NAME);
}

export function removed(database: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(database);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(Object.assign(new Error('a page of memfold holds the database open'), { code: 'blocked', retryable: true }));
  });
}
