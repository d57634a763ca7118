// The engine's view of a store, which it runs over IndexedDB, SQLite and an application's adapter alike.
import { decoded, encoded } from './base64.js';
import { MemfoldError } from './error.js';
import type { StorageAdapter } from './storage.js';
import type { Code } from './types.js';

/** The JSON text of a memory, an edge or a log entry, or the bytes of a side record. */
export type Value = string | Uint8Array;

/** The number of the last commit, new values by key, and keys to remove; nothing if there is nothing to write. */
export type Batch = [head: number, put: [key: string, value: Value][], remove: string[]] | [] | undefined;

/** Plans a write from the number of the last commit and the values that it depends on. It runs once for each try. */
export type Plan = (head: number, values: (Value | undefined)[], isRetry: boolean) => Batch;

/**
 * A store. Its keys are `memory/ID`, `edge/ID`, `log/NUMBER` and `record/SHELF/KEY`. `get` also finds a log entry by
 * `entry/ID` and `key/KEY`, where KEY is its idempotency key, and a batch removes `vector/ID`, which earlier versions stored.
 */
export interface Backing {
  /** Creates or upgrades the store where needed. */
  open(): Promise<void> | void;
  head(): Promise<number> | number;
  get(keys: string[]): Promise<(Value | undefined)[]> | (Value | undefined)[];
  /** The values of a kind with the rest of their keys, which is greater than `after`; in order of their keys. */
  list(kind: string, after: string | undefined, limit: number, reverse: boolean): Promise<[string, Value][]> | [string, Value][];
  /** The edges that start or end at one of these memories; an edge may occur twice. */
  edges(ids: string[]): Promise<string[]> | string[];
  /** Reads `keys`, and writes what `plan` returns for their values: all or nothing, with no other write in between. */
  update(keys: string[], plan: Plan): Promise<void> | void;
  close(): void;
}

/** Splits a key at its first slash: into the kind and the rest. */
export function split(key: string): [kind: string, rest: string] {
  const at = key.indexOf('/');
  return [key.slice(0, at), key.slice(at + 1)];
}

/** The value of a key in an adapter's store that tells the format and counts the batches and commits. */
interface Head {
  format: number;
  version: number;
  seq: number;
}

const FORMAT = 1;
const TRIES = 200;

/** A log entry's number has a fixed length, so that numbers are ordered as texts. */
const padded = (seq: string | number) => String(seq).padStart(16, '0');
/** Written as JSON, an idempotency key has no control characters. */
const nameKey = (key: string) => `key/${JSON.stringify(key)}`;

function adapterKey(key: string): string {
  const [kind, rest] = split(key);
  if (kind === 'log') return `log/${padded(rest)}`;
  if (kind === 'key') return nameKey(rest);
  if (kind === 'record') return `record/${split(rest).join('/=')}`;
  return key;
}

const corrupt = (cause: string) => new MemfoldError('corrupt', 'a stored record cannot be read', { cause });

function parsed<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw corrupt(String(error));
  }
}

/** Values of the application's store are texts, so the bytes of side records are base64 in it. */
function fromText(kind: string, text: string): Value {
  if (kind !== 'record') return text;
  try {
    return decoded(text);
  } catch {
    throw corrupt('a side record is not base64');
  }
}

/**
 * A store over an application's adapter. The key `head` changes with every write. A batch is written only if the head is
 * still what was read before all other values, so writers never overwrite each other.
 */
