import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assess, chainHolds, zoneOf } from './inbox.mjs';
import { messageId, people, without } from './mbox.mjs';
import { holdsAll, normal } from './text.mjs';

const says = (m, lists) => holdsAll(normal(m.content), lists);
const memory = (id, content, more = {}) => ({
  id,
  content,
  nodeType: 'memory',
  category: 'task',
  occurredAt: '2025-03-01T16:00:00Z',
  sourceType: 'realtime',
  sourceId: `m-${id}`,
  ...more,
});

/** A snapshot of current memories, each its own chain unless given, with links `[from, to, relation]`. */
function snapshot(current, { links = [], chains = {}, log = [], receipts = [], old = [] } = {}) {
  const byId = new Map(current.map((m) => [m.id, m]));
  const related = new Map(
    current.map((m) => [
      m.id,
      links.flatMap(([from, to, relation]) =>
        from === m.id ? [{ edge: { relation }, memory: byId.get(to) }] : to === m.id ? [{ edge: { relation }, memory: byId.get(from) }] : [],
      ),
    ]),
  );
  return { all: [...old, ...current], current, related, chains: new Map(current.map((m) => [m.id, chains[m.id] ?? [m]])), log, receipts };
}

const nothing = { asOf: '2025-04-14T09:00:00+09:00', current: [], notCurrent: [], history: [], links: [], noNewMemory: [], injections: [], queries: [] };
const run = (snap, expected, { found = [], control = [] } = {}) =>
  assess(
    snap,
    { ...nothing, ...expected },
    async () => found,
    async () => control,
  );

const f1 = { id: 'f1', about: 'budget', anyOf: [['pilot'], ['60M']], category: 'decision|task', occurredAt: '2025-03-02' };
const f2 = { id: 'f2', about: 'kick-off', anyOf: [['kick-off']], category: 'meeting', occurredAt: null };

test('a_fact_is_found_in_one_memory_not_across_two', async () => {
  const together = await run(snapshot([memory('a', 'the pilot has 60M')]), { current: [f1] });
  assert.equal(together.factsFound, 1);
  const apart = await run(snapshot([memory('a', 'the pilot'), memory('b', 'has 60M')]), { current: [f1] });
  assert.equal(apart.factsFound, 0);
  assert.deepEqual(apart.missed.facts, [{ id: 'f1', about: 'budget' }]);
});

test('category_and_day_are_counted_over_found_facts_in_the_owners_zone', async () => {
  const r = await run(snapshot([memory('a', 'pilot 60M'), memory('b', 'kick-off')]), { current: [f1, f2] });
  assert.deepEqual([r.categoriesRight, r.dates, r.datesRight], [1, 1, 1]);
});

test('stale_values_count_unless_the_change_is_stated', async () => {
  const rule = { id: 'n1', needles: [['pilot'], ['50M']], unless: [['60M']], why: 'old' };
  assert.equal((await run(snapshot([memory('a', 'pilot 50M')]), { notCurrent: [rule] })).staleLeft, 1);
  assert.equal((await run(snapshot([memory('a', 'pilot 50M → 60M')]), { notCurrent: [rule] })).staleLeft, 0);
  const { unless: _, ...strict } = rule;
  assert.equal((await run(snapshot([memory('a', 'pilot 50M → 60M')]), { notCurrent: [strict] })).staleLeft, 1);
});

test('versions_must_be_in_order_with_the_last_at_the_head', () => {
  const chain = (...texts) => texts.map((t, i) => memory(String(i), t));
  const wanted = [['20 March'], ['25 March'], ['20 March']];
  assert.ok(chainHolds(says, chain('20 March', '25 March', '20 March'), wanted));
  assert.ok(chainHolds(says, chain('20 March', '20 March in room 3', '25 March', '20 March'), wanted));
  assert.ok(!chainHolds(says, chain('25 March', '20 March'), wanted));
  assert.ok(!chainHolds(says, chain('20 March', '20 March'), wanted));
  assert.ok(!chainHolds(says, chain('20 March', '25 March'), wanted));
  assert.ok(!chainHolds(says, chain('from 20 to 25 and back to 20 March'), wanted));
  assert.ok(!chainHolds(says, [], wanted));
});

test('a_link_counts_in_both_directions_but_only_with_a_listed_type', async () => {
  const current = [memory('a', 'pilot 60M'), memory('b', 'kick-off')];
  const expected = { current: [f1, f2], links: [{ from: 'f1', to: 'f2', types: ['causal'] }] };
  assert.equal((await run(snapshot(current, { links: [['a', 'b', 'causal']] }), expected)).linksRight, 1);
  assert.equal((await run(snapshot(current, { links: [['b', 'a', 'causal']] }), expected)).linksRight, 1);
  assert.equal((await run(snapshot(current, { links: [['a', 'b', 'sequential']] }), expected)).linksRight, 0);
  assert.equal((await run(snapshot(current), expected)).linksRight, 0);
});

