// Storage locations: IndexedDB, a SQLite file, a Durable Object or this process. Their durability and deletion.
import { invalid } from './arguments.js';
import { adapterBacking, type Backing } from './backing.js';
import { unique } from './changes.js';
import { MemfoldError } from './error.js';
import { databaseBacking } from './indexeddb.js';
import { sqlBacking } from './sql.js';
import { empty, type StorageAdapter } from './storage.js';

/** The used part of a `DurableObjectStorage`. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...bindings: any[]): unknown };
  transactionSync<T>(work: () => T): T;
}

/** Where data is stored, and how long it lasts. */
export interface Durability {
  store: 'indexeddb' | 'sqlite' | 'object' | 'adapter' | 'memory';
  /**
   * `persistent`: until deleted. `evictable`: the browser may delete it under storage pressure, as persistence was not
   * requested or was denied. `ephemeral`: until this process or page ends.
   */
  lasts: 'persistent' | 'evictable' | 'ephemeral';
}

/** Identifies one of several isolated memories in one database. */
export interface Scope {
  user?: string;
  agent?: string;
  app?: string;
}

/** A storage location. */
export interface Place {
  /** The store for the engine; absent for in-process memory. */
  storage?: Backing;
  /** A name for change notifications, if others may have the same memory open. */
  shared?: string;
  durability: Durability;
  /** A number that changes after another connection has written; absent if writers send notifications. */
  version?(): unknown;
  /** Whether another connection has deleted the memory; absent if the host notifies open connections. */
  gone?(): boolean;
  /** Empties the memory; absent for in-process memory. */
  wipe?(): Promise<void> | void;
  /** Deletes the memory. */
  remove(): Promise<void> | void;
  close(): void;
}

const PARTS = ['user', 'agent', 'app'] as const;

/** A scope as text; empty for the scope `{}`. */
export function scopeName(scope: Scope): string {
  if (typeof scope !== 'object' || scope === null || Array.isArray(scope)) throw invalid('scope', 'is not an object');
  const known: readonly string[] = PARTS;
  for (const name of Object.keys(scope))
    if (!known.includes(name))
      throw new MemfoldError('unknown_field', `unknown field \`${name}\`, expected one of \`user\`, \`agent\`, \`app\``, { field: `scope.${name}` });
  return PARTS.filter((part) => scope[part] !== undefined)
    .map((part) => {
      const value = scope[part];
      if (typeof value !== 'string' || value === '' || value.length > 200) throw invalid(`scope.${part}`, 'is not a name of 1 to 200 characters');
      return `${part}=${encodeURIComponent(value)}`;
    })
    .join('&');
}

/** The error if a database has several scopes and none is given. */
function unscoped(): MemfoldError {
  return new MemfoldError('invalid_field', '`scope` is required: this database has several memories; `{}` selects the one without a scope', { field: 'scope' });
}

/** In-process memory, lost when the process ends. */
export const process: Place = { durability: { store: 'memory', lasts: 'ephemeral' }, remove() {}, close() {} };

/** Separates the names of database and scope. */
const SCOPED = '\u001f';

const done = (request: IDBRequest | IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = () =>
      reject(new MemfoldError('storage', `the database failed: ${request.error?.message ?? 'unknown'}`, { retryable: true, cause: request.error }));
    if ('oncomplete' in request) request.oncomplete = () => resolve();
    else request.onsuccess = () => resolve();
    request.onerror = fail;
    if ('onabort' in request) request.onabort = fail;
  });

/** Whether an IndexedDB database has any data; one that was only opened does not count. */
async function isWritten(database: string): Promise<boolean> {
  const request = indexedDB.open(database);
  await done(request);
  const { result: db } = request;
  try {
    const names = [...db.objectStoreNames].filter((name) => name === 'memories' || name === 'log');
    const counts = names.map((name) => db.transaction(name).objectStore(name).count());
    await Promise.all(counts.map(done));
    return counts.some((count) => count.result > 0);
  } finally {
    db.close();
  }
}

/** An IndexedDB database. */
export async function indexedDatabase(name: string, scope: Scope | undefined, persist: boolean, flush: 'relaxed' | 'strict' | undefined): Promise<Place> {
  if (name === '') throw invalid('name', 'is empty');
  if (new TextEncoder().encode(name).length > 200) throw invalid('name', 'is longer than 200 bytes');
  if (name.includes(SCOPED)) throw invalid('name', 'has a control character');
  const begins = `${name}${SCOPED}`;
  if (scope === undefined) {
    for (const { name } of (await indexedDB.databases?.()) ?? []) if (name?.startsWith(begins) && (await isWritten(name))) throw unscoped();
  }
  const own = scope === undefined ? '' : scopeName(scope);
  const database = own === '' ? name : begins + own;
  const durability: Durability = { store: 'indexeddb', lasts: 'evictable' };
  const { storage } = (globalThis.navigator ?? {}) as { storage?: StorageManager };
  const told = (persisted: boolean | undefined) => {
    if (persisted) durability.lasts = 'persistent';
  };
  const before = await storage?.persisted?.().catch(() => false);
  told(before);
  // Not awaited, since the browser may show a prompt.
  if (!before && persist) void storage?.persist?.().then(told, () => undefined);
  const opened = databaseBacking(database, flush);
  return {
    storage: opened,
    shared: database,
    durability,
    async wipe() {
      const request = indexedDB.open(database);
      await done(request);
      const { result: db } = request;
      try {
        const stores = [...db.objectStoreNames];
        const emptying = db.transaction(stores, 'readwrite');
        for (const store of stores) emptying.objectStore(store).clear();
        await done(emptying);
      } finally {
        db.close();
      }
    },
    remove() {
      opened.close();
      return done(indexedDB.deleteDatabase(database));
    },
    close: opened.close,
  };
}

