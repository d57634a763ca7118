import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from './garble.mjs';
import { Ledger } from './ledger.mjs';
import { LedgerModel } from './ledger-model.mjs';
import { thorough } from '../tier.mjs';

const said = (fact, is, value, more = {}) => ({ fact, is, value, quote: `“${value}”`, category: 'task', ...more });
const over = (...mails) => new Ledger(mails.map(([message, ...says], n) => ({ value: { message, lang: 'en', says }, where: `f:${n + 1}` })));
const link = (to, type = 'elaboration') => ({ links: [{ to, type }] });
const book = () =>
  over(
    ['<a@x>', said('f1', 'new', 'Due on Monday.', { day: '2025-03-03', entities: ['report', 'Ada Moss'] })],
    ['<b@x>', said('f1', 'update', 'Due on Friday.'), said('f2', 'new', 'Room 4.', link('f1'))],
    ['<c@x>', said('f1', 'repeat', 'Due on Friday.'), said('f3', 'new', 'Bring 2 pens.', link('f2', 'reference'))],
  );
const asked = (source, ...contents) => ({
  task: 'mail',
  language: 'en',
  source,
  memories: [],
  candidates: contents.map((content, n) => ({ handle: `M${n + 1}`, content })),
});
const told = (model, ...question) => JSON.parse(model.answer(asked(...question))).entries;
const ops = (entries) => entries.map((e) => [e.op, e.of, e.text]);

test('a_statement_becomes_an_entry_with_every_field', () => {
  assert.deepEqual(told(new LedgerModel(book(), { people: new Set(['Ada Moss', 'Bo']) }), '<a@x>'), [
    {
      op: 'new',
      of: null,
      with: null,
      text: 'Due on Monday.',
      gone: [],
      category: 'task',
      day: '2025-03-03',
      people: ['Ada Moss'],
      links: [],
      evidence: '“Due on Monday.”',
    },
  ]);
});

test('a_memory_is_recognised_by_the_text_of_its_entry', () => {
  const model = new LedgerModel(book());
  told(model, 'a@x');
  assert.deepEqual(ops(told(model, '<b@x>', 'Something else.', 'Due  on Monday.')), [
    ['update', 'M2', 'Due on Friday.'],
    ['new', null, 'Room 4.'],
  ]);
  // The update was rejected, so the memory has its old text.
  const [repeat] = told(model, '<c@x>', 'Due on Monday.', 'Room 4.');
  assert.deepEqual([repeat.op, repeat.of, repeat.text, repeat.category, repeat.day], ['repeat', 'M1', null, null, null]);
  assert.deepEqual(model.counts.notShown, 0);
  // With two candidates, the one with the latest text is meant.
  assert.equal(told(model, '<c@x>', 'Due on Monday.', 'Due on Friday.')[0].of, 'M2');
});

test('facts_not_shown_are_returned_as_new_with_their_full_value', () => {
  const model = new LedgerModel(book());
  told(model, '<a@x>');
  assert.deepEqual(ops(told(model, '<b@x>', 'Bring 2 pens.')), [
    ['new', null, 'Due on Friday.'],
    ['new', null, 'Room 4.'],
  ]);
  assert.deepEqual(ops(told(model, '<c@x>'))[0], ['new', null, 'Due on Friday.']);
  assert.equal(model.counts.notShown, 2);
});

test('facts_never_stated_do_not_count_as_missing', () => {
  const model = new LedgerModel(book());
  assert.deepEqual(ops(told(model, '<b@x>', 'Room 9.'))[0], ['new', null, 'Due on Friday.']);
  assert.deepEqual([model.counts.notShown, model.heard[0].meant], [0, []]);
});

test('a_late_mail_states_an_earlier_value', () => {
  const model = new LedgerModel(book());
  told(model, '<b@x>');
  assert.deepEqual(ops(told(model, '<a@x>', 'Due on Friday.')), [['update', 'M1', 'Due on Monday.']]);
  assert.deepEqual(model.heard[1].meant, [{ fact: 'f1', as: 'of', handle: 'M1' }]);
});

test('a_link_names_a_candidate_else_an_earlier_entry_else_nothing', () => {
  const model = new LedgerModel(book());
  told(model, '<a@x>');
  assert.deepEqual(told(model, '<b@x>', 'Due on Monday.')[1].links, [{ to: 'M1', type: 'elaboration' }]);
  assert.deepEqual(told(new LedgerModel(book()), '<b@x>')[1].links, [{ to: 'E1', type: 'elaboration' }]);
  assert.deepEqual(told(model, '<c@x>', 'Room 4.')[1].links, [{ to: 'M1', type: 'reference' }]);
  assert.deepEqual(told(model, '<c@x>')[1].links, []);
  assert.equal(model.counts.notNamed, 1);
});

