import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { expectations, mailbox, Unusable } from './input.mjs';
import { Ledger, known, ledger } from './ledger.mjs';
import { messageIds } from './mbox.mjs';
import { holdsAll, normal } from './text.mjs';

const said = (fact, is, value, more = {}) => ({ fact, is, value, quote: value, category: 'task', ...more });
const over = (...mails) => new Ledger(mails.map(([message, ...says], n) => ({ value: { message, lang: 'en', says }, where: `f:${n + 1}` })));
const book = () =>
  over(
    ['<a@x>', said('f1', 'new', 'Due on Monday.', { day: '2025-03-03', entities: ['report'] })],
    ['<b@x>'],
    [
      '<c@x>',
      said('f1', 'update', 'Due on Friday.'),
      said('f2', 'new', 'Room 4.', {
        links: [
          { to: 'f1', type: 'elaboration' },
          { to: 'f9', type: 'causal' },
        ],
      }),
    ],
    ['<d@x>', said('f1', 'repeat', 'Due on Friday.'), said('f1', 'update', 'Done.')],
  );

test('message_ids_match_with_and_without_brackets', () => {
  const b = book();
  assert.deepEqual([b.has('<a@x>'), b.has('a@x'), b.has('z@x')], [true, true, false]);
  assert.deepEqual(b.messages, ['a@x', 'b@x', 'c@x', 'd@x']);
  assert.deepEqual([b.of('b@x'), b.of('<z@x>')], [[], []]);
  assert.deepEqual([b.langOf('<a@x>'), b.langOf('z')], ['en', null]);
});

test('an_entry_has_its_operation_target_and_resulting_value', () => {
  const b = book();
  assert.deepEqual(b.of('a@x'), [
    { op: 'new', fact: 'f1', of: null, value: 'Due on Monday.', quote: 'Due on Monday.', category: 'task', day: '2025-03-03', entities: ['report'], links: [] },
  ]);
  const [moved, room] = b.of('c@x');
  assert.deepEqual(
    [moved.op, moved.value, moved.of],
    ['update', 'Due on Friday.', { fact: 'f1', value: 'Due on Monday.', message: '<a@x>', category: 'task', day: '2025-03-03' }],
  );
  assert.deepEqual(room.links, [
    { to: 'f1', type: 'elaboration', entry: 0, value: 'Due on Friday.' },
    { to: 'f9', type: 'causal', entry: null, value: null },
  ]);
  const [repeat, done] = b.of('d@x');
  assert.deepEqual([repeat.op, repeat.of.value, done.op, done.of.value], ['repeat', 'Due on Friday.', 'update', 'Due on Friday.']);
});

test('values_before_a_mail_come_from_earlier_mails', () => {
  const b = book();
  const values = (id) => [...b.standing(id)].map(([fact, s]) => [fact, s.value]);
  assert.deepEqual(values('<a@x>'), []);
  assert.deepEqual(values('c@x'), [['f1', 'Due on Monday.']]);
  assert.deepEqual(values('d@x'), [
    ['f1', 'Due on Friday.'],
    ['f2', 'Room 4.'],
  ]);
  assert.deepEqual(values(), [
    ['f1', 'Done.'],
    ['f2', 'Room 4.'],
  ]);
  b.standing('d@x').clear();
  assert.equal(b.standing('d@x').size, 2);
});

test('a_contradictory_ledger_is_rejected_with_its_line', () => {
  const cases = [
    [[['<a>', said('f1', 'update', 'x')]], /f:1.*not stated before/],
    [[['<a>', said('f1', 'repeat', 'x')]], /f:1.*not stated before/],
    [
      [
        ['<a>', said('f1', 'new', 'x')],
        ['<b>', said('f1', 'new', 'y')],
      ],
      /f:2.*stated before/,
    ],
    [[['<a>'], ['a']], /f:2.*twice/],
    [[['<a>', said('f1', 'other', 'x')]], /not one of new, update, repeat/],
    [[['<a>', said('f1', 'new', '', { quote: 'q' })]], /no `value`/],
    [[['<a>', said('f1', 'new', 'x', { links: [{ to: 'f2' }] })]], /links/],
    [[['<a>', 'x']], /not an object/],
    [[['']], /no `message`/],
  ];
  for (const [mails, message] of cases)
    assert.throws(
      () => over(...mails),
      (e) => e instanceof Unusable && message.test(e.message),
      String(message),
    );
});

test('closed_topics_follow_the_ledger_and_stated_facts_the_mail', () => {
  const trip = over(
    ['<a@x>', said('f1', 'new', 'Trip on Friday.'), said('f2', 'new', 'Room 4.')],
    ['<b@x>', said('f1', 'update', 'The trip is cancelled.', { quote: 'no trip, sorry' }), said('f1', 'repeat', 'Really.')],
  );
  const { closed, tells } = known(trip, { current: [{ id: 'f2' }] });
  assert.deepEqual(['the trip is  cancelled.', 'Ada: No trip, sorry!', 'Trip on Friday.', 'Room 4.', 'Really.'].map(closed), [true, true, false, false, false]);
  assert.ok(!known(trip, { current: [{ id: 'f1' }, { id: 'f2' }] }).closed('The trip is cancelled.'));
  assert.deepEqual([tells('<b@x>', 'f1'), tells('b@x', 'f2'), tells('<z@x>', 'f1')], [true, false, false]);
});

for (const name of ['jangmi', 'somok', 'garam', 'harbour', 'quay', 'narae']) {
  test(`the_ledger_of_${name}_matches_its_mailbox_and_expectations`, async () => {
    const at = (kind) => fileURLToPath(new URL(`../inbox/${name}.${kind}`, import.meta.url));
    const [book, expected, box] = [await ledger(at('ledger.jsonl')), await expectations(at('expect.json')), await mailbox(at('mbox'))];
    assert.deepEqual([...new Set(messageIds(box))].map((id) => id.slice(1, -1)).sort(), [...book.messages].sort());
    const end = book.standing();
    for (const fact of expected.current) assert.ok(holdsAll(normal(end.get(fact.id).value), fact.anyOf), fact.id);
    for (const { fact, messages } of expected.history)
      for (const id of messages)
        assert.ok(
          book.of(id).some((e) => e.fact === fact),
          `${fact} ${id}`,
        );
    for (const id of expected.noNewMemory.filter((m) => !m.includes('#')))
      assert.ok(
        book.of(id).every((e) => e.op === 'repeat'),
        id,
      );
  });
}