export function adapterBacking(adapter: StorageAdapter): Backing {
  const fault = (cause: string) => new MemfoldError('storage', 'the storage adapter failed', { cause });
  async function call<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
      // The engine reads an unknown code as `storage`.
      throw new MemfoldError(typeof code === 'string' ? (code as Code) : 'storage', 'the storage adapter failed', { cause: String(message ?? error) });
    }
  }
  async function texts(keys: string[]): Promise<(string | undefined)[]> {
    if (keys.length === 0) return [];
    const found = await call(() => adapter.get(keys));
    if (!Array.isArray(found) || found.length !== keys.length) throw fault('`get` gave no value for each key');
    return found.map((text) => text ?? undefined);
  }
  async function readHead(): Promise<{ text: string | undefined; head: Head }> {
    const [text] = await texts(['head']);
    const head = text === undefined ? { format: FORMAT, version: 0, seq: 0 } : parsed<Head>(text);
    if (![head?.format, head?.version, head?.seq].every(Number.isSafeInteger)) throw corrupt('the value of `head`');
    return { text, head };
  }
  const range = (kind: string, after: string, limit: number, reverse: boolean) =>
    // `0` is the character after the slash.
    call(() => adapter.list({ after: `${kind}/${after}`, before: `${kind}0`, limit, reverse }));

  async function get(keys: string[]): Promise<(Value | undefined)[]> {
    const found = await texts(keys.map(adapterKey));
    // An id and an idempotency key have the number of their log entry.
    const byNumber = keys.flatMap((key, n) => (/^(entry|key)\//.test(key) && found[n] !== undefined ? [n] : []));
    const entries = await texts(byNumber.map((n) => `log/${padded(found[n]!)}`));
    byNumber.forEach((n, at) => (found[n] = entries[at]));
    return found.map((text, n) => (text === undefined ? undefined : fromText(split(keys[n]!)[0], text)));
  }

  /** All values that a batch changes, with the keys that find edges and log entries. */
  async function changes([seq, put, remove]: Exclude<Batch, [] | undefined>, version: number): Promise<Map<string, string | undefined>> {
    const changed = new Map<string, string | undefined>();
    const endsOf = (edge: string) => {
      const { id, from, to } = parsed<{ id: string; from: string; to: string }>(edge);
      return [from, to].map((end): [string, string] => [`end/${end}/${id}`, id]);
    };
    const edges = [...put.map(([key]) => key), ...remove].filter((key) => key.startsWith('edge/'));
    for (const old of await texts(edges)) for (const [key] of old === undefined ? [] : endsOf(old)) changed.set(key, undefined);
    for (const key of remove) changed.set(adapterKey(key), undefined);
    for (const [key, value] of put) {
      changed.set(adapterKey(key), typeof value === 'string' ? value : encoded(value));
      if (typeof value !== 'string') continue;
      if (key.startsWith('edge/')) for (const [end, id] of endsOf(value)) changed.set(end, id);
      if (!key.startsWith('log/')) continue;
      const entry = parsed<{ id: string; key?: string }>(value);
      changed.set(`entry/${entry.id}`, split(key)[1]);
      if (entry.key !== undefined) changed.set(nameKey(entry.key), split(key)[1]);
    }
    return changed.set('head', JSON.stringify({ format: FORMAT, version: version + 1, seq } satisfies Head));
  }

  return {
    async open() {
      if ((await readHead()).head.format > FORMAT) throw new MemfoldError('version_too_new', 'the store was written by a newer version of memfold');
    },
    head: async () => (await readHead()).head.seq,
    get,
    async list(kind, after, limit, reverse) {
      const isRecord = kind.startsWith('record/');
      const start = after === undefined ? '' : isRecord ? `=${after}` : kind === 'log' ? padded(after) : after;
      const skipped = kind.length + (isRecord ? 2 : 1);
      return (await range(kind, start, limit, reverse)).map(([key, text]) => [key.slice(skipped), fromText(split(key)[0], text)]);
    },
    async edges(ids) {
      const ends = await Promise.all(ids.map((id) => range(`end/${id}`, '', 0xffff_ffff, false)));
      // Another writer may have removed one meanwhile.
      return (await texts([...new Set(ends.flat().map(([, id]) => `edge/${id}`))])).filter((edge) => edge !== undefined);
    },
    async update(keys, plan) {
      for (let n = 0; n < TRIES; n += 1) {
        const { text, head } = await readHead();
        const batch = plan(head.seq, await get(keys), false);
        if (!batch?.length) return;
        const [put, remove]: [[string, string][], string[]] = [[], []];
        for (const [key, value] of await changes(batch, head.version)) value === undefined ? remove.push(key) : put.push([key, value]);
        const done = await call(() => adapter.commit({ head: text, put, remove }));
        if (typeof done !== 'boolean') throw fault('`commit` returned neither true nor false');
        if (done) return;
      }
      throw new MemfoldError('conflict', 'other writers were always faster', { retryable: true });
    },
    close() {},
  };
}
