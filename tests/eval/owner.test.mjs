// The simulated owner of an evaluation, with a stub that has pending changes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { rightly, settled, toldBy } from './owner.mjs';

const told = (entry, op, decided) => ({ message: '<a@x>', fact: entry, op, entry, decided, text: entry });

test('only_pending_changes_that_were_stated_are_accepted', async () => {
  const words = [];
  const memories = {
    review: {
      changes: async () => [],
      list: async () => ['beside', 'withheld', 'doubt', 'new'].map((id) => ({ entry: { id } })),
      decide: async (id, word) => void words.push(`${id} ${word}`),
    },
  };
  const overruled = [
    told('withheld', 'update', 'UPDATE'),
    told('beside', 'update', 'CREATE_AND_LINK'),
    told('new', 'new', 'UPDATE'),
    told('gone', 'update', 'UPDATE'),
    told(null, 'update', null),
  ];
  assert.deepEqual(await settled(memories, overruled), { waiting: 4, asked: 2, settled: 2, unsettled: [] });
  assert.deepEqual(words, ['beside UPDATE', 'withheld accept']);
});

test('a_change_that_cannot_be_accepted_is_reported_with_its_error', async () => {
  const refuse = async () => {
    throw Object.assign(new Error('later entries build on this one'), { code: 'has_dependents' });
  };
  const memories = { review: { changes: async () => [], list: async () => [{ entry: { id: 'beside' } }], decide: refuse } };
  const { settled: done, unsettled } = await settled(memories, [told('beside', 'update', 'CREATE_AND_LINK')]);
  assert.equal(done, 0);
  assert.match(unsettled[0].error, /^has_dependents: /);
});

test('pending_changes_are_right_if_their_mail_changes_something', () => {
  const item = (id, sourceId, kind, targetId) => ({ entry: { id, sourceId, targetId, decision: 'UPDATE', input: id, reasons: [{ kind }] } });
  const book = { of: (id) => (id === '<a@x>' ? [{ op: 'new' }, { op: 'update' }] : [{ op: 'new' }]) };
  const waiting = [
    item('a', '<a@x>', 'no_standing', 'm'),
    item('b', '<b@x>', 'no_standing', 'm'),
    item('c', '<a@x>', 'unsure', 'm'),
    item('d', '<a@x>', 'source_outranks'),
  ];
  assert.deepEqual(
    rightly(waiting, book).map(({ entry }) => entry),
    ['a'],
  );
});

test('a_provisional_change_is_confirmed_only_if_its_mail_changes_something', async () => {
  const confirmed = [];
  const change = (id, sourceId) => ({ memory: { id: `memory of ${id}` }, entry: { id, sourceId, decision: 'UPDATE', input: id } });
  const memories = {
    review: {
      changes: async () => [change('told', '<a@x>'), change('forged', '<b@x>'), change('unknown', undefined), change('gone', '<a@x>')],
      confirm: async (id) => {
        if (id === 'memory of gone') throw Object.assign(new Error('no such memory'), { code: 'not_found' });
        confirmed.push(id);
      },
      list: async () => [],
    },
  };
  const book = { of: (id) => (id === '<a@x>' ? [{ op: 'update' }] : []) };
  const { waiting, asked, settled: done, unsettled } = await settled(memories, [], toldBy(book));
  assert.deepEqual([confirmed, waiting, asked, done, unsettled.length], [['memory of told'], 4, 2, 1, 1]);
});
