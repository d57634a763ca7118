// The engine's store in an IndexedDB database. Several tabs and workers may open the same one.
//
// Inside a transaction only its own requests are awaited: it commits as soon as anything else is.
import { split, type Backing, type Value } from './backing.js';
import { MemfoldError } from './error.js';
import type { Code } from './types.js';

/** The object stores by the kinds of keys. */
const STORES = { memory: 'memories', edge: 'edges', log: 'log', entry: 'log', key: 'log', record: 'records', vector: 'vectors' } as const;
type Kind = keyof typeof STORES;
const ALL = [...new Set(Object.values(STORES))];

/** Retries of a call after a lost connection; the user may clear site data several times in a row. */
const RETRIES = 3;

/** The migrations: each runs once. */
const STEPS: ((db: IDBDatabase, upgrade: IDBTransaction) => unknown)[] = [
  (db) => {
    for (const name of ['memories', 'vectors']) db.createObjectStore(name, { keyPath: 'id' });
    const edges = db.createObjectStore('edges', { keyPath: 'id' });
    for (const end of ['from', 'to']) edges.createIndex(end, end);
    const log = db.createObjectStore('log', { keyPath: 'seq' });
    for (const name of ['id', 'key']) log.createIndex(name, name, { unique: true });
  },
  (db) => db.createObjectStore('records', { keyPath: 'id' }),
  // Refuses a database that another program made: it has no log. Earlier versions of memfold added an index in this step.
  (_, upgrade) => upgrade.objectStore('log'),
];

const lost = (cause?: string) => new MemfoldError('connection_lost', 'the connection to the database was lost', { retryable: true, cause });

/** Codes by names of a DOMException: messages differ between browsers. An `AbortError` comes from the host. */
const FAILURES: Record<string, [Code, string]> = {
  QuotaExceededError: ['quota_exceeded', 'the storage quota is used up'],
  VersionError: ['version_too_new', 'the database was made by a newer version of memfold'],
  AbortError: ['connection_lost', 'the connection to the database was lost'],
  InvalidStateError: ['connection_lost', 'the connection to the database was lost'],
  ConstraintError: ['conflict', 'the log has this entry already'],
  NotFoundError: ['corrupt', 'the database lacks a part that memfold made'],
  SecurityError: ['unsupported', 'this host allows no database here'],
  NotSupportedError: ['unsupported', 'this host allows no database here'],
};

function failure(error: unknown): MemfoldError {
  if (error instanceof MemfoldError) return error;
  if (error === null || error === undefined) return lost();
  const { name = '', message = String(error) } = error as Partial<DOMException>;
  const [code, sentence] = FAILURES[name] ?? (['storage', 'the database failed'] as const);
  return new MemfoldError(code, sentence, { cause: `${name}: ${message}` });
}

const result = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Only a transaction knows why it was aborted, such as for a full disk. */
const ended = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(failure(transaction.error));
  });

async function headOf(transaction: IDBTransaction): Promise<number> {
  const newest = await result(transaction.objectStore('log').openKeyCursor(null, 'prev'));
  return newest === null ? 0 : Number(newest.key);
}

type Stored = { id: string; seq: number; value?: Value };

/** Side records are bytes, all others plain objects, which cross as texts. */
const toValue = (kind: string, stored: Stored): Value => (kind === 'record' ? (stored.value ?? '') : JSON.stringify(stored));

/** The values of keys. All requests are issued before the first is awaited. */
async function readValues(transaction: IDBTransaction, keys: string[]): Promise<(Value | undefined)[]> {
  const requests = keys.map((key): IDBRequest<Stored | undefined> => {
    const [kind, rest] = split(key) as [Kind, string];
    const store = transaction.objectStore(STORES[kind]);
    return kind === 'entry' ? store.index('id').get(rest) : kind === 'key' ? store.index('key').get(rest) : store.get(rest);
  });
  const last = requests.at(-1);
  if (last) await result(last);
  return requests.map(({ result }, n) => (result === undefined ? undefined : toValue(split(keys[n]!)[0], result)));
}

function put(transaction: IDBTransaction, key: string, value: Value, head: number): void {
  const [kind, rest] = split(key) as [Kind, string];
  const store = transaction.objectStore(STORES[kind]);
  if (typeof value !== 'string') store.put({ id: rest, value });
  else if (kind === 'log' && Number(rest) > head) store.add(JSON.parse(value));
  else store.put(JSON.parse(value));
}

/** An open connection. The transactions of one that the host closes may fire no events, so their calls are rejected here. */
class Connection {
  readonly #waiting = new Set<(error: MemfoldError) => void>();
  state: 'open' | 'lost' | 'superseded' = 'open';

  constructor(readonly db: IDBDatabase) {
    db.onclose = () => {
      this.giveUp();
      for (const reject of this.#waiting) reject(lost());
    };
    db.onversionchange = () => {
      this.state = 'superseded';
      db.close();
    };
  }

  /** Closes it; running transactions still end. */
  giveUp(): void {
    if (this.state === 'open') this.state = 'lost';
    this.db.close();
  }

  run<T>(stores: string[], mode: IDBTransactionMode, durability: IDBTransactionDurability, work: (transaction: IDBTransaction) => Promise<T>): Promise<T> {
    if (this.state !== 'open') throw lost();
    const transaction = this.db.transaction(stores, mode, { durability });
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add(reject);
      work(transaction)
        .finally(() => this.#waiting.delete(reject))
        .then(resolve, reject);
    });
  }
}

