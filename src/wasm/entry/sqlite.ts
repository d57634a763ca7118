// A SQLite file with the interface of a Durable Object's storage, for any SQLite library of the host.
import { invalid } from './arguments.js';
import { MemfoldError } from './error.js';
import { tables, type ObjectStorage, type Place, type Scope } from './place.js';

/** The used part of a statement; `node:sqlite`, `better-sqlite3` and `bun:sqlite` each have some of it. */
interface Statement {
  all(...bindings: unknown[]): unknown[];
  run(...bindings: unknown[]): unknown;
  setReturnArrays?(yes: boolean): void;
  raw?(yes: boolean): unknown;
  values?(...bindings: unknown[]): unknown[][];
  /** In `better-sqlite3`: whether it returns rows. */
  readonly reader?: boolean;
}

/** The used part of a database. */
export interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): void;
}

/** Milliseconds to wait for another process to release its lock; this blocks the thread. */
const PATIENCE = 2_000;

/** SQLite's error names by number; the engine recognises errors by name. */
const NAMES: Record<number, string> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
};

function failure(error: unknown): { name: string; message: string } {
  const { code, errcode, errno, message = String(error) } = (error ?? {}) as { code?: unknown; errcode?: unknown; errno?: unknown; message?: string };
  const number = [errcode, errno].find((n) => typeof n === 'number') as number | undefined;
  const name = typeof code === 'string' && code.startsWith('SQLITE_') ? code : (NAMES[(number ?? 0) & 0xff] ?? '');
  return { name, message };
}

/** Runs `work`; appends SQLite's error name to the message of an exception. */
function withErrorName<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { name, message } = failure(error);
    throw name === '' ? error : new Error(`${message}: ${name}`, { cause: error });
  }
}

// Node 22 binds a Uint8Array over an empty buffer as NULL, but not a new empty one.
const toBinding = (value: unknown) => (value instanceof ArrayBuffer ? (value.byteLength === 0 ? new Uint8Array() : new Uint8Array(value)) : value);
const fromColumn = (value: unknown) => (value instanceof Uint8Array ? value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) : value);

/**
 * Wraps a database as storage for the engine.
 * @internal
 */
export function storageOf(db: Database): ObjectStorage {
  const prepared = new Map<string, (bindings: unknown[]) => unknown[][]>();
  function prepare(query: string): (bindings: unknown[]) => unknown[][] {
    const statement = db.prepare(query);
    if (statement.values) return (bindings) => statement.values!(...bindings);
    if (statement.reader === false) return (bindings) => (statement.run(...bindings), []);
    if (statement.reader === undefined) statement.setReturnArrays?.(true);
    else statement.raw?.(true);
    return (bindings) => statement.all(...bindings).map((row) => (Array.isArray(row) ? row : Object.values(row as object)));
  }
  function exec(query: string, ...bindings: unknown[]): unknown {
    const rows = withErrorName(() => {
      // Schema steps contain several statements.
      if (bindings.length === 0 && query.includes(';')) return (db.exec(query), []);
      let run = prepared.get(query);
      if (!run) prepared.set(query, (run = prepare(query)));
      return run(bindings.map(toBinding));
    });
    return { raw: () => ({ toArray: () => rows.map((row) => row.map(fromColumn)) }) };
  }
  return {
    sql: { exec },
    transactionSync(work) {
      withErrorName(() => db.exec('BEGIN IMMEDIATE'));
      try {
        const value = work();
        withErrorName(() => db.exec('COMMIT'));
        return value;
      } catch (error) {
        try {
          db.exec('ROLLBACK');
        } catch {
          // A disk failure has already ended the transaction.
        }
        throw error;
      }
    },
  };
}

/** Imports a host module by a name that bundlers do not resolve. */
const host = <T>(name: string) => import(/* @vite-ignore */ /* webpackIgnore: true */ name) as Promise<T>;