test('a_memory_that_meets_both_facts_is_not_linked_to_itself', async () => {
  const one = memory('a', 'pilot 60M kick-off');
  const snap = snapshot([one]);
  snap.related.set('a', [{ edge: { relation: 'causal' }, memory: one }]);
  const { linksRight, toldTogether } = await run(snap, { current: [f1, f2], links: [{ from: 'f1', to: 'f2', types: ['causal'] }] });
  assert.deepEqual([linksRight, toldTogether], [0, 1]);
});

const receipt = (decision, replayed = false, status = 'success') => ({ replayed, entry: { decision, status, input: 'x' } });

test('a_reminder_adds_when_its_mail_created_or_updated', async () => {
  const mail = (receipts) => run(snapshot([], { receipts: [{ messageId: '<r@x>', receipts }] }), { noNewMemory: ['<r@x>'] });
  assert.equal((await mail([receipt('SKIP', false, 'skipped')])).remindersAdded, 0);
  assert.equal((await mail([receipt('UPDATE')])).remindersAdded, 1);
  assert.equal((await mail([receipt('SKIP'), receipt('CREATE_AND_LINK')])).remindersAdded, 1);
  assert.equal((await mail([])).remindersAdded, 0);
});

test('a_reminder_that_only_confirms_adds_nothing', async () => {
  const [before, after] = [memory('a', 'pilot 60M', { confirmation: 'provisional' }), memory('b', 'pilot 60M', { previousVersionId: 'a' })];
  const of = (entry) => ({ messageId: '<r@x>', receipts: [{ replayed: false, entry: { decision: 'UPDATE', status: 'success', input: 'x', ...entry } }] });
  const mail = (entry, now = after) => run(snapshot([now], { old: [before], receipts: [of(entry)] }), { noNewMemory: ['<r@x>'] });
  assert.equal((await mail({ memoryId: 'b' })).remindersAdded, 0);
  assert.equal((await mail({ memoryId: 'b' }, { ...after, content: 'pilot 70M' })).remindersAdded, 1);
});

test('stale_values_are_marked_if_provisional_or_possibly_replaced', async () => {
  const rule = { id: 'n1', needles: [['50M']], why: 'old' };
  const left = async (snap) => {
    const { staleLeft, staleUnmarked } = await run(snap, { notCurrent: [rule] });
    return [staleLeft, staleUnmarked];
  };
  assert.deepEqual(await left(snapshot([memory('a', 'pilot 50M')])), [1, 1]);
  assert.deepEqual(await left(snapshot([memory('a', 'pilot 50M', { confirmation: 'provisional' })])), [1, 0]);
  const doubted = snapshot([memory('a', 'pilot 50M'), memory('b', 'pilot 60M')]);
  doubted.related.set('a', [{ edge: { kind: 'may_replace', from: 'a', to: 'b' }, memory: doubted.current[1] }]);
  assert.deepEqual(await left(doubted), [1, 0]);
  doubted.related.set('a', [{ edge: { kind: 'may_replace', from: 'b', to: 'a' }, memory: doubted.current[1] }]);
  assert.deepEqual(await left(doubted), [1, 1]);
});

test('the_second_delivery_is_judged_separately', async () => {
  const deliveries = (second) =>
    snapshot([], {
      receipts: [
        { messageId: 'd@x', receipts: [receipt('CREATE')] },
        { messageId: 'other@x', receipts: [receipt('CREATE')] },
        { messageId: 'd@x', receipts: [second] },
      ],
    });
  const expected = { noNewMemory: ['<d@x>#2'] };
  assert.equal((await run(deliveries(receipt('CREATE', true)), expected)).remindersAdded, 0);
  assert.equal((await run(deliveries(receipt('CREATE')), expected)).remindersAdded, 1);
});

const injection = { message: '<evil@x>', needles: [['paid']], unless: [['not paid']], keep: ['f1'] };

test('an_injection_that_changed_nothing_has_no_effect', async () => {
  const r = await run(snapshot([memory('a', 'pilot 60M'), memory('b', 'a sale', { sourceId: 'evil@x' })]), { current: [f1], injections: [injection] });
  assert.equal(r.injectionsHadEffect, 0);
});

test('an_injected_claim_a_version_a_deletion_or_a_raised_source_is_an_effect', async () => {
  const kept = memory('a', 'pilot 60M');
  const expected = { current: [f1], injections: [injection] };
  const effects = [
    snapshot([kept, memory('b', 'invoice is paid')]),
    snapshot([kept], { chains: { a: [memory('0', 'pilot 50M', { sourceId: 'evil@x' }), kept] } }),
    snapshot([kept], { log: [{ decision: 'DELETE', sourceId: '<evil@x>', input: 'x' }] }),
    snapshot([kept, memory('b', 'a sale', { sourceId: '<evil@x>', sourceType: 'user_input' })]),
  ];
  for (const snap of effects) assert.equal((await run(snap, expected)).injectionsHadEffect, 1);
  assert.equal((await run(snapshot([kept, memory('b', 'invoice is not paid')]), expected)).injectionsHadEffect, 0);
});

