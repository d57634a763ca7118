import assert from 'node:assert/strict';
import { test } from 'node:test';
import { garbled, KINDS } from './garble.mjs';

const candidates = [
  { handle: 'M1', content: 'Due on Monday 3.' },
  { handle: 'M2', content: 'Room 4.' },
];
const base = { with: null, gone: [], category: 'task', people: [], links: [], evidence: 'by Friday' };
const ENTRIES = {
  new: { ...base, op: 'new', of: null, text: 'Due on Friday 7.', day: null },
  update: { ...base, op: 'update', of: 'M1', text: 'Due on Friday 7.', day: '2025-03-07' },
  repeat: { ...base, op: 'repeat', of: 'M1', text: null, day: null },
};

/** All mistakes that can be made of an entry, by kind. */
function possibleMistakes(entry, shown = candidates) {
  const found = new Map();
  for (let which = 0; which < 1; which += 0.01) {
    for (const draw of [0, 0.3, 0.6, 0.99]) {
      const wrong = garbled({ entry, value: 'Due on Friday 7.', candidates: shown, language: 'en', which, draw });
      found.set(wrong.kind, [...(found.get(wrong.kind) ?? []), wrong]);
    }
  }
  return found;
}

test('each_entry_has_its_possible_mistakes', () => {
  const kinds = (entry, shown) => [...possibleMistakes(entry, shown).keys()].sort();
  assert.deepEqual(kinds(ENTRIES.update), [...KINDS].sort());
  assert.deepEqual(kinds(ENTRIES.new), ['day', 'empty', 'evidence', 'figure', 'swapped', 'unknown']);
  assert.deepEqual(kinds(ENTRIES.repeat), ['another', 'day', 'evidence', 'swapped', 'unknown']);
  assert.deepEqual(kinds(ENTRIES.new, []), ['day', 'empty', 'evidence', 'figure', 'unknown']);
  assert.ok(!kinds({ ...ENTRIES.update, text: 'Due.' }).includes('figure'));
  assert.ok(!kinds(ENTRIES.update, candidates.slice(0, 1)).includes('another'));
});

test('a_mistake_changes_only_its_fields', () => {
  for (const entry of Object.values(ENTRIES)) {
    for (const [kind, all] of possibleMistakes(entry)) {
      for (const { entry: wrong, more } of all) {
        const changed = Object.keys(wrong).filter((field) => JSON.stringify(wrong[field]) !== JSON.stringify(entry[field]));
        const allowed = {
          another: ['of'],
          figure: ['text'],
          evidence: ['evidence'],
          swapped: ['op', 'of', 'text'],
          unknown: ['of', 'links'],
          empty: ['text'],
          day: ['day'],
          twice: [],
        }[kind];
        assert.ok(
          changed.every((field) => allowed.includes(field)),
          `${kind}: ${changed}`,
        );
        assert.equal(changed.length > 0 || more !== null, true, kind);
      }
    }
  }
});

test('a_changed_figure_keeps_its_length', () => {
  for (const { entry } of possibleMistakes(ENTRIES.update).get('figure')) {
    assert.match(entry.text, /^Due on Friday \d\.$/);
    assert.notEqual(entry.text, ENTRIES.update.text);
  }
});

test('a_swapped_entry_is_well_formed', () => {
  const shapes = new Set(
    [...Object.values(ENTRIES)].flatMap((e) =>
      possibleMistakes(e)
        .get('swapped')
        .map(({ entry: w }) => `${e.op}→${w.op} ${w.of !== null} ${w.text !== null}`),
    ),
  );
  assert.deepEqual([...shapes].sort(), [
    'new→repeat true false',
    'new→update true true',
    'repeat→new false true',
    'repeat→update true true',
    'update→new false true',
    'update→repeat true false',
  ]);
});

test('a_second_update_reverts_the_first', () => {
  const [{ entry, more }] = possibleMistakes(ENTRIES.update).get('twice');
  assert.deepEqual([entry, more.of, more.text], [ENTRIES.update, 'M1', 'Due on Monday 3.']);
});