test('an_entry_follows_those_it_links_to', () => {
  const forward = over(['<a@x>', said('f1', 'new', 'One.', link('f3')), said('f2', 'new', 'Two.'), said('f3', 'new', 'Three.', link('f1'))]);
  const model = new LedgerModel(forward);
  const entries = told(model, '<a@x>');
  assert.deepEqual(
    entries.map((e) => [e.text, e.links.map((l) => l.to)]),
    [
      ['Three.', []],
      ['One.', ['E1']],
      ['Two.', []],
    ],
  );
  assert.equal(model.counts.notNamed, 1);
});

test('a_fact_stated_twice_in_a_mail_is_one_entry_with_the_last_value', () => {
  const twice = over(
    ['<a@x>', said('f0', 'new', 'Zero.')],
    ['<b@x>', said('f1', 'new', 'At 2 pm.', { day: '2025-03-03', ...link('f0') }), said('f1', 'update', 'At 3 pm.', link('f0', 'causal'))],
    ['<c@x>', said('f1', 'repeat', 'At 3 pm.'), said('f1', 'update', 'At 4 pm.'), said('f1', 'repeat', 'Four it is.')],
  );
  const model = new LedgerModel(twice);
  told(model, '<a@x>');
  const [entry, ...more] = told(model, '<b@x>', 'Zero.');
  assert.deepEqual(
    [more, entry.op, entry.text, entry.evidence, entry.day, entry.links],
    [[], 'new', 'At 3 pm.', '“At 3 pm.”', '2025-03-03', [{ to: 'M1', type: 'elaboration' }]],
  );
  assert.deepEqual(ops(told(model, '<c@x>', 'At 3 pm.')), [['update', 'M1', 'At 4 pm.']]);
});

test('it_answers_only_mail_prompts_and_nothing_for_unknown_mails', () => {
  const model = new LedgerModel(book());
  assert.throws(() => model.answer({ ...asked('<a@x>'), task: 'tags' }), /does not answer this: tags/);
  assert.throws(() => model.answer({ ...asked('<a@x>'), text: 'The mail is one new memory that …' }), /does not answer this: mail/);
  assert.deepEqual([told(model, '<z@x>'), told(model, undefined)], [[], []]);
  assert.deepEqual([model.counts.otherTasks, model.counts.unknown, model.heard], [2, 2, []]);
});

test('it_records_which_shown_candidates_were_relevant', () => {
  const model = new LedgerModel(book());
  told(model, '<a@x>');
  told(model, '<b@x>', 'Room 9.', 'Due on Monday.', 'Room 8.');
  told(model, '<c@x>', 'Room 4.');
  assert.deepEqual(model.heard, [
    { source: '<a@x>', candidates: 0, irrelevant: 0, meant: [] },
    { source: '<b@x>', candidates: 3, irrelevant: 2, meant: [{ fact: 'f1', as: 'of', handle: 'M2' }] },
    {
      source: '<c@x>',
      candidates: 1,
      irrelevant: 0,
      meant: [
        { fact: 'f1', as: 'of', handle: null },
        { fact: 'f2', as: 'link', handle: 'M1' },
      ],
    },
  ]);
});

const COUNT = 1500;
const long = over(
  ['<a@x>', ...Array.from({ length: COUNT }, (_, n) => said(`f${n}`, 'new', `Item ${n} is due.`))],
  ['<b@x>', ...Array.from({ length: COUNT }, (_, n) => said(`f${n}`, n % 3 === 0 ? 'repeat' : 'update', `Item ${n} is done.`))],
);
const shown = Array.from({ length: COUNT }, (_, n) => `Item ${n} is due.`);
const second = (how) => {
  const model = new LedgerModel(long, how);
  model.answer(asked('<a@x>'));
  const before = { ...model.counts.garbled };
  return { model, before, entries: told(model, '<b@x>', ...shown) };
};

thorough('noise_garbles_a_share_of_entries_reproducibly', () => {
  const { model, before, entries } = second({ noise: 0.1 });
  const wrong = Object.values(model.counts.garbled).reduce((sum, n) => sum + n, 0);
  assert.ok(wrong > 0.08 * 2 * COUNT && wrong < 0.12 * 2 * COUNT, String(wrong));
  assert.deepEqual(Object.keys(model.counts.garbled).sort(), [...KINDS].sort());
  assert.ok(model.garbledFacts.size > 0.15 * COUNT && model.garbledFacts.size <= wrong);
  assert.deepEqual(second({ noise: 0.1 }).entries, entries);
  assert.notDeepEqual(second({ noise: 0.1, seed: 2 }).entries, entries);
  // These mistakes need candidates.
  assert.deepEqual([before.another, before.swapped, before.twice], [undefined, undefined, undefined]);
});

thorough('entries_without_mistakes_equal_those_without_noise', () => {
  const [{ model, entries }, { entries: clean }] = [second({ noise: 0.1 }), second()];
  let alike = 0;
  for (let n = 0; n < COUNT; n += 1) {
    if (model.garbledFacts.has(`f${n}`)) continue;
    assert.deepEqual(entries[n], clean[n]);
    alike += 1;
  }
  assert.ok(alike > 0.75 * COUNT);
});
