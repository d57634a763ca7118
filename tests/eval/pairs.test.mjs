import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationError, figures, report } from './pairs.mjs';

const row = (expected, decision, more = {}) => ({ expected, decision, confidence: 1, sure: true, asked: false, micros: 10, lang: 'ko', hard: false, ...more });
const U = 'UPDATE';
const L = 'CREATE_AND_LINK';
const C = 'CREATE';
const S = 'SKIP';

test('accuracy_counts_all_four_decisions', () => {
  assert.equal(figures([row(U, U), row(L, L), row(C, S), row(S, S)]).accuracy, 0.75);
});

test('update_vs_link_is_over_rows_with_one_of_the_two_labels', () => {
  assert.equal(figures([row(U, U), row(L, C), row(C, S), row(S, C)]).updateVsLink, 0.5);
});

test('precision_is_over_what_was_taken_and_recall_over_what_was_there', () => {
  const f = figures([row(U, U), row(U, L), row(L, U), row(C, U), row(L, L), row(S, S), row(C, S)]);
  assert.equal(f.updatePrecision, 1 / 3);
  assert.equal(f.updateRecall, 1 / 2);
  assert.equal(f.linkPrecision, 1 / 2);
  assert.equal(f.linkRecall, 1 / 2);
  assert.equal(f.skipPrecision, 1 / 2);
});

test('confusion_counts_both_ways_as_a_share_of_both', () => {
  assert.equal(figures([row(U, L), row(L, U), row(U, U), row(L, C), row(C, U)]).confusion, 0.5);
});

test('a_false_update_is_any_other_row_taken_for_an_update', () => {
  assert.equal(figures([row(U, U), row(U, C), row(L, U), row(C, C), row(S, S), row(C, U)]).falseUpdate, 0.5);
});

test('sure_figures_are_over_the_sure_rows', () => {
  const f = figures([row(U, U), row(U, L), row(L, U, { sure: false }), row(C, C, { sure: false, asked: true })]);
  assert.equal(f.sureShare, 0.5);
  assert.equal(f.sureAccuracy, 0.5);
  assert.equal(f.askedShare, 0.25);
});

test('an_empty_class_has_no_precision', () => {
  const f = figures([row(C, C)]);
  assert.equal(f.updatePrecision, null);
  assert.equal(f.updateVsLink, null);
  assert.equal(figures([]).accuracy, null);
});

test('perfect_confidence_has_no_calibration_error', () => {
  assert.equal(calibrationError([row(U, U), row(L, L)]), 0);
});

test('calibration_error_weighs_each_bin_by_its_rows', () => {
  const rows = [row(U, U, { confidence: 0.75 }), row(U, L, { confidence: 0.75 }), row(U, L, { confidence: 0.25 }), row(U, L, { confidence: 0.25 })];
  assert.equal(calibrationError(rows), 0.25);
});

test('the_report_has_the_same_figures_by_language_and_hardness', () => {
  const r = report([row(U, U), row(U, L, { lang: 'en', hard: true }), row(C, C, { lang: undefined })]);
  assert.equal(r.rows, 3);
  assert.deepEqual(Object.keys(r.byLang), ['en', 'ko', 'none']);
  assert.equal(r.byLang.en.accuracy, 0);
  assert.equal(r.byHard.true.rows, 1);
  assert.deepEqual(Object.keys(r.byHard.false), Object.keys(r).filter((k) => !k.startsWith('by')));
});
