import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { harm, measureInbox } from './measure-inbox.mjs';
import { measureInboxes, together } from './measure-inboxes.mjs';
import { mailboxOf, scripted } from './scripted.mjs';

const dir = mkdtempSync(join(tmpdir(), 'memfold-inbox-'));
after(() => rmSync(dir, { recursive: true }));

const said = (fact, is, value, more = {}) => ({ fact, is, value, quote: `so: ${value}`, category: 'task', ...more });
const MAILS = {
  '<a@x>': [said('f1', 'new', 'The fence costs 40.'), said('f2', 'new', 'The lab trip is on Friday.')],
  '<b@x>': [said('f1', 'update', 'The fence costs 50.'), said('f3', 'new', 'Ada paints the fence.', { links: [{ to: 'f1', type: 'elaboration' }] })],
  '<c@x>': [said('f1', 'repeat', 'The fence costs 50.')],
  '<d@x>': [said('f2', 'update', 'The lab trip is cancelled.'), said('f4', 'new', 'Bring pens.', { links: [{ to: 'f3', type: 'reference' }] })],
};
const EXPECTED = {
  asOf: '2025-03-05T00:00:00Z',
  me: 'me@x.example',
  current: [
    { id: 'f1', about: 'cost', anyOf: [['fence'], ['50']] },
    { id: 'f3', about: 'paint', anyOf: [['paints']] },
    { id: 'f4', about: 'pens', anyOf: [['pens']] },
  ],
  notCurrent: [{ id: 'n1', needles: [['fence costs'], ['40']], why: 'old' }],
  history: [{ fact: 'f1', values: ['40', '50'], anyOf: [['40'], ['50']] }],
  links: [
    { from: 'f1', to: 'f3', types: ['elaboration'] },
    { from: 'f3', to: 'f4', types: ['reference'] },
  ],
  noNewMemory: ['<c@x>', '<a@x>#2'],
  queries: [{ q: 'cost?', expect: ['f1'], k: 3 }],
};

/** Writes a mailbox, its expectations and its ledger into a folder. */
function stored(folder, name, mails = MAILS, deliveries = [...Object.keys(mails), '<a@x>']) {
  mkdirSync(folder, { recursive: true });
  const at = (kind, text) => {
    const path = join(folder, `${name}.${kind}`);
    writeFileSync(path, text);
    return path;
  };
  const lines = Object.entries(mails).map(([message, says]) => JSON.stringify({ message, lang: 'en', says }));
  return { inbox: at('mbox', mailboxOf(...deliveries)), expect: at('expect.json', JSON.stringify(EXPECTED)), ledger: at('ledger.jsonl', lines.join('\n')) };
}
const ORACLE = { mode: 'balanced', json: true, oracle: true, noise: 0, seed: 1, reads: false };
const files = stored(dir, 'four');
const measured = async (chosen = {}, how = {}) => JSON.parse(await measureInbox({ ...ORACLE, ...files, ...chosen }, { open: scripted(how) }));
const COUNTS = ['factsFound', 'staleLeft', 'historiesRight', 'linksRight', 'remindersAdded', 'hits', 'memories', 'closed', 'spurious'];
const counts = (r) => COUNTS.map((name) => r[name]);

test('with_the_right_memory_shown_every_fact_is_stored', async () => {
  const r = await measured();
  assert.deepEqual(counts(r), [3, 0, 1, 2, 0, 1, 4, 1, 0]);
  assert.deepEqual(r.answers.ledger, { entries: 7, notShown: 0, notNamed: 0, unknown: 0, otherTasks: 0, garbled: {}, overruled: {} });
  assert.deepEqual([r.answers.calls, r.answers.callsPerMail, r.mails], [4, 0.8, 5]);
  const { of, ofShown, links, linksShown, mails, candidates, irrelevant } = r.shown;
  assert.deepEqual([of, ofShown, links, linksShown, mails, candidates, irrelevant], [3, 3, 1, 1, 4, 8, 4]);
  assert.deepEqual(r.missed.shown, []);
});

