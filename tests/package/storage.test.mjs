// Stores of an application: the example in memory, faulty adapters, and memories over them.
import assert from 'node:assert/strict';
import { test } from 'node:test';

const { open } = await import('../../pkg/node.js');
const { checkAdapter, memoryAdapter } = await import('../../pkg/storage.js');

const failures = (results) => results.filter(({ error }) => error !== undefined).map(({ name }) => name);
const over = (change, inner = memoryAdapter()) => ({ ...inner, ...change(inner) });

test('the_adapter_in_memory_passes_every_case', async () => {
  const store = memoryAdapter();
  const results = await checkAdapter(() => store, open);
  assert.deepEqual([failures(results), results.length], [[], 7]);
});

test('the_cases_find_the_faults_of_an_adapter', async () => {
  const faults = {
    a_stale_head_changes_nothing: (inner) => ({ commit: async (batch) => inner.commit({ ...batch, head: (await inner.get(['head']))[0] }) }),
    ranges_are_cut_and_ordered_by_bytes: (inner) => ({
      list: async (range) => (await inner.list({ ...range, limit: 1e9 })).sort(([a], [b]) => a.localeCompare(b)).slice(0, range.limit),
    }),
    values_come_back_in_the_order_of_their_keys: (inner) => ({ get: async (keys) => inner.get([...new Set(keys)].sort()) }),
    writers_that_race_write_one_after_the_other: (inner) => ({
      async commit(batch) {
        const [head] = await inner.get(['head']);
        if (head !== batch.head) return false;
        await new Promise((resolve) => setTimeout(resolve, 1));
        return inner.commit({ ...batch, head: (await inner.get(['head']))[0] });
      },
    }),
  };
  for (const [name, fault] of Object.entries(faults)) {
    const store = over(fault);
    const found = failures(await checkAdapter(() => store, open));
    assert.ok(found.includes(name), `${name}: ${found}`);
  }
});

test('a_memory_is_found_again_in_the_store_and_two_engines_see_each_other', async () => {
  const store = memoryAdapter();
  const first = await open({ storage: store, zone: 0 });
  assert.deepEqual(first.durability, { store: 'adapter', lasts: 'persistent' });
  await first.add('The kickoff meeting is on 22 January at 2 pm in room 3');
  const second = await open({ storage: store, zone: 0 });
  const seen = [];
  second.live.list({ order: 'newest' }, (list) => seen.push(list.map(({ content }) => content)));
  const { receipts } = await first.add('The kickoff meeting was moved to 3 pm');
  assert.equal(receipts[0].decision, 'UPDATE');
  const until = async (is) => {
    for (let n = 0; !is(); n += 1) {
      assert.ok(n < 500, JSON.stringify(seen));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await until(() => /3 pm/.test(seen.at(-1)?.[0] ?? ''));
  assert.match((await second.search('When is the kickoff?'))[0].memory.content, /3 pm/);
  await second.undo(receipts[0].entry.id);
  assert.match((await first.list())[0].content, /2 pm/);
  assert.deepEqual((await first.data.verify()).problems, []);
  await first.clear();
  assert.deepEqual([await second.list(), (await second.log.list()).length], [[], 0]);
  await until(() => seen.at(-1)?.length === 0);
  await second.add('The lease ends in May');
  assert.equal((await first.list()).length, 1);
  await first.close();
  await second.close();
  await assert.rejects(second.list(), { code: 'closed' });
});

test('writers_on_two_engines_lose_and_double_nothing', async () => {
  const store = memoryAdapter();
  const [a, b] = [await open({ storage: store }), await open({ storage: store })];
  const say = (memories, mark) =>
    Promise.all(Array.from({ length: 12 }, (_, n) => memories.add({ content: `Locker ${mark}${n} has the code ${n * 7_919}` }, { key: `k${n}` })));
  const receipts = (await Promise.all([say(a, 'A'), say(b, 'B')])).flat();
  // Both used the same keys, so the second writer of each gets the answer of the first.
  assert.equal(receipts.filter(({ replayed }) => replayed).length, 12);
  assert.deepEqual([(await a.log.list()).map(({ seq }) => seq), (await b.data.verify()).problems], [Array.from({ length: 12 }, (_, n) => n + 1), []]);
  await Promise.all([a.close(), b.close()]);
});

test('faults_of_an_adapter_are_coded_errors_and_leave_nothing', async () => {
  let fault;
  const store = over((inner) =>
    Object.fromEntries(['get', 'list', 'commit'].map((name) => [name, async (given) => (fault?.[name] ? fault[name]() : inner[name](given))])),
  );
  const memories = await open({ storage: store });
  await memories.add('The lease ends in May');
  const refuses = (error) => () => {
    throw error;
  };
  const add = () => memories.add('The dentist is on Thursday at 10');
  for (const [now, code, cause] of [
    [{ commit: refuses(new Error('connection refused')) }, 'storage', /connection refused/],
    [{ get: refuses(new Error('read failed')) }, 'storage', /read failed/],
    [{ commit: refuses(Object.assign(new Error('disk full'), { code: 'quota_exceeded' })) }, 'quota_exceeded', /disk full/],
    [{ commit: refuses(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })) }, 'storage', /refused/],
    [{ commit: refuses('no') }, 'storage', /no/],
    [{ commit: () => undefined }, 'storage', /./],
    [{ get: () => [] }, 'storage', /./],
    [{ commit: () => false }, 'conflict', /./],
  ]) {
    fault = now;
    await assert.rejects(add, (error) => {
      assert.deepEqual([error.code, error.name], [code, 'MemfoldError'], String(error));
      assert.match(String(error.cause ?? error.message), cause);
      return true;
    });
    fault = undefined;
    assert.deepEqual([(await memories.list()).length, (await memories.log.list()).length], [1, 1], code);
  }
  assert.equal((await add()).receipts[0].decision, 'CREATE');
  await memories.close();
  const { list, ...partial } = memoryAdapter();
  await assert.rejects(open({ storage: partial }), { code: 'invalid_field', field: 'storage' });
  const newer = over((inner) => ({ get: async (keys) => (keys[0] === 'head' ? ['{"format":99,"version":1,"seq":0}'] : inner.get(keys)) }));
  await assert.rejects(open({ storage: newer }), { code: 'version_too_new' });
});
