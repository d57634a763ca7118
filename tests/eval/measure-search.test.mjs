import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Ledger } from './ledger.mjs';
import { answers, correctMemories, measureSearch } from './measure-search.mjs';

const dir = `${mkdtempSync(join(tmpdir(), 'memfold-search-'))}/`;
after(() => rmSync(dir, { recursive: true }));

const said = (fact, is, value, more = {}) => ({ fact, is, value, quote: value, category: 'task', ...more });
const LEDGER = [
  {
    message: '<a@x>',
    lang: 'en',
    says: [said('f1', 'new', 'The fence costs 40.', { entities: ['fence'] }), said('f2', 'new', 'The lab trip is on Friday.', { day: '2025-03-07' })],
  },
  {
    message: '<b@x>',
    lang: 'ko',
    says: [said('f1', 'update', 'The fence costs 50.', { entities: ['fence', 'Ada'] }), said('f3', 'new', '울타리는 에이다가 칠한다.')],
  },
];
const MBOX = ['a', 'b']
  .map((id, n) => `From x Mon\nFrom: Ada <ada@x.example>\nMessage-ID: <${id}@x>\nDate: Tue, 0${n + 4} Mar 2025 10:00:00 +0900\n\nbody\n\n`)
  .join('');
const EXPECTED = {
  asOf: '2025-03-09T00:00:00+09:00',
  me: 'me@x.example',
  current: [
    { id: 'f1', about: 'cost', anyOf: [['fence'], ['50']] },
    { id: 'f2', about: 'trip', anyOf: [['trip']] },
    { id: 'f3', about: 'paint', anyOf: [['칠한다']] },
  ],
  queries: [
    { q: 'what does the fence cost?', expect: ['f1'], k: 1 },
    { q: 'who paints?', expect: ['f3'], k: 2 },
    { q: '견학은 언제야?', expect: ['f2'], k: 1 },
    { q: 'trips in March', expect: ['f2'], avoid: ['f1'], k: 3 },
  ],
};

/** Writes the files of a mailbox into a measured folder. */
function stored(folder, name) {
  mkdirSync(dir + folder, { recursive: true });
  const at = `${dir}${folder}${name}`;
  writeFileSync(`${at}.mbox`, MBOX);
  writeFileSync(`${at}.expect.json`, JSON.stringify(EXPECTED));
  writeFileSync(`${at}.ledger.jsonl`, LEDGER.map((line) => JSON.stringify(line)).join('\n'));
}
stored('', 'one');
stored('kept/', 'two');

/** A stub engine whose search returns the drafts that contain one of these words. */
function engine(words, seen = {}) {
  const open = async (options) => {
    const all = [];
    (seen.options ??= []).push(options);
    return {
      add: async (draft) => ({ memory: all[all.push({ id: String(all.length), ...draft }) - 1] }),
      get: async (id) => all.find((m) => m.id === id),
      search: async (q, call) => {
        (seen.calls ??= []).push({ q, ...call });
        const found = all.filter((m) => words(q).some((w) => m.content.includes(w))).slice(0, call.limit);
        return found.map((memory) => ({ memory, score: 1, relevance: 0.5 }));
      },
      model: { reembed: async () => ({ waiting: seen.waiting ?? 0 }) },
      close: async () => {},
    };
  };
  return { open };
}
const right = (q) =>
  ({ who: ['칠한다'], trip: ['trip'], 견학: ['trip'], what: ['fence'] })[Object.keys({ who: 0, trip: 0, 견학: 0, what: 0 }).find((w) => q.startsWith(w))];
const measured = async (words, seen, more = {}) => JSON.parse(await measureSearch({ json: true, ...more }, engine(words, seen), dir)).groups;

test('memories_have_the_final_values_and_the_day_or_the_mails_date', () => {
  const book = new Ledger(LEDGER.map((value, n) => ({ value, where: `f:${n + 1}` })));
  const drafts = correctMemories(book, new Map([['a@x', '2025-03-04T01:00:00.000Z']]), '+09:00');
  assert.deepEqual(drafts, [
    { fact: 'f1', draft: { content: 'The fence costs 50.', category: 'task', entities: ['fence', 'Ada'] } },
    {
      fact: 'f2',
      draft: {
        content: 'The lab trip is on Friday.',
        category: 'task',
        entities: [],
        statedAt: '2025-03-04T01:00:00.000Z',
        occurredAt: '2025-03-07T09:00:00+09:00',
      },
    },
    { fact: 'f3', draft: { content: '울타리는 에이다가 칠한다.', category: 'task', entities: [] } },
  ]);
});

test('questions_are_counted_for_each_group_and_across_languages', async () => {
  const seen = {};
  const groups = await measured(right, seen);
  for (const group of ['development', 'kept']) {
    const { inboxes: _, ...all } = groups[group];
    assert.deepEqual(all, { questions: 4, answered: 4, acrossLanguages: { questions: 2, answered: 2 } });
  }
  assert.deepEqual(seen.calls.slice(0, 2), [
    { q: 'what does the fence cost?', limit: 1, now: EXPECTED.asOf },
    { q: 'who paints?', limit: 2, now: EXPECTED.asOf },
  ]);
  assert.deepEqual([seen.options.length, seen.options[0].zone, seen.options[0].owner], [2, 540, ['me@x.example']]);
});

test('facts_beyond_the_limit_or_to_avoid_do_not_answer', async () => {
  const { development } = await measured(() => ['fence', 'trip']);
  assert.deepEqual(
    development.inboxes.one.map((r) => r.answered),
    [true, false, false, false],
  );
  const facts = new Map(EXPECTED.current.map((f) => [f.id, f]));
  const trip = EXPECTED.queries[3];
  assert.equal(answers(trip, facts, [{ content: 'the trip' }]), true);
  assert.equal(answers(trip, facts, [{ content: 'the trip' }, { content: 'the fence, 50' }]), false);
});

test('incomplete_embedders_and_modules_without_one_are_rejected', async () => {
  const module = `${dir}embedder.mjs`;
  writeFileSync(module, 'export default async (texts, { kind }) => texts.map(() => Float32Array.of(kind === "query" ? 1 : 2));');
  const seen = {};
  await measured(right, seen, { embedder: module });
  assert.deepEqual(await seen.options[0].embedder.embed(['a'], { kind: 'query' }), [Float32Array.of(1)]);
  await assert.rejects(measured(right, { waiting: 3 }, { embedder: module }), /left 3 texts out/);
  writeFileSync(`${dir}none.mjs`, 'export const embed = 1;');
  await assert.rejects(measured(right, {}, { embedder: `${dir}none.mjs` }), /no default export/);
  await assert.rejects(measured(right, {}, { embedder: `${dir}missing.mjs` }), /missing\.mjs/);
});
