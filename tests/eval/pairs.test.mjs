import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calibrationError, changesTold, figures, modelFigures, report } from './pairs.mjs';

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

test('precision_is_over_predictions_and_recall_over_labels', () => {
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

test('a_told_change_is_right_if_both_values_are_labelled', () => {
  const labelled = [
    { oldValue: 'EUR 1,000', newValue: 'EUR 2,000' },
    { oldValue: null, newValue: '7 pm' },
  ];
  const told = [
    { oldValue: '1,000', newValue: '2,000' },
    { oldValue: '1,000', newValue: '7 pm' },
    { oldValue: null, newValue: 'at 7 pm' },
    { oldValue: null, newValue: 'Anna' },
  ];
  assert.deepEqual(changesTold(told, labelled), { told: 4, right: 2, labelled: 2 });
  const f = figures([row(U, U, { changes: changesTold(told, labelled) }), row(C, C)]);
  assert.equal(f.changesRight, 1 / 2);
  assert.equal(f.changesFound, 1);
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
  assert.deepEqual(
    Object.keys(r.byHard.false),
    Object.keys(r).filter((k) => !k.startsWith('by')),
  );
});

const asked = (expected, decision, more = {}) => ({
  expected,
  decision,
  answer: expected,
  calls: 1,
  promptTokens: 500,
  refused: [],
  overruled: [],
  withheld: false,
  alone: { outcome: decision, decision, sure: false },
  ...more,
});

test('with_a_model_the_figures_count_written_decisions', () => {
  const f = modelFigures([
    asked(U, U),
    asked(U, U, { withheld: true }),
    asked(U, L, { overruled: ['no reason told'] }),
    asked(S, S),
    asked(L, S),
    asked(C, U, { answer: U }),
  ]);
  assert.deepEqual([f.rows, f.accuracy, f.updateRecall, f.updateStored, f.falseUpdate, f.skipPrecision], [6, 3 / 6, 2 / 3, 1 / 3, 1 / 3, 1 / 2]);
  assert.deepEqual([f.withheld, f.overruled, f.overruledRight, f.answered, f.answersRight], [1, { 'no reason told': 1 }, 1, 6, 5 / 6]);
});

test('calls_and_tokens_are_counted_over_all_pairs_and_refusals_by_their_reason', () => {
  const quiet = { calls: 0, promptTokens: 0, answer: null };
  const f = modelFigures([
    asked(S, S, quiet),
    asked(S, S, quiet),
    asked(U, U, { calls: 2, promptTokens: 900 }),
    asked(U, C, { answer: null, refused: ['no_evidence'] }),
  ]);
  assert.deepEqual([f.askedShare, f.callsPerPair, f.promptTokensPerPair, f.promptTokensPerCall], [0.5, 0.75, 350, 1400 / 3]);
  assert.deepEqual([f.refused, f.answered, f.overruled], [{ no_evidence: 1 }, 1, {}]);
  assert.equal(modelFigures([asked(S, S, quiet)]).promptTokensPerCall, null);
});

test('the_report_includes_decisions_without_a_model', () => {
  const alone = (outcome, decision, sure) => ({ alone: { outcome, decision, sure } });
  const { noModel } = modelFigures([
    asked(U, U, alone(U, L, false)),
    asked(U, U, alone(U, U, true)),
    asked(L, L, alone(U, U, true)),
    asked(C, C, alone(C, C, true)),
  ]);
  assert.deepEqual(noModel, { outcomeRight: 3 / 4, writtenRight: 1 / 2, sureShare: 3 / 4, sureRight: 2 / 3, updateRecall: 1 / 2, falseUpdate: 1 / 2 });
});