test('missing_candidates_and_their_consequences_are_reported', async () => {
  const r = await measured({}, { shows: (memories) => memories.filter((m) => !m.content.startsWith('The fence')) });
  assert.deepEqual(counts(r), [3, 1, 0, 2, 1, 1, 6, 1, 1]);
  assert.deepEqual([r.answers.ledger.notShown, r.shown.of, r.shown.ofShown, r.shown.links, r.shown.linksShown], [2, 3, 1, 1, 1]);
  assert.deepEqual(
    r.missed.shown.map((m) => [m.message, m.fact, m.memory]),
    [
      ['<b@x>', 'f1', 'The fence costs 40.'],
      ['<c@x>', 'f1', 'The fence costs 50.'],
    ],
  );
});

test('a_mail_missing_from_the_ledger_adds_nothing', async () => {
  const r = await measured(stored(dir, 'five', MAILS, [...Object.keys(MAILS), '<e@x>']));
  assert.deepEqual([r.answers.ledger.unknown, r.memories], [1, 4]);
});

test('wrong_entries_are_counted_with_their_harm', async () => {
  const [all, again] = [await measured({ noise: 1, seed: 3 }), await measured({ noise: 1, seed: 3 })];
  assert.deepEqual(all, again);
  const { garbled, entries } = all.answers.ledger;
  assert.equal(
    Object.values(garbled).reduce((sum, n) => sum + n, 0),
    entries,
  );
  assert.deepEqual(all.noise, { factsLost: all.missed.lost.length, damaged: all.missed.damaged.length });
  assert.ok((await measured({ noise: 0 })).noise === undefined);
});

test('harm_is_the_difference_to_the_run_without_wrong_entries', () => {
  const run = (facts, stale) => ({ missed: { facts: facts.map((id) => ({ id, about: id })), stale } });
  const stale = (id, ...memories) => ({ id, memories });
  const { figures, missed } = harm(run(['f1', 'f2', 'f3'], [stale('n1', 'a'), stale('n2', 'b', 'c')]), run(['f3'], [stale('n1', 'a')]), new Set(['f1']));
  assert.deepEqual(figures, { factsLost: 2, damaged: 3 });
  assert.deepEqual(
    missed.lost.map((f) => f.id),
    ['f1', 'f2'],
  );
  assert.deepEqual(missed.damaged, [
    { id: 'n2', memory: 'b' },
    { id: 'n2', memory: 'c' },
    { id: 'f2', about: 'f2' },
  ]);
});

test('a_control_run_uses_its_own_model', async () => {
  const expected = {
    ...EXPECTED,
    current: [...EXPECTED.current, { id: 'f9', about: 'gone', anyOf: [['nowhere']] }],
    injections: [{ message: '<b@x>', keep: ['f9', 'f1'] }],
  };
  const path = join(dir, 'control.json');
  writeFileSync(path, JSON.stringify(expected));
  const r = await measured({ expect: path });
  assert.deepEqual([r.answers.calls, r.answers.ledger.notShown, r.shown.mails], [4, 0, 4]);
});

