// `memfold/storage`: the interface of an application's own store, the list of cases that it must pass, and an example.

/** Selects values by key. */
export interface StorageRange {
  /** Only keys greater than this. */
  after: string;
  /** Only keys less than this. */
  before: string;
  /** At most this many. */
  limit: number;
  /** The greatest keys first; the least by default. */
  reverse: boolean;
}

/** What one write changes. */
export interface StorageBatch {
  /** The value that the key `head` must have; undefined if there must be none. */
  head: string | undefined;
  /** New values by key, which replace earlier ones. One of the keys is `head`. */
  put: [key: string, value: string][];
  /** Keys to remove. A key need not exist. */
  remove: string[];
}

/**
 * An application's own store: a map from texts to texts, ordered by the bytes of its keys. memfold does not close it.
 * A rejection fails the call with the code `storage`, or with the `code` of the error if that is one of memfold's.
 */
export interface StorageAdapter {
  /** The values of these keys, in their order; undefined or null for a missing one. */
  get(keys: string[]): Promise<(string | undefined | null)[]>;
  /** The keys and values in a range, ordered by key. */
  list(range: StorageRange): Promise<[key: string, value: string][]>;
  /**
   * Makes all changes and returns true, if the value of `head` is as given. Otherwise, changes nothing and returns
   * false. No other write may come between the comparison and the changes.
   */
  commit(batch: StorageBatch): Promise<boolean>;
}

/** A store in this process. It shows what an adapter does. */
export function memoryAdapter(): StorageAdapter {
  const values = new Map<string, string>();
  return {
    get: async (keys) => keys.map((key) => values.get(key)),
    async list({ after, before, limit, reverse }) {
      const found = [...values].filter(([key]) => key > after && key < before).sort(([a], [b]) => (a < b ? -1 : 1));
      return (reverse ? found.reverse() : found).slice(0, limit);
    },
    async commit({ head, put, remove }) {
      if (values.get('head') !== head) return false;
      for (const [key, value] of put) values.set(key, value);
      for (const key of remove) values.delete(key);
      return true;
    },
  };
}

/** The result of one case. */
export interface StorageCase {
  name: string;
  /** What went wrong; absent if the case passed. */
  error?: string;
}

/** The used part of an opened memory. */
interface Opened {
  add(text: string): Promise<unknown>;
  list(): Promise<{ content: string }[]>;
  log: { list(): Promise<{ seq: number }[]> };
  data: { verify(): Promise<{ problems: unknown[] }> };
  close(): Promise<void>;
}

type Work = (a: StorageAdapter, b: StorageAdapter) => Promise<void>;

function equal(found: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== should) throw new Error(`got ${is}, expected ${should}`);
}

/** All keys begin with a letter. */
const ALL = { after: '', before: '~', limit: 1_000_000, reverse: false };
const keysOf = async (store: StorageAdapter, range: Partial<StorageRange> = {}) => (await store.list({ ...ALL, ...range })).map(([key]) => key);
const isMissing = (value: string | undefined | null) => value === undefined || value === null;