/** Replaces the table prefix in all queries by that of a scope. */
function prefixTables(storage: ObjectStorage, prefix: string): ObjectStorage {
  if (prefix === 'memfold_') return storage;
  return {
    sql: { exec: (query, ...bindings) => storage.sql.exec(query.replaceAll('memfold_', prefix), ...bindings) },
    transactionSync: (work) => storage.transactionSync(work),
  };
}

type Rows = { raw(): { toArray(): unknown[][] } };

/** Tables in the SQLite database of a Durable Object or a file. */
export function tables(storage: ObjectStorage, scope: Scope | undefined, durability: Durability, shared?: string): Place & { isEmpty(): boolean } {
  const rows = (query: string, ...bindings: unknown[]) => (storage.sql.exec(query, ...bindings) as Rows).raw().toArray();
  const tablesOf = (prefix: string) =>
    rows("SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ?) = ?", prefix.length, prefix).map(([name]) => String(name));
  const hasScopes = () => tablesOf('memfoldscopes').length > 0;
  // A scope that was opened but never written does not count.
  const isWritten = (prefix: string) =>
    tablesOf(prefix).some((name) => (name === `${prefix}log` || name === `${prefix}memories`) && rows(`SELECT 1 FROM ${name} LIMIT 1`).length > 0);
  if (scope === undefined && hasScopes() && rows('SELECT n FROM memfoldscopes').some(([n]) => isWritten(`memfold${n}_`))) throw unscoped();
  const own = scope === undefined ? '' : scopeName(scope);
  const number = () =>
    storage.transactionSync(() => {
      rows('CREATE TABLE IF NOT EXISTS memfoldscopes (n INTEGER PRIMARY KEY, scope TEXT UNIQUE NOT NULL)');
      rows('INSERT OR IGNORE INTO memfoldscopes (scope) VALUES (?)', own);
      return rows('SELECT n FROM memfoldscopes WHERE scope = ?', own)[0]![0];
    });
  const prefix = own === '' ? 'memfold_' : `memfold${number()}_`;
  const each = (work: string, but?: string) => storage.transactionSync(() => tablesOf(prefix).forEach((name) => name !== but && rows(`${work} ${name}`)));
  return {
    storage: sqlBacking(prefixTables(storage, prefix)),
    ...(shared !== undefined && { shared: own === '' ? shared : `${shared}${SCOPED}${own}` }),
    durability,
    gone: () => tablesOf(prefix).length === 0,
    wipe: () => each('DELETE FROM', `${prefix}schema`),
    remove() {
      each('DROP TABLE');
      if (own !== '') rows('DELETE FROM memfoldscopes WHERE scope = ?', own);
    },
    close() {},
    isEmpty: () =>
      tablesOf('').every((name) => name.startsWith('sqlite_') || name === 'memfoldscopes') &&
      (!hasScopes() || rows('SELECT 1 FROM memfoldscopes LIMIT 1').length === 0),
  };
}

/** A name of each adapter, for change notifications in this process. */
const names = new WeakMap<StorageAdapter, string>();

/** A store of the application. Opening it again finds the same data, so the application tells how long that lasts. */
export function adapted(adapter: StorageAdapter): Place {
  const name = names.get(adapter) ?? unique();
  names.set(adapter, name);
  return {
    storage: adapterBacking(adapter),
    shared: `adapter${SCOPED}${name}`,
    durability: { store: 'adapter', lasts: 'persistent' },
    version: async () => (await adapter.get(['head']))[0] ?? '',
    // The head goes on, so that a batch that another connection has prepared is refused.
    wipe: () =>
      empty(adapter, (before) => {
        const head = JSON.parse(before) as { version: number };
        return JSON.stringify({ ...head, version: head.version + 1, seq: 0 });
      }),
    remove: () => empty(adapter),
    close() {},
  };
}

let warned = false;

/** Warns once that in-process memory is not persistent. */
export function warn(durability: Durability): void {
  if (warned || durability.lasts !== 'ephemeral') return;
  warned = true;
  console.warn(
    "memfold: this memory is lost when the process ends. Set a file, open({ storage: { path: 'mine.db' } }), or confirm the choice: open({ storage: 'memory' }).",
  );
}
