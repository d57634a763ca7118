// Eleven classes of mistakes without a model or an encoder (tests/cases/classes.md). No memory may be lost or replaced by mistake;
// in the other classes at least `least` of 40 rows must pass.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compare } from '../../pkg/node.js';
import { pairs } from './input.mjs';

const rows = await pairs(fileURLToPath(new URL('../cases/classes.jsonl', import.meta.url)));
const METADATA = ['category', 'subject', 'threadId', 'people', 'entities', 'occurredAt', 'sourceType'];

const decided = (row) => compare(row.existing, row.next, { mode: 'balanced' });
/** The decision on the same texts without metadata. */
const bare = (row) => compare({ content: row.existing.content }, { content: row.next.content }, { mode: 'balanced' });
/** Whether neither the likeliest outcome nor the written decision is this one. */
const never = (decision, c) => c.outcome !== decision && c.decision !== decision;
const asLabelled = async (row) => (await decided(row)).outcome === row.expected;

/** Each class with its rows and its pass condition. */
const CLASSES = [
  {
    name: 'a_restatement_is_no_update',
    least: 38,
    belongs: (row) => row.expected === 'SKIP',
    holds: async (row) => {
      const c = await decided(row);
      return c.outcome === 'SKIP' && c.decision !== 'UPDATE';
    },
  },
  {
    name: 'unrepeated_facts_are_not_removed',
    belongs: (row) => row.expected === 'SKIP',
    holds: async (row) => {
      const c = await decided(row);
      return never('UPDATE', c) && c.propertyChanges.every((p) => p.newValue !== null && p.newValue !== undefined);
    },
  },
  {
    name: 'a_true_update_is_written',
    least: 26,
    belongs: (row) => row.expected === 'UPDATE',
    holds: async (row) => (await decided(row)).decision === 'UPDATE',
  },
  { name: 'a_new_value_of_the_same_property_is_an_update', least: 38, belongs: (row) => row.expected === 'UPDATE', holds: asLabelled },
  {
    name: 'another_instance_in_the_same_frame_is_no_update',
    belongs: (row) => row.expected === 'CREATE_AND_LINK' || row.expected === 'CREATE',
    holds: async (row) => never('UPDATE', await decided(row)),
  },
  {
    name: 'a_changed_word_is_never_lost',
    belongs: (row) => row.expected !== 'SKIP',
    holds: async (row) => never('SKIP', await decided(row)),
  },
  {
    name: 'a_denial_or_an_opposite_is_never_lost',
    belongs: (row) => row.expected !== 'SKIP',
    holds: async (row) => never('SKIP', await decided(row)),
  },
  {
    name: 'missing_metadata_does_not_change_the_decision',
    least: 32,
    belongs: (row) => [row.existing, row.next].every((side) => METADATA.every((field) => side[field] !== undefined)),
    holds: async (row) => {
      const [full, without] = [await decided(row), await bare(row)];
      return full.outcome === without.outcome && full.decision === without.decision;
    },
  },
  {
    name: 'a_short_answer_in_a_thread_is_understood',
    least: 36,
    belongs: (row) => row.existing.threadId !== undefined && row.existing.threadId === row.next.threadId,
    holds: asLabelled,
  },
  { name: 'a_fact_wrapped_in_chat_is_found', least: 36, belongs: () => true, holds: asLabelled },
  { name: 'bounds_and_frequencies_are_understood', least: 38, belongs: () => true, holds: asLabelled },
];

test('every_row_belongs_to_a_class_and_rows_are_unique', () => {
  assert.deepEqual(
    [...new Set(rows.map((row) => row.class))].sort((a, b) => a - b),
    CLASSES.map((_, n) => n + 1),
  );
  assert.equal(new Set(rows.map((row) => row.id)).size, rows.length);
  assert.equal(new Set(rows.map((row) => JSON.stringify([row.class, row.existing.content, row.next.content]))).size, rows.length);
});

for (const [n, { name, belongs, holds, least }] of CLASSES.entries()) {
  test(name, async () => {
    const mine = rows.filter((row) => row.class === n + 1);
    assert.ok(mine.length >= 30, `only ${mine.length} rows`);
    for (const lang of ['ko', 'en']) assert.ok(mine.filter((row) => row.lang === lang).length >= 15, `too few in ${lang}`);
    assert.deepEqual(
      mine.filter((row) => !belongs(row)).map((row) => row.id),
      [],
      'are of another class',
    );
    const failed = [];
    for (const row of mine) if (!(await holds(row))) failed.push(`${row.id}: ${row.existing.content} → ${row.next.content}`);
    assert.ok(mine.length - failed.length >= (least ?? mine.length), failed.join('\n'));
  });
}