/** Each case gets two connections to the same store, which holds nothing. */
const CASES: Record<string, Work> = {
  async an_empty_store_has_nothing(a) {
    equal((await a.get(['head', 'x'])).map(isMissing), [true, true]);
    equal(await a.get([]), []);
    equal(await a.list(ALL), []);
  },
  async values_come_back_in_the_order_of_their_keys(a, b) {
    const odd = `한글 "'\\ \n ${'x'.repeat(1_000_000)}`;
    equal(
      await a.commit({
        head: undefined,
        put: [
          ['head', '1'],
          ['x', odd],
          ['y', ''],
        ],
        remove: [],
      }),
      true,
    );
    equal(await b.get(['y', 'none', 'x', 'y']).then((found) => found.map((value) => value ?? null)), ['', null, odd, '']);
  },
  async a_stale_head_changes_nothing(a, b) {
    equal(
      await a.commit({
        head: undefined,
        put: [
          ['head', '1'],
          ['x', 'old'],
        ],
        remove: [],
      }),
      true,
    );
    for (const head of [undefined, '', '0', '2'])
      equal(
        await b.commit({
          head,
          put: [
            ['head', '3'],
            ['x', 'new'],
            ['z', 'z'],
          ],
          remove: ['x'],
        }),
        false,
      );
    equal(await a.list(ALL), [
      ['head', '1'],
      ['x', 'old'],
    ]);
    equal(
      await b.commit({
        head: '1',
        put: [
          ['head', '2'],
          ['x', 'new'],
        ],
        remove: ['none'],
      }),
      true,
    );
    equal(await b.commit({ head: '2', put: [['head', '3']], remove: ['x'] }), true);
    equal(await a.list(ALL), [['head', '3']]);
  },
  async ranges_are_cut_and_ordered_by_bytes(a) {
    // As bytes, capitals come before small letters, and both before letters beyond ASCII.
    const keys = ['a/1', 'a/2', 'a/3', 'a0', 'B', 'b', 'b/_', 'b/a', 'z', 'é'].map((key): [string, string] => [key, key]);
    equal(await a.commit({ head: undefined, put: [...keys, ['head', '1']], remove: [] }), true);
    equal(await keysOf(a, { after: 'a/', before: 'a0' }), ['a/1', 'a/2', 'a/3']);
    equal(await keysOf(a, { after: 'a/1', before: 'a/3' }), ['a/2']);
    equal(await keysOf(a, { after: 'a/', before: 'a0', limit: 2 }), ['a/1', 'a/2']);
    equal(await keysOf(a, { after: 'a/', before: 'a0', limit: 2, reverse: true }), ['a/3', 'a/2']);
    equal(await keysOf(a, { limit: 0 }), []);
    equal(await keysOf(a), ['B', 'a/1', 'a/2', 'a/3', 'a0', 'b', 'b/_', 'b/a', 'head', 'z']);
    equal(await keysOf(a, { limit: 4_294_967_295 }), await keysOf(a));
  },
  async many_values_fit_into_one_call(a) {
    const put = Array.from({ length: 5_000 }, (_, n): [string, string] => [`k/${String(n).padStart(5, '0')}`, String(n)]);
    equal(await a.commit({ head: undefined, put: [['head', '1'], ...put], remove: [] }), true);
    equal((await a.get(put.map(([key]) => key))).length, 5_000);
    equal((await a.list({ ...ALL, after: 'k/', before: 'k0' })).length, 5_000);
    equal(await a.commit({ head: '1', put: [['head', '2']], remove: put.map(([key]) => key) }), true);
    equal(await keysOf(a), ['head']);
  },
  async writers_that_race_write_one_after_the_other(a, b) {
    const raise = async (store: StorageAdapter, mark: string) => {
      for (let n = 0; n < 20; ) {
        const [head] = await store.get(['head']);
        if (
          await store.commit({
            head: head ?? undefined,
            put: [
              ['head', String(Number(head ?? 0) + 1)],
              [`${mark}/${n}`, '1'],
            ],
            remove: [],
          })
        )
          n += 1;
      }
    };
    await Promise.all([raise(a, 'a'), raise(b, 'b'), raise(a, 'c')]);
    equal(await a.get(['head']), ['60']);
    equal((await keysOf(b)).length, 61);
  },
};

/** Two memories over the same store. */
async function race(a: StorageAdapter, b: StorageAdapter, open: (options: { storage: StorageAdapter }) => Promise<Opened>): Promise<void> {
  const [first, second] = [await open({ storage: a }), await open({ storage: b })];
  const say = async (memories: Opened, mark: string) => {
    for (let n = 0; n < 10; n += 1) await memories.add(`The code of locker ${mark}${n} is ${mark}${n}${n}`);
  };
  await Promise.all([say(first, 'K'), say(second, 'R')]);
  equal(
    (await first.log.list()).map(({ seq }) => seq),
    Array.from({ length: 20 }, (_, n) => n + 1),
  );
  await Promise.all([first.close(), second.close()]);
  const again = await open({ storage: a });
  equal([(await again.list()).length, (await again.data.verify()).problems], [20, []]);
  await again.close();
}

/**
 * Runs the list of cases over an adapter and returns the result of each. `connect` is called twice for a case and
 * connects to the same store; everything in that store is deleted. `open` is the function of `memfold`.
 */
export async function checkAdapter(
  connect: () => StorageAdapter | Promise<StorageAdapter>,
  open: (options: { storage: StorageAdapter }) => Promise<Opened>,
): Promise<StorageCase[]> {
  const results: StorageCase[] = [];
  for (const [name, work] of Object.entries<Work>({ ...CASES, two_memories_lose_and_double_nothing: (a, b) => race(a, b, open) })) {
    try {
      const [a, b] = [await connect(), await connect()];
      await empty(a);
      await work(a, b);
      results.push({ name });
    } catch (error) {
      results.push({ name, error: error instanceof Error ? error.message : String(error) });
    }
  }
  return results;
}

/**
 * Removes everything. With `head`, that key gets this value, so that other connections notice it.
 * @internal
 */
export async function empty(store: StorageAdapter, head?: (before: string) => string): Promise<void> {
  for (;;) {
    const [before] = await store.get(['head']);
    // Keys beyond ASCII are only those of a caller.
    const keys = (await store.list({ ...ALL, before: '\u{10ffff}' })).map(([key]) => key);
    const put: [string, string][] = head && before ? [['head', head(before)]] : [];
    if (await store.commit({ head: before ?? undefined, put, remove: keys.filter((key) => put.length === 0 || key !== 'head') })) return;
  }
}
