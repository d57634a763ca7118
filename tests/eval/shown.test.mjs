import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rightMemoryShown } from './shown.mjs';

const texts = { f1: ['one', 'one more'], f2: ['two'] };
const model = (...heard) => ({
  heard: heard.map(([source, meant, candidates = 0, irrelevant = 0]) => ({ source, meant, candidates, irrelevant })),
  textsOf: (fact) => texts[fact] ?? [],
});
const version = (id, content, sourceId, supersededBy) => ({ id, content, sourceId, supersededBy });
const of = (fact, handle = null) => ({ fact, as: 'of', handle });
const link = (fact, handle = null) => ({ fact, as: 'link', handle });
const figures = ({ of, ofShown, links, linksShown }) => [of, ofShown, links, linksShown];

test('only_facts_with_a_memory_can_be_shown', () => {
  const m = model(['<a>', []], ['<b>', [of('f1', 'M1'), of('f2')]], ['<c>', [link('f1'), link('f2', 'M1')]]);
  const r = rightMemoryShown(m, [version('1', 'One', 'a')]);
  assert.deepEqual(figures(r), [1, 1, 1, 0]);
  assert.deepEqual(r.missed, [{ message: '<c>', fact: 'f1', as: 'link', memory: 'One' }]);
});

test('a_memory_counts_while_it_is_current', () => {
  const m = model(['<a>', [of('f1')]], ['<b>', [of('f1')]], ['<c>', [of('f1')]]);
  const shown = (...versions) => figures(rightMemoryShown(m, versions))[0];
  assert.equal(shown(version('1', 'one', 'a')), 2);
  assert.equal(shown(version('1', 'one', 'c')), 0);
  assert.equal(shown(version('1', 'one', 'a', '2'), version('2', 'one more', 'b')), 2);
  assert.equal(shown(version('1', 'one', 'a', '2'), version('2', 'two', 'b')), 1);
  assert.equal(shown(version('1', 'one', 'a', '2'), version('2', 'of nobody', 'elsewhere')), 0);
  assert.equal(shown(version('1', 'one', 'elsewhere')), 0);
});

test('a_mail_prompted_twice_keeps_its_first_position', () => {
  const m = model(['<a>', []], ['<b>', [of('f1', 'M1')]], ['<a>', [of('f1')]]);
  assert.deepEqual(figures(rightMemoryShown(m, [version('1', 'one', 'a')])), [1, 1, 0, 0]);
});

test('candidates_are_added_up', () => {
  const { mails, candidates, irrelevant } = rightMemoryShown(model(['<a>', [], 3, 2], ['<b>', [], 4, 4]), []);
  assert.deepEqual([mails, candidates, irrelevant], [2, 7, 6]);
});
