import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pairs, Unusable } from './input.mjs';
import { checkLabels, difference, fold, isSaid, opinion, replyTo, shaped } from './oracle.mjs';

const OLD = 'The fence is to cost $4,200, paid by Ada.';
const NEW = 'The fence now costs $4,900.';
const changed = { property: 'cost', oldValue: '$4,200', newValue: '$4,900', changeType: 'value_change' };
const question = (more = {}) => ({ task: 'mail', language: 'en', schema: {}, candidates: [{ handle: 'M1', content: OLD }], ...more });
const row = (expected, more = {}) => ({ id: 'r1', where: 'f:1', expected, relationshipType: null, propertyChanges: [], next: { content: NEW }, ...more });
const answer = (r, q = question(), how) => replyTo(q, r, opinion(r, how)).entries[0];
const asChange = ({ property, old, new: next }) => ({
  property,
  oldValue: old,
  newValue: next,
  changeType: old === null ? 'addition' : next === null ? 'removal' : 'value_change',
});

test('a_label_becomes_the_matching_reply', () => {
  const skip = answer(row('SKIP'));
  assert.deepEqual([skip.op, skip.of, skip.analysis], ['repeat', 'M1', null]);
  const update = answer(row('UPDATE', { propertyChanges: [changed], subjectA: 'fence', reasoning: 'It grew.' }));
  assert.deepEqual([update.op, update.of, update.text, update.evidence], ['update', 'M1', NEW, NEW]);
  assert.deepEqual([update.analysis.subjects, update.analysis.why, update.analysis.changes.map(asChange)], [['fence', ''], 'It grew.', [changed]]);
  const link = answer(row('CREATE_AND_LINK', { relationshipType: 'causal' }));
  assert.deepEqual([link.op, link.of, link.links], ['new', undefined, [{ to: 'M1', type: 'causal' }]]);
  const create = answer(row('CREATE', { relationshipType: 'causal' }));
  assert.deepEqual([create.op, create.links, create.analysis], ['new', [], null]);
});

test('a_labelled_change_missing_from_the_texts_is_derived_from_them', () => {
  const said = (propertyChanges) => answer(row('UPDATE', { propertyChanges })).analysis.changes.map(asChange);
  const wrong = [
    { ...changed, newValue: '$5,000' },
    { ...changed, newValue: '$4,200' },
    { ...changed, oldValue: null },
    { ...changed, changeType: 'addition' },
  ];
  for (const change of wrong) {
    assert.ok(!isSaid(change, OLD, NEW));
    const [taken, ...more] = said([change]);
    assert.deepEqual([taken.property, more], ['cost', []]);
    assert.ok(isSaid(taken, OLD, NEW), JSON.stringify(taken));
  }
  assert.deepEqual(said([wrong[0], changed]), [changed]);
  assert.equal(said(Array(9).fill(changed)).length, 6);
});

test('the_difference_of_two_texts_is_contained_in_them', () => {
  assert.deepEqual(difference('kick-off at 2 pm', 'kick-off at 3 pm'), { property: '', oldValue: '2', newValue: '3', changeType: 'value_change' });
  assert.equal(difference('meeting on Monday', 'Meeting on Monday, in room 4').changeType, 'addition');
  assert.equal(difference('meeting on Monday with Bo', 'meeting on Monday').changeType, 'removal');
  const long = (word) =>
    Array(60)
      .fill(0)
      .map((_, n) => `${word}${n}`)
      .join(' ');
  const texts = ['a b c', 'A  b c.', '예산 5,000만원', '예산은 6,000만원입니다', long('x'), long('y'), 'z'.repeat(200), 'Ａ１', '30 %', '…', '🙂 ok'];
  for (const old of texts) for (const next of texts) assert.ok(isSaid(difference(old, next), old, next), `${old} → ${next}`);
});

test('texts_are_compared_like_the_engine_folds_them', () => {
  assert.equal(fold(' ＡＢ\t c\n'), 'ab c');
  assert.ok(isSaid({ ...changed, oldValue: '$4,200,\n paid' }, OLD, NEW));
  assert.ok(!isSaid({ ...changed, oldValue: ' ' }, OLD, NEW));
});

