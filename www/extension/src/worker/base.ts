// The extension's database: waiting, processed and set-aside mails, and the memory database's id.
// Its loss does not lose memories, because the engine recognises processed mails.
import type { LogEntry } from 'memfold';

/** A waiting mail; its text is deleted after processing. */
export type Waiting = {
  key: string;
  account: string;
  thread: string;
  id: string;
  raw: string | Uint8Array<ArrayBuffer>;
  at: number;
  /** Started tries. */
  tries: number;
  subject?: string;
  from?: string;
  /** The last try's error code, if known. */
  code?: string;
};

/** A mail set aside after too many tries, kept until the owner retries or drops it. */
export type Aside = Omit<Waiting, 'raw'> & { code: string; asideAt: number };

/** The result of a mail: its log entries by decision. */
export type Handled = {
  key: string;
  account: string;
  thread: string;
  id: string;
  at: number;
  subject: string;
  /** Its message id. */
  source?: string;
  /** The time of its first log entry. */
  since: string;
  entries: { id: string; decision: LogEntry['decision']; review: boolean; wrote: boolean; suspected?: boolean }[];
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
    const request = indexedDB.open(NAME, 2);
    request.onupgradeneeded = ({ oldVersion }) => {
      const db = request.result;
      if (oldVersion < 1) {
        db.createObjectStore('waiting', { keyPath: 'key' });
        db.createObjectStore('handled', { keyPath: 'key' }).createIndex('thread', ['account', 'thread']);
        db.createObjectStore('facts');
      }
      db.createObjectStore('aside', { keyPath: 'key' });
      db.createObjectStore('texts');
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

type Store = 'waiting' | 'handled' | 'facts' | 'aside' | 'texts';

/** Runs a transaction; `work` must not await anything else. */
async function within<T>(
  stores: Store[],
  mode: IDBTransactionMode,
  work: (tx: IDBTransaction) => IDBRequest<T> | undefined,
  durability: IDBTransactionDurability = 'default',
): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const tx = (await base()).transaction(stores, mode, { durability });
      const request = work(tx);
      const end = done(tx);
      const [value] = await Promise.all([request && settled(request), end]);
      return value;
    } catch (reason) {
      // The browser may close a connection at any time; it is reopened once.
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

/** Adds mails to the queue; those already waiting stay unchanged. */
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

/** The next waiting mail: the one with the fewest tries, then the oldest. */
export async function next(): Promise<Waiting | undefined> {
  const some = (await within(['waiting'], 'readonly', (tx) => tx.objectStore('waiting').getAll(null, 50) as IDBRequest<Waiting[]>)) ?? [];
  return some.sort((a, b) => a.tries - b.tries || a.at - b.at)[0];
}

export const waiting = async (): Promise<number> => (await within(['waiting'], 'readonly', (tx) => tx.objectStore('waiting').count())) ?? 0;
export const isWaiting = async (key: string): Promise<boolean> =>
  (await within(['waiting'], 'readonly', (tx) => tx.objectStore('waiting').getKey(key))) !== undefined;

/** Stores a mail's result and removes it from the queue, in one transaction. */
export async function settle(mail: Handled): Promise<void> {
  await within(['waiting', 'handled'], 'readwrite', (tx) => {
    tx.objectStore('waiting').delete(mail.key);
    tx.objectStore('handled').put(mail);
    return undefined;
  });
}

/** Changes a waiting mail, if it still exists; resolves when it is on disk. */
async function change(key: string, by: (mail: Waiting) => Waiting): Promise<void> {
  const work = (tx: IDBTransaction): undefined => {
    const queue = tx.objectStore('waiting');
    const there = queue.get(key) as IDBRequest<Waiting | undefined>;
    there.onsuccess = () => there.result && queue.put(by(there.result));
  };
  await within(['waiting'], 'readwrite', work, 'strict');
}

/** Counts a try that is about to start. */
export const count = (key: string): Promise<void> => change(key, (mail) => ({ ...mail, tries: mail.tries + 1 }));
/** Takes back a try that failed for another reason, and moves the mail back in the queue. */
export const uncount = (key: string): Promise<void> => change(key, (mail) => ({ ...mail, tries: Math.max(0, mail.tries - 1), at: Date.now() }));
/** Stores the error code of a try. */
export const blame = (key: string, code: string): Promise<void> => change(key, (mail) => ({ ...mail, code }));

/** Sets a mail aside as unreadable. */
export async function setAside(mail: Waiting): Promise<void> {
  const { raw, ...rest } = mail;
  const { key, account, thread, id, subject = '', code = 'stopped' } = rest;
  const at = Date.now();
  const aside: Aside = { ...rest, code, asideAt: at };
  const handled: Handled = { key, account, thread, id, at, subject, since: new Date(at).toISOString(), entries: [], fault: code };
  await within(['waiting', 'handled', 'aside', 'texts'], 'readwrite', (tx) => {
    tx.objectStore('waiting').delete(key);
    tx.objectStore('handled').put(handled);
    tx.objectStore('aside').put(aside);
    tx.objectStore('texts').put(raw, key);
    return undefined;
  });
}

/** The set-aside mails, newest first. */
export async function asides(): Promise<Aside[]> {
  const all = (await within(['aside'], 'readonly', (tx) => tx.objectStore('aside').getAll() as IDBRequest<Aside[]>)) ?? [];
  return all.sort((a, b) => b.asideAt - a.asideAt);
}

/** Retries a set-aside mail as if it were new. */
export async function renew(key: string): Promise<void> {
  await within(['waiting', 'handled', 'aside', 'texts'], 'readwrite', (tx) => {
    const there = tx.objectStore('aside').get(key) as IDBRequest<Aside | undefined>;
    const text = tx.objectStore('texts').get(key) as IDBRequest<Waiting['raw'] | undefined>;
    text.onsuccess = () => {
      if (!there.result || text.result === undefined) return;
      const { code: _, asideAt: __, ...mail } = there.result;
      const waiting: Waiting = { ...mail, raw: text.result, tries: 0, at: Date.now() };
      for (const name of ['aside', 'texts', 'handled']) tx.objectStore(name).delete(key);
      tx.objectStore('waiting').put(waiting);
    };
    return undefined;
  });
}

/** Deletes a set-aside mail's text; it still counts as processed. */
export async function dropAside(key: string): Promise<void> {
  await within(['aside', 'texts'], 'readwrite', (tx) => {
    tx.objectStore('texts').delete(key);
    return tx.objectStore('aside').delete(key);
  });
}

export const fact = (name: string): Promise<unknown> => within(['facts'], 'readonly', (tx) => tx.objectStore('facts').get(name));
export const note = (name: string, value: unknown): Promise<unknown> => within(['facts'], 'readwrite', (tx) => tx.objectStore('facts').put(value, name));

/** Deletes the database, after closing this worker's connection. */
export async function drop(): Promise<void> {
  (await opening?.catch(() => undefined))?.close();
  opening = undefined;
  await removed(NAME);
}

/** Milliseconds to wait for open connections before reporting a blocked deletion. */
const HELD = 3_000;

export function removed(database: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let held: ReturnType<typeof setTimeout> | undefined;
    const request = indexedDB.deleteDatabase(database);
    request.onsuccess = () => (clearTimeout(held), resolve());
    request.onerror = () => (clearTimeout(held), reject(request.error));
    // A closing connection first finishes its transactions.
    request.onblocked = () => {
      held = setTimeout(() => reject(Object.assign(new Error('a memfold page has the database open'), { code: 'blocked', retryable: true })), HELD);
    };
  });
}
