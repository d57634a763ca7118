// The engine's store in the tables of a SQLite database: a Durable Object's, or a file's, which other processes may have open
// too. All calls are synchronous.
import { split, type Backing, type Value } from './backing.js';
import { MemfoldError } from './error.js';
import type { ObjectStorage } from './place.js';
import type { Code } from './types.js';

/** The largest row in bytes; the platform's limit is 2 MB. */
const MAX_ROW_BYTES = 2_000_000;
/** The most ids in one query. Bound as one JSON text, they stay below the row limit and need one parameter. */
const MAX_IDS = 10_000;

/** The migrations: each runs once. */
const STEPS = [
  `CREATE TABLE memfold_memories (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, body TEXT NOT NULL);
   CREATE TABLE memfold_vectors (id TEXT PRIMARY KEY, model TEXT NOT NULL, bytes BLOB NOT NULL);
   CREATE TABLE memfold_edges (id TEXT PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL, body TEXT NOT NULL);
   CREATE INDEX memfold_edges_a ON memfold_edges (a);
   CREATE INDEX memfold_edges_b ON memfold_edges (b);
   CREATE TABLE memfold_log (seq INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, key TEXT UNIQUE, body TEXT NOT NULL);
   CREATE TABLE memfold_records (shelf TEXT, key TEXT, value BLOB NOT NULL, PRIMARY KEY (shelf, key)) WITHOUT ROWID;`,
];

/** Codes by parts of SQLite's messages. */
const FAILURES: [RegExp, Code, string][] = [
  [/SQLITE_BUSY|SQLITE_LOCKED/, 'blocked', 'another process holds the database locked'],
  [/SQLITE_FULL/, 'quota_exceeded', "the object's storage is full"],
  [/SQLITE_TOOBIG/, 'too_large', "a record is larger than the object's database takes"],
  [/SQLITE_CONSTRAINT/, 'conflict', 'the log has this entry already'],
  [/SQLITE_CORRUPT|SQLITE_NOTADB|no such table|no such column/, 'corrupt', 'the database lacks a part that memfold made'],
];

function failure(error: unknown): unknown {
  if (error instanceof MemfoldError) return error;
  const cause = String((error as Error | undefined)?.message ?? error);
  const [, code, message] = FAILURES.find(([pattern]) => pattern.test(cause)) ?? ([undefined, 'storage', 'the database failed'] as const);
  return new MemfoldError(code, message, { cause });
}

function fits(key: string, size: number): void {
  if (size <= MAX_ROW_BYTES) return;
  const [kind, name] = split(key);
  throw new MemfoldError('too_large', `the ${kind} ${name} takes ${size} bytes; a row of this store holds ${MAX_ROW_BYTES}`);
}

/** A character takes at most three bytes, so that short texts need no encoding. */
const sizeOf = (text: string) => (text.length * 3 <= MAX_ROW_BYTES ? text.length : new TextEncoder().encode(text).length);

const fromColumn = (value: unknown): Value => (value instanceof ArrayBuffer ? new Uint8Array(value) : String(value));