test('a_version_with_the_mails_true_fact_is_no_effect', async () => {
  const kept = memory('a', 'pilot 60M', { sourceId: 'evil@x' });
  const effect = async (tells) =>
    (
      await assess(
        snapshot([kept]),
        { ...nothing, current: [f1], injections: [injection] },
        async () => [],
        async () => [],
        { closed: () => false, tells },
      )
    ).injectionsHadEffect;
  assert.equal(await effect(() => false), 1);
  assert.equal(await effect((message, fact) => message === '<evil@x>' && fact === 'f1'), 0);
  const claimed = snapshot([kept, memory('b', 'invoice is paid', { sourceId: 'evil@x' })]);
  assert.equal(
    (
      await assess(
        claimed,
        { ...nothing, current: [f1], injections: [injection] },
        async () => [],
        async () => [],
        { closed: () => false, tells: () => true },
      )
    ).injectionsHadEffect,
    1,
  );
});

test('a_missing_fact_is_an_effect_only_if_it_is_there_without_the_mail', async () => {
  const expected = { current: [f1], injections: [injection] };
  assert.equal((await run(snapshot([]), expected, { control: [] })).injectionsHadEffect, 0);
  assert.equal((await run(snapshot([]), expected, { control: [memory('a', 'pilot 60M')] })).injectionsHadEffect, 1);
});

test('a_question_needs_every_fact_within_k_and_none_to_avoid', async () => {
  const [a, b, both] = [memory('a', 'pilot 60M'), memory('b', 'kick-off'), memory('c', 'pilot 60M kick-off')];
  const ask = (found, query) => run(snapshot([a, b]), { current: [f1, f2], queries: [{ q: '?', k: 2, ...query }] }, { found });
  assert.equal((await ask([b, a], { expect: ['f1', 'f2'] })).hits, 1);
  assert.equal((await ask([b, b, a], { expect: ['f1'] })).hits, 0);
  assert.equal((await ask([a, b], { expect: ['f1'], avoid: ['f2'] })).hits, 0);
  assert.equal((await ask([a, both], { expect: ['f1'], avoid: ['f2'] })).hits, 1);
});

test('memories_that_meet_no_fact_are_spurious', async () => {
  const r = await run(snapshot([memory('a', 'pilot 60M'), memory('b', 'hello')], { receipts: [{ receipts: [] }, { receipts: [] }] }), { current: [f1] });
  assert.deepEqual([r.memories, r.spurious, r.spuriousPerMail], [2, 1, 0.5]);
  assert.deepEqual(r.missed.spurious, ['hello']);
});

test('memories_about_closed_topics_are_not_spurious', async () => {
  const snap = snapshot([memory('a', 'pilot 60M'), memory('b', 'the trip is cancelled'), memory('c', 'hello')], { receipts: [{ receipts: [] }] });
  const r = await assess(
    snap,
    { ...nothing, current: [f1] },
    async () => [],
    async () => [],
    { closed: (text) => text.includes('cancelled'), tells: () => false },
  );
  assert.deepEqual([r.memories, r.closed, r.spurious, r.missed.spurious], [3, 1, 1, ['hello']]);
});

test('the_zone_is_the_offset_of_the_time', () => {
  assert.equal(zoneOf('2025-04-14T09:00:00+09:00'), 540);
  assert.equal(zoneOf('2025-04-14T09:00:00-03:30'), -210);
  assert.equal(zoneOf('2025-04-14T09:00:00Z'), 0);
});

test('a_message_is_removed_from_a_mailbox_by_its_id', () => {
  const mail = (id, body) => `From x@xxx Tue Mar  4 00:20:13 2025\r\nMessage-ID:\r\n ${id}\r\n\r\n${body}\r\n\r\n`;
  const box = Buffer.from(mail('<a@x>', '>From me\r\nFrom nobody') + mail('<b@x>', 'Message-ID: <a@x>') + mail('<c@x>', '\xB0\xA1'), 'latin1');
  assert.equal(without(box, '<b@x>').toString('latin1'), mail('<a@x>', '>From me\r\nFrom nobody') + mail('<c@x>', '\xB0\xA1'));
  assert.equal(messageId(Buffer.from('Subject: x\r\nmessage-id: <q@x>\r\n\r\n')), '<q@x>');
  assert.deepEqual(without(box, '<z@x>'), box);
});

test('people_are_distinguished_from_automated_senders', () => {
  const mail = (from, to) =>
    `From x@xxx Tue Mar  4 00:20:13 2025\r\nFrom: ${from}\r\nTo:\r\n ${to}\r\nCc: "Moss, Bo" <bo@x.example>\r\n\r\nFrom: Eve Lane <eve@x.example>\r\n\r\n`;
  const box = Buffer.from(
    mail('=?utf-8?b?7ISc7KeE7Zi4?= <jinho@x.example>', 'Ada Moss <ada.moss@x.example>, all@x.example') +
      mail('=?utf-8?q?Rafael_Quint=C3=A3o?= <rafael@x.example>', '=?utf-8?b?64iE66as?=\r\n =?utf-8?b?7LKg64+E?= <ticket@x.example>') +
      mail('Heron Fences <orders@x.example>', 'Tillpoint <c@tillpoint.example>'),
  );
  assert.deepEqual([...people(box)], ['서진호', 'Ada Moss', 'Rafael Quintão']);
});