test('noise_makes_a_share_of_answers_wrong_reproducibly', () => {
  const rows = Array.from({ length: 2000 }, (_, n) => row('UPDATE', { id: `r${n}` }));
  const said = (how) => rows.map((r) => opinion(r, how));
  const wrong = said({ noise: 0.1 }).filter((o) => o.wrong);
  assert.ok(wrong.length > 150 && wrong.length < 250, String(wrong.length));
  assert.ok(wrong.every((o) => o.outcome !== 'UPDATE'));
  assert.deepEqual([...new Set(wrong.map((o) => o.outcome))].sort(), ['CREATE', 'CREATE_AND_LINK', 'SKIP']);
  assert.deepEqual(said({ noise: 0.1, seed: 7 }), said({ noise: 0.1, seed: 7 }));
  assert.notDeepEqual(said({ noise: 0.1, seed: 7 }), said({ noise: 0.1, seed: 8 }));
  assert.notDeepEqual(said({ noise: 0.1, nth: 0 }), said({ noise: 0.1, nth: 1 }));
  assert.ok(said({ noise: 0 }).every((o) => !o.wrong) && said({ noise: 1 }).every((o) => o.wrong));
  // More noise keeps the earlier mistakes.
  const more = said({ noise: 0.3 });
  said({ noise: 0.1 }).forEach((o, n) => assert.ok(!o.wrong || more[n].wrong));
});

test('a_wrong_update_names_a_change_contained_in_the_texts', () => {
  for (let n = 0; n < 60; n += 1) {
    const { op, links, analysis } = answer(row('SKIP', { id: `r${n}` }), question(), { noise: 1 });
    assert.notEqual(op, 'repeat');
    const changes = (analysis?.changes ?? []).map(asChange);
    assert.equal(changes.every((c) => isSaid(c, OLD, NEW)) && changes.length, op === 'update' ? 1 : 0);
    assert.equal(analysis !== null, op === 'update' || links.length > 0);
  }
});

test('a_reply_matches_the_schema', () => {
  const asks = {
    type: 'object',
    required: ['a', 'n', 'merged', 'kind', 'sub', 'list'],
    properties: {
      a: { type: 'string' },
      n: { type: 'number' },
      merged: { type: ['string', 'null'] },
      kind: { type: 'string', enum: ['x', 'y'] },
      sub: { type: 'object', required: ['s'], properties: { s: { type: 'string' } } },
      list: { type: 'array' },
      free: { type: 'string' },
    },
  };
  assert.deepEqual(shaped({ a: 'said', extra: 1 }, asks), { a: 'said', n: 0, merged: null, kind: 'x', sub: { s: '' }, list: [] });
});

test('other_kinds_of_questions_are_rejected', () => {
  for (const more of [{ task: 'summary' }, { candidates: [] }]) assert.throws(() => answer(row('SKIP'), question(more)), /do not answer/);
});

test('labels_that_no_reply_can_express_are_rejected', () => {
  checkLabels(row('SKIP', { conflict: 'OVERLAP', propertyChanges: undefined }));
  for (const more of [{ relationshipType: 'friend' }, { conflict: 'war' }, { propertyChanges: {} }, { propertyChanges: [{ changeType: 'x' }] }]) {
    assert.throws(() => checkLabels(row('SKIP', more)), Unusable);
  }
});

test('every_label_in_the_repository_has_a_valid_reply', async () => {
  const at = (path) => fileURLToPath(new URL(path, import.meta.url));
  const files = [
    ['./pairs/', /\.jsonl$/],
    ['../inbox/', /\.pairs\.jsonl$/],
  ].flatMap(([dir, kind]) =>
    readdirSync(at(dir))
      .filter((f) => kind.test(f))
      .map((f) => at(dir) + f),
  );
  let count = 0;
  for (const file of files) {
    for (const r of await pairs(file)) {
      checkLabels(r);
      const [old, next] = [r.existing.content, r.next.content];
      const said = answer(r, question({ candidates: [{ handle: 'M1', content: old }] }));
      assert.equal(said.op, { UPDATE: 'update', SKIP: 'repeat' }[r.expected] ?? 'new');
      const changes = (said.analysis?.changes ?? []).map(asChange);
      assert.equal(changes.length > 0, r.expected === 'UPDATE');
      for (const change of changes) assert.ok(isSaid(change, old, next), `${r.where}: ${JSON.stringify(change)}`);
      count += 1;
    }
  }
  assert.ok(count > 14_000, String(count));
});
