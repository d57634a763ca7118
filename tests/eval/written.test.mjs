import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overruled } from './written.mjs';

const told = (op, text, fact = 'f1') => ({ source: '<a@x>', fact, op, text });
const entry = (decision, input, { status = 'success', reasons = [{ kind: 'feature' }, { kind: 'model_read' }], sourceId = 'a@x' } = {}) => ({
  decision,
  input,
  status,
  reasons,
  sourceId,
});
const why = (said, ...log) => overruled(said, log).map((e) => [e.fact, e.op, e.decided, e.why]);

test('entries_written_as_stated_are_not_listed', () => {
  const said = [told('new', 'One.'), told('new', 'Two.'), told('update', 'Three.'), told('repeat', null)];
  assert.deepEqual(
    why(said, entry('CREATE', 'One.'), entry('CREATE_AND_LINK', 'Two.'), entry('UPDATE', 'Three.'), entry('SKIP', 'x', { status: 'skipped' })),
    [],
  );
});

test('a_different_decision_is_listed_with_its_reasons', () => {
  const log = entry('CREATE_AND_LINK', 'One.', { reasons: [{ kind: 'no_standing' }, { kind: 'model_read' }, { kind: 'feature' }] });
  assert.deepEqual(why([told('update', 'One.')], log), [['f1', 'update', 'CREATE_AND_LINK', 'no_standing']]);
  assert.deepEqual(why([told('new', 'One.')], entry('SKIP', 'One.', { status: 'skipped' })), [['f1', 'new', 'SKIP', 'no reason told']]);
});

test('a_withheld_update_counts_as_not_written', () => {
  const log = entry('UPDATE', 'One.', { status: 'skipped', reasons: [{ kind: 'source_outranks' }] });
  assert.deepEqual(why([told('update', 'One.')], log), [['f1', 'update', 'UPDATE', 'source_outranks']]);
});

test('a_rejected_entry_has_no_decision_and_its_mails_reasons', () => {
  const log = entry('CREATE', 'what the rules made of it', { reasons: [{ kind: 'model_refused', error: 'no_evidence' }] });
  assert.deepEqual(why([told('new', 'One.')], log), [['f1', 'new', null, 'refused: no_evidence']]);
  assert.deepEqual(why([told('new', 'One.')], entry('CREATE', 'One.', { sourceId: '<b@x>' })), [['f1', 'new', null, 'no reason told']]);
});

test('a_log_entry_matches_only_one_stated_entry', () => {
  const said = [told('repeat', null), told('repeat', null, 'f2')];
  assert.deepEqual(why(said, entry('SKIP', 'x', { status: 'skipped' })), [['f2', 'repeat', null, 'no reason told']]);
});