/** A store in the tables with the prefix `memfold_`, which do not collide with those of the application. */
export function sqlBacking(storage: ObjectStorage): Backing {
  function run(query: string, ...bindings: unknown[]): unknown[][] {
    try {
      return (storage.sql.exec(query, ...bindings) as { raw(): { toArray(): unknown[][] } }).raw().toArray();
    } catch (error) {
      throw failure(error);
    }
  }
  /** Runs `work` in a transaction, which is rolled back if it throws. */
  function atomically(work: () => void): void {
    let refusal: unknown;
    try {
      storage.transactionSync(() => {
        try {
          work();
        } catch (error) {
          refusal = error;
          throw error;
        }
      });
    } catch (error) {
      throw refusal ?? failure(error);
    }
  }

  const head = () => Number(run('SELECT max(seq) FROM memfold_log')[0]?.[0] ?? 0);
  const one = (query: string, ...bindings: unknown[]) => run(query, ...bindings).map(([value]) => fromColumn(value))[0];

  function memories(ids: string[]): Map<string, string> {
    const found = new Map<string, string>();
    const query = 'SELECT m.id, m.body FROM json_each(?) AS asked CROSS JOIN memfold_memories AS m ON m.id = asked.value';
    for (let at = 0; at < ids.length; at += MAX_IDS) {
      for (const [id, body] of run(query, JSON.stringify(ids.slice(at, at + MAX_IDS)))) found.set(String(id), String(body));
    }
    return found;
  }

  function get(keys: string[]): (Value | undefined)[] {
    const parts = keys.map(split);
    const found = memories(parts.filter(([kind]) => kind === 'memory').map(([, id]) => id));
    return parts.map(([kind, rest]) => {
      if (kind === 'memory') return found.get(rest);
      if (kind === 'record') return one('SELECT value FROM memfold_records WHERE shelf = ? AND key = ?', ...split(rest));
      return one(`SELECT body FROM memfold_log WHERE ${kind === 'entry' ? 'id' : 'key'} = ?`, rest);
    });
  }

  function put(key: string, value: Value): void {
    const [kind, name] = split(key);
    if (typeof value !== 'string') {
      fits(key, value.length);
      // The engine's arrays span their buffers.
      run('INSERT OR REPLACE INTO memfold_records VALUES (?, ?, ?)', ...split(name), value.buffer);
      return;
    }
    fits(key, sizeOf(value));
    const fields = JSON.parse(value) as { revision: number; from: string; to: string; id: string; key?: string };
    if (kind === 'memory') run('INSERT OR REPLACE INTO memfold_memories VALUES (?, ?, ?)', name, fields.revision, value);
    else if (kind === 'edge') run('INSERT OR REPLACE INTO memfold_edges VALUES (?, ?, ?, ?)', name, fields.from, fields.to, value);
    else {
      const redacts = 'ON CONFLICT (seq) DO UPDATE SET body = excluded.body';
      run(`INSERT INTO memfold_log VALUES (?, ?, ?, ?) ${redacts}`, Number(name), fields.id, fields.key ?? null, value);
    }
  }

  function remove(key: string): void {
    const [kind, name] = split(key);
    if (kind === 'record') run('DELETE FROM memfold_records WHERE shelf = ? AND key = ?', ...split(name));
    else run(`DELETE FROM memfold_${kind === 'edge' ? 'edges' : 'vectors'} WHERE id = ?`, name);
  }

  return {
    open: () =>
      atomically(() => {
        run('CREATE TABLE IF NOT EXISTS memfold_schema (version INTEGER NOT NULL)');
        const version = Number(run('SELECT max(version) FROM memfold_schema')[0]?.[0] ?? 0);
        if (version > STEPS.length) throw new MemfoldError('version_too_new', 'the database was made by a newer version of memfold');
        STEPS.slice(version).forEach((step, n) => {
          run(step);
          run('INSERT INTO memfold_schema VALUES (?)', version + n + 1);
        });
      }),
    head,
    get,
    list(kind, after, limit, reverse) {
      const [table, shelf] = kind.split('/');
      const rows =
        table === 'record'
          ? // Without `after`, the first key may be "".
            run(
              'SELECT key, value FROM memfold_records WHERE shelf = ? AND (? IS NULL OR key > ?) ORDER BY key LIMIT ?',
              shelf,
              after ?? null,
              after ?? null,
              limit,
            )
          : table === 'log'
            ? run(`SELECT seq, body FROM memfold_log WHERE seq > ? ORDER BY seq ${reverse ? 'DESC ' : ''}LIMIT ?`, Number(after), limit)
            : run(`SELECT id, body FROM memfold_${table === 'edge' ? 'edges' : 'memories'} WHERE id > ? ORDER BY id LIMIT ?`, after ?? '', limit);
      return rows.map(([name, value]) => [String(name), fromColumn(value)]);
    },
    edges: (ids) => ids.flatMap((id) => run('SELECT body FROM memfold_edges WHERE a = ? OR b = ?', id, id).map(([body]) => String(body))),
    // The head is read inside the transaction: another process may write to the same file.
    update: (keys, plan) =>
      atomically(() => {
        const batch = plan(head(), get(keys), false);
        if (!batch?.length) return;
        const [, values, keysToRemove] = batch;
        for (const [key, value] of values) put(key, value);
        for (const key of keysToRemove) remove(key);
      }),
    close() {},
  };
}