/** The first SQLite library available. */
async function sqlite(): Promise<(path: string) => Database> {
  type Class = new (path: string) => Database;
  const ways = [
    async () => (await host<{ DatabaseSync: Class }>('node:sqlite')).DatabaseSync,
    async () => (await host<{ Database: Class }>('bun:sqlite')).Database,
    async () => (await host<{ default: Class }>('better-sqlite3')).default,
  ];
  for (const way of ways) {
    const found = await way().catch(() => undefined);
    if (found) return (path) => new found(path);
  }
  throw new MemfoldError('unsupported', 'a file needs SQLite: Node 22.13 or later, Deno 2.2, Bun, or the package better-sqlite3', { field: 'path' });
}

const isBusy = (error: unknown): boolean => {
  const { name, message } = failure(error);
  return ['SQLITE_BUSY', 'SQLITE_LOCKED'].some((n) => name.startsWith(n) || message.includes(n));
};

/** Retries while another process creates the same file: `busy_timeout` does not cover a new journal. */
async function retryWhileBusy(work: () => void): Promise<void> {
  for (const until = Date.now() + PATIENCE; ; await new Promise((r) => setTimeout(r, 20))) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || Date.now() >= until) throw error;
    }
  }
}

/**
 * Opens the SQLite file at a path, and creates it if missing.
 * @internal
 */
export async function file(path: string, scope: Scope | undefined, strict: boolean): Promise<Place> {
  if (typeof path !== 'string' || path === '') throw invalid('path', 'is not the path of a file');
  const fs = await import('node:fs/promises');
  const { resolve, dirname } = await import('node:path');
  const at = path === ':memory:' ? path : resolve(path);
  const kind = async (of: string) =>
    fs.stat(of).then(
      (s) => (s.isDirectory() ? 'folder' : 'file'),
      () => 'nothing',
    );
  if (at !== path || path !== ':memory:') {
    if ((await kind(at)) === 'folder') throw invalid('path', 'is a folder');
    if ((await kind(dirname(at))) !== 'folder') throw invalid('path', 'is in a folder that is not there');
  }
  const open = await sqlite();
  let db: Database | undefined;
  try {
    db = open(at);
    db.exec(`PRAGMA busy_timeout = ${PATIENCE}`);
    const opened = db;
    // Log entries have about 3 KB: of a page of 4 KB, a third would stay empty. A file that exists keeps its own page size.
    const settings = `PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${strict ? 'FULL' : 'NORMAL'}`;
    if (at !== ':memory:') await retryWhileBusy(() => opened.exec(settings));
    const storage = storageOf(db);
    const lasts = at === ':memory:' ? 'ephemeral' : 'persistent';
    const place = tables(storage, scope, { store: 'sqlite', lasts }, at === ':memory:' ? undefined : at);
    const version = () => (storage.sql.exec('PRAGMA data_version') as { raw(): { toArray(): unknown[][] } }).raw().toArray()[0]?.[0];
    return {
      ...place,
      ...(at !== ':memory:' && { version }),
      async remove() {
        await place.remove();
        const gone = at !== ':memory:' && place.isEmpty();
        opened.close();
        if (gone) for (const end of ['', '-wal', '-shm']) await fs.rm(at + end, { force: true });
      },
      close: () => opened.close(),
    };
  } catch (error) {
    db?.close();
    if (error instanceof MemfoldError) throw error;
    const { name, message } = failure(error);
    const is = (...names: string[]) => names.some((n) => name.startsWith(n) || message.includes(n));
    if (isBusy(error)) throw new MemfoldError('blocked', 'another process has locked the file', { retryable: true, field: 'path', cause: error });
    if (is('SQLITE_NOTADB', 'SQLITE_CORRUPT')) throw new MemfoldError('corrupt', 'the file is not a memfold database', { field: 'path', cause: error });
    if (is('SQLITE_CANTOPEN', 'SQLITE_READONLY'))
      throw new MemfoldError('storage', 'the file cannot be opened for writing', { retryable: true, field: 'path', cause: error });
    throw error;
  }
}