test('a_reader_answers_control_runs_too_and_its_recording_can_be_replayed', async () => {
  const [ask, record, expect] = [join(dir, 'asked'), join(dir, 'kept.jsonl'), join(dir, 'kept.json')];
  const fact = (id, needle) => ({ id, about: id, anyOf: [[needle]] });
  writeFileSync(
    expect,
    JSON.stringify({
      ...EXPECTED,
      current: [fact('f1', 'of b'), fact('f9', 'nowhere')],
      notCurrent: [],
      history: [],
      links: [],
      noNewMemory: [],
      queries: [],
      injections: [{ message: '<b@x>', keep: ['f9'] }],
    }),
  );
  const chosen = { mode: 'balanced', json: true, oracle: false, reads: true, inbox: files.inbox, expect };
  const told = measureInbox({ ...chosen, ask, record }, { open: scripted() });
  const questions = () => (existsSync(ask) ? readdirSync(ask) : []).filter((name) => name.startsWith('q-'));
  while (!existsSync(join(ask, 'DONE'))) {
    for (const name of questions()) {
      const [, id] = /=== 01234567 <(.)@x>/.exec(readFileSync(join(ask, name), 'utf8'));
      const entry = { op: 'new', text: `The word of ${id}.`, category: 'misc', links: [], evidence: 'x' };
      if (!existsSync(join(ask, name.replace('q', 'a')))) writeFileSync(join(ask, name.replace('q', 'a')), JSON.stringify({ entries: [entry] }));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const r = JSON.parse(await told);
  assert.deepEqual([r.factsFound, r.memories, r.answers.calls, r.answers.reader], [1, 4, 4, { asked: 4, waited: 4, unanswered: 0 }]);
  // Without <b@x> the prompts for <c@x> and <d@x> differ: two more questions.
  assert.equal(questions().length, 6);

  const again = JSON.parse(await measureInbox({ ...chosen, replay: record }, { open: scripted() }));
  assert.deepEqual(again, { ...r, answers: { ...r.answers, reader: { asked: 4, waited: 0, unanswered: 0 } } });
});

test('one_mailbox_is_reported_as_a_table_with_goals', async () => {
  const text = await measureInbox({ ...ORACLE, ...files, json: false }, { open: scripted() });
  for (const line of [
    /right memory shown +3 +of +3/,
    /candidates a mail +2\.0/,
    /  not meant +1\.0/,
    /reached {2}facts found 100\.0 %, at least 99\.0 %/,
    /reached {2}calls a mail 0\.80, at most 1\.00/,
  ])
    assert.match(text, line);
  const noisy = await measureInbox({ ...ORACLE, ...files, json: false, noise: 1 }, { open: scripted() });
  assert.match(noisy, /memories damaged +\d/);
  assert.doesNotMatch(noisy, /\ngoals\n/);
});

test('several_mailboxes_are_reported_with_a_line_each_and_a_total', async () => {
  const folder = join(dir, 'several/');
  stored(folder, 'one');
  stored(folder, 'two', { '<a@x>': MAILS['<a@x>'] }, ['<a@x>']);
  writeFileSync(join(folder, 'three.mbox'), mailboxOf('<z@x>'));
  const all = async (json) => measureInboxes({ ...ORACLE, json }, () => ({ open: scripted() }), folder);
  const r = JSON.parse(await all(true));
  assert.deepEqual(Object.keys(r.inboxes), ['one', 'two']);
  assert.deepEqual([r.mails, r.facts, r.factsFound, r.stale, r.staleLeft, r.shown.of], [6, 6, 3, 2, 1, 3]);
  assert.deepEqual([r.answers.calls, r.answers.callsPerMail, r.spuriousPerMail], [5, 5 / 6, 1 / 6]);
  const text = await all(false);
  assert.match(text, /\none +5 [\s\S]*\ntwo +1 [\s\S]*\nall +6 /);
  assert.match(text, /missed {3}facts found 50\.0 %, at least 99\.0 %/);
  assert.match(text, /missed in two: facts 3, stale 1/);
  const empty = join(dir, 'empty/');
  mkdirSync(empty);
  await assert.rejects(
    measureInboxes(ORACLE, () => ({ open: scripted() }), empty),
    /no mailbox has a ledger/,
  );
});

test('totals_add_counts_and_recompute_shares', () => {
  const one = (calls, mails) => ({
    mails,
    mode: 'fast',
    spurious: calls,
    spuriousPerMail: calls / mails,
    wouldAsk: { calls, tokens: 10, drafts: 4 },
    answers: { calls, promptTokens: 100, refused: { failed: calls } },
    missed: {},
  });
  assert.deepEqual(together([one(1, 1), one(3, 3)]), {
    mails: 4,
    spurious: 4,
    spuriousPerMail: 1,
    wouldAsk: { calls: 4, tokens: 20, drafts: 8, callsPerMemory: 0.5, tokensPerMemory: 2.5 },
    answers: { calls: 4, promptTokens: 200, refused: { failed: 4 }, callsPerMail: 1, promptTokensPerMail: 50 },
  });
});
