// Live queries without a callback: Svelte's store contract, Vue's reactivity, and `for await`.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { load } from '../worker/workerd.mjs';
import { installed } from './installed.mjs';

let project;
let memories;
before(async () => {
  project = await installed();
  const { open } = await import(pathToFileURL(join(project.dir, 'node_modules/memfold/node.js')).href);
  memories = await open({ storage: 'memory' });
});
after(async () => {
  await memories?.close();
  project?.remove();
});

const texts = (list) => list?.map(({ content }) => content);
const until = async (is) => {
  for (let n = 0; !is(); n += 1) {
    assert.ok(n < 500, 'nothing came within 5 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

test('svelte_reads_a_live_query_as_a_store', async () => {
  const { derived, get } = await load('svelte/store');
  const notes = memories.live.list({ order: 'newest' });
  assert.equal(get(notes), undefined);
  const seen = [];
  const stop = derived(notes, (list) => texts(list)).subscribe((now) => seen.push(now));
  await until(() => seen.length === 2);
  await memories.add({ content: 'The dentist is on Thursday at 10' });
  await until(() => seen.length === 3);
  assert.deepEqual(seen, [undefined, [], ['The dentist is on Thursday at 10']]);
  stop();
  await memories.clear();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(seen.length, 3);
});

test('vue_follows_a_live_query_until_its_scope_ends', async () => {
  const { effectScope, onScopeDispose, shallowRef } = await load('vue');
  const useLive = (query) => {
    const data = shallowRef();
    onScopeDispose(query.subscribe((value) => (data.value = value)));
    return data;
  };
  const scope = effectScope();
  const hits = scope.run(() => useLive(memories.live.search('When is the dentist?', { limit: 3 })));
  await memories.add({ content: 'The dentist is on Friday at 9' });
  await until(() => hits.value?.length === 1);
  scope.stop();
  await memories.clear();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(texts(hits.value.map(({ memory }) => memory)), ['The dentist is on Friday at 9']);
});

test('for_await_yields_the_newest_result_and_throws_when_the_query_fails', async () => {
  const seen = [];
  for await (const list of memories.live.list({})) {
    seen.push(texts(list));
    if (seen.length === 1) {
      await memories.add({ content: 'The first bus leaves at six' });
      await memories.add({ content: 'Tea with Mina is at four in the kitchen' });
    }
    if (seen.at(-1).length === 2) break;
  }
  assert.deepEqual([seen[0], seen.at(-1)], [[], ['The first bus leaves at six', 'Tea with Mina is at four in the kitchen']]);
  const failing = memories.live.list({ limit: -1 });
  await assert.rejects(
    async () => {
      for await (const list of failing) assert.fail(String(list));
    },
    { name: 'MemfoldError' },
  );
  let code;
  failing.subscribe(
    (value) => assert.equal(value, undefined),
    (error) => (code = error.code),
  );
  await until(() => code !== undefined);
});