/** Opens the database. A blocked upgrade continues, and its connection is closed at once. */
function connect(name: string, steps: typeof STEPS): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, steps.length);
    let [refused, stepFailure]: [boolean, unknown] = [false, undefined];
    request.onupgradeneeded = ({ oldVersion }) => {
      try {
        for (const step of steps.slice(oldVersion)) step(request.result, request.transaction!);
      } catch (error) {
        stepFailure = error;
        request.transaction!.abort();
      }
    };
    request.onblocked = () => {
      refused = true;
      reject(new MemfoldError('blocked', 'another connection holds an older version open', { retryable: true }));
    };
    request.onsuccess = () => (refused ? request.result.close() : resolve(new Connection(request.result)));
    request.onerror = () => reject(failure(stepFailure ?? request.error));
  });
}

/**
 * A store in the database of this name. When the host closes the connection, the current call is retried on a new one. When
 * another tab upgrades the database, every later call fails with `connection_lost`; a new page with newer code is needed.
 */
export function databaseBacking(name: string, durability: IDBTransactionDurability = 'relaxed', steps = STEPS): Backing {
  let connection: Promise<Connection> | undefined;

  async function reconnect(): Promise<Connection> {
    if (!globalThis.indexedDB) throw new MemfoldError('unsupported', 'this host has no IndexedDB');
    try {
      return await connect(name, steps);
    } catch (error) {
      // The host may close the connection right after its upgrade.
      if (failure(error).code === 'connection_lost') return connect(name, steps);
      throw error;
    }
  }

  function connected(): Promise<Connection> {
    if (connection) return connection;
    const opening = reconnect().catch((error) => {
      if (connection === opening) connection = undefined;
      throw failure(error);
    });
    return (connection = opening);
  }

  async function run<T>(stores: string[], mode: IDBTransactionMode, work: (transaction: IDBTransaction, isRetry: boolean) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      const opening = connected();
      const current = await opening;
      try {
        return await current.run(stores, mode, durability, (transaction) => work(transaction, tries > 0));
      } catch (thrown) {
        const error = failure(thrown);
        // Chromium reports a forced close as `UnknownError`, its name for any unexplained failure.
        if (current.state === 'superseded' || tries === RETRIES || !['connection_lost', 'storage'].includes(error.code)) throw error;
        current.giveUp();
        if (connection === opening) connection = undefined;
      }
    }
  }

  const read = <T>(kinds: Iterable<string>, work: (transaction: IDBTransaction) => Promise<T>) => {
    const stores = [...new Set([...kinds].map((kind) => STORES[kind as Kind]))];
    return run(stores, 'readonly', work);
  };

  return {
    open: async () => void (await connected()),
    head: () => read(['log'], headOf),
    get: (keys) =>
      read(
        keys.map((key) => split(key)[0]),
        (transaction) => readValues(transaction, keys),
      ),
    list(kind, after, limit, reverse) {
      const [of, shelf] = kind.split('/') as [Kind, string | undefined];
      return read([of], async (transaction) => {
        // Numbers have no gaps, so the newest `limit` entries follow number head - limit.
        const from = of === 'log' ? Math.max(Number(after), reverse ? (await headOf(transaction)) - limit : 0) : (after ?? '');
        // For `getAll`, a count of 0 means all. `0` follows `/` in ASCII: above all keys of the shelf.
        const ofShelf = () => IDBKeyRange.bound(`${shelf}/${after ?? ''}`, `${shelf}0`, after !== undefined, true);
        const range = shelf === undefined ? IDBKeyRange.lowerBound(from, true) : ofShelf();
        const found: Stored[] = limit === 0 ? [] : await result(transaction.objectStore(STORES[of]).getAll(range, limit));
        const nameOf = ({ id, seq }: Stored) => (of === 'log' ? String(seq) : shelf === undefined ? id : id.slice(shelf.length + 1));
        const values = found.map((stored): [string, Value] => [nameOf(stored), toValue(of, stored)]);
        return reverse ? values.reverse() : values;
      });
    },
    edges: (ids) =>
      read(['edge'], async (transaction) => {
        const edges = transaction.objectStore('edges');
        const found = ids.flatMap((id) => ['from', 'to'].map((end) => result(edges.index(end).getAll(id))));
        return (await Promise.all(found)).flat().map((edge) => JSON.stringify(edge));
      }),
    update: (keys, plan) =>
      run(ALL, 'readwrite', async (transaction, isRetry) => {
        const [head, found] = await Promise.all([headOf(transaction), readValues(transaction, keys)]);
        const batch = plan(head, found, isRetry);
        if (!batch?.length) return;
        const [, values, keysToRemove] = batch;
        try {
          for (const [key, value] of values) put(transaction, key, value, head);
          for (const key of keysToRemove) {
            const [kind, rest] = split(key) as [Kind, string];
            transaction.objectStore(STORES[kind]).delete(rest);
          }
        } catch (error) {
          // After an abort by the host, its reason is the transaction's.
          if (transaction.error) throw transaction.error;
          transaction.abort();
          throw error;
        }
        await ended(transaction);
      }),
    close() {
      void connection?.then(({ db }) => db.close()).catch(() => undefined);
      connection = undefined;
    },
  };
}
