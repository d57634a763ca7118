// The scorer and the manifest of the public benchmark (benches/mailbox-memory).
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { exportTo } from '../../benches/mailbox-memory/export.mjs';
import { mailboxes, normal as ours, score, scoreSystem, table, together } from '../../benches/mailbox-memory/score.mjs';
import { assess } from './inbox.mjs';
import { normal } from './text.mjs';

const manifest = fileURLToPath(new URL('../../benches/mailbox-memory/manifest.json', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'memfold-benchmark-'));
after(() => rmSync(dir, { recursive: true }));

const expected = {
  asOf: '2025-04-14T09:00:00+09:00',
  current: [
    { id: 'f1', about: 'budget', messages: ['<b@x>'], anyOf: [['pilot'], ['60,000']], category: null, occurredAt: null },
    {
      id: 'f2',
      about: 'kick-off',
      messages: ['<c@x>'],
      anyOf: [
        ['kick-off', '착수'],
        ['3월 20일', '20 March'],
      ],
      category: null,
      occurredAt: null,
    },
    { id: 'f3', about: 'room', messages: ['<d@x>'], anyOf: [['room 3']], category: null, occurredAt: null },
  ],
  notCurrent: [
    { id: 'n1', needles: [['pilot'], ['50,000']], unless: [['60,000']], why: 'raised' },
    { id: 'n2', needles: [['kick-off'], ['18 March']], why: 'moved' },
  ],
  history: [{ fact: 'f1', values: ['50,000', '60,000'], anyOf: [['50,000'], ['60,000']], messages: ['<a@x>', '<b@x>'] }],
  links: [{ from: 'f1', to: 'f2', types: ['sequential'], why: '' }],
  noNewMemory: [],
  injections: [],
  queries: [
    { q: 'budget?', expect: ['f1'], k: 3 },
    { q: 'when and how much?', expect: ['f1', 'f2'], k: 3 },
    { q: 'which room?', expect: ['f3'], k: 3, avoid: ['f2'] },
  ],
};
const says = (fact, is, value) => ({ fact, is, value, quote: `quote of ${value}`, category: 'misc' });
const ledger = [
  { message: '<a@x>', says: [says('f1', 'new', 'The pilot has 50,000.'), says('gone', 'new', 'The offer of Ada stands.')] },
  { message: '<b@x>', says: [says('f1', 'update', 'The pilot has 60,000.')] },
];
const result = () => ({
  memories: [
    { id: '1', text: 'The pilot has 60000.', sources: ['<b@x>'], versions: [{ text: 'The pilot has 50,000.' }, { text: 'The pilot has 60000.' }] },
    { id: '2', text: 'Kick-off', properties: ['hall'], days: ['2025-03-20'], sources: ['<z@x>'] },
    { id: '3', text: 'Kick-off on 18 March', doubtful: true },
    { id: '4', text: 'The offer of Ada stands.' },
    { id: '5', text: 'The pilot has 50,000.' },
    { id: '6', text: 'Room 3 is free.', current: false },
  ],
  links: [{ from: '2', to: '1', type: 'sequential' }],
  answers: [
    { q: 'budget?', memories: ['5', '1'] },
    { q: 'when and how much?', memories: ['1', '4', '5', '2'] },
    { q: 'which room?', memories: ['2', '6'] },
  ],
});

test('the_scorer_counts_a_small_example', () => {
  const { missed, ...counts } = score(result(), expected, ledger);
  assert.deepEqual(counts, {
    facts: 3,
    factsFound: 2,
    factsSourced: 1,
    histories: 1,
    historiesRight: 1,
    outdated: 2,
    outdatedLeft: 2,
    outdatedUnmarked: 1,
    links: 1,
    linksRight: 1,
    questions: 3,
    at1: 0,
    at3: 1,
    at5: 2,
    atLimit: 1,
    outdatedAt3: 2,
    memories: 5,
    spurious: 2,
    spuriousEarlier: 1,
  });
  assert.deepEqual(missed.facts, [{ id: 'f3', about: 'room' }]);
  assert.deepEqual(missed.spurious, ['Kick-off on 18 March', 'The pilot has 50,000.']);
});

test('what_a_system_does_not_report_is_not_scored', () => {
  const plain = { memories: [{ id: '1', text: 'The pilot has 60,000.' }], answers: [{ q: 'budget?', memories: ['1'] }] };
  const counts = score(plain, expected);
  assert.deepEqual([counts.factsFound, counts.factsSourced, counts.historiesRight, counts.linksRight, counts.at1], [1, null, null, null, 1]);
  assert.equal(together([counts, score(result(), expected, ledger)]).historiesRight, null);
  assert.match(table([{ system: 'plain', all: counts }]), /^\| plain \| 33\.3 % \| – \| – \| 0\.0 % \| – \|/m);
});

test('a_wrong_order_of_versions_or_another_type_of_link_does_not_count', () => {
  const wrong = result();
  wrong.memories[0].versions.reverse();
  wrong.links[0].type = 'causal';
  const counts = score(wrong, expected, ledger);
  assert.deepEqual([counts.historiesRight, counts.linksRight], [0, 0]);
});

test('the_scorer_agrees_with_the_evaluation', async () => {
  const memories = result().memories.map((m) => ({
    ...m,
    content: m.text,
    properties: (m.properties ?? []).map((value) => ({ value })),
    occurredAt: m.days ? `${m.days[0]}T03:00:00Z` : undefined,
    nodeType: 'memory',
    confirmation: m.doubtful ? 'provisional' : undefined,
  }));
  const byId = new Map(memories.map((m) => [m.id, m]));
  const current = memories.filter((m) => m.current !== false);
  const links = result().links;
  const related = new Map(
    current.map((m) => [
      m.id,
      links.filter((l) => l.to === m.id || l.from === m.id).map((l) => ({ edge: { relation: l.type }, memory: byId.get(l.from === m.id ? l.to : l.from) })),
    ]),
  );
  const chains = new Map(current.map((m) => [m.id, (m.versions ?? [m]).map((v) => ({ ...v, content: v.text, properties: [] }))]));
  const answers = new Map(result().answers.map((a) => [a.q, a.memories.map((id) => byId.get(id))]));
  const theirs = await assess({ all: memories, current, related, chains, log: [], receipts: [] }, expected, async ({ q }) => answers.get(q), undefined, {
    closed: (text) => text === 'The offer of Ada stands.',
    tells: () => false,
  });
  const counts = score(result(), expected, ledger);
  assert.deepEqual(
    [counts.factsFound, counts.historiesRight, counts.outdatedLeft, counts.outdatedUnmarked, counts.linksRight, counts.atLimit, counts.spurious],
    [theirs.factsFound, theirs.historiesRight, theirs.staleLeft, theirs.staleUnmarked, theirs.linksRight, theirs.hits, theirs.spurious],
  );
  for (const text of ['9,150만 원', 'Ｒoom 3  4', '１２,３４５', 'a , b']) assert.equal(ours(text), normal(text));
});

test('the_manifest_lists_every_mailbox_in_its_split', () => {
  const names = (folder) =>
    readdirSync(new URL(`../inbox/${folder}`, import.meta.url))
      .filter((file) => file.endsWith('.mbox'))
      .map((file) => file.slice(0, -5))
      .sort();
  for (const [split, folder] of [
    ['development', ''],
    ['test', 'kept/'],
  ]) {
    const listed = mailboxes(manifest, split);
    assert.deepEqual(
      listed.map((m) => m.name),
      names(folder),
    );
    for (const { mbox, mails } of listed) assert.equal(readFileSync(mbox, 'latin1').match(/^From .*@xxx /gm).length, mails, mbox);
  }
});

test('the_exported_data_set_stands_alone', () => {
  const folder = join(dir, 'data');
  exportTo(folder);
  const listed = mailboxes(join(folder, 'manifest.json'), 'test');
  assert.ok(
    listed.length > 0 && listed.every(({ mbox, expect, ledger }) => [mbox, expect, ledger].every((file) => file.startsWith(folder) && existsSync(file))),
  );
  const { ledger: path, mbox } = listed[0];
  const {
    message,
    says: [{ value }],
  } = readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .find((mail) => mail.says.length > 0);
  const reply = spawnSync(process.execPath, [join(folder, 'reader/reader.mjs'), path, mbox], {
    input: `${JSON.stringify({ source: message, shown: [] })}\n`,
    encoding: 'utf8',
  });
  assert.equal(reply.stderr, '');
  assert.ok(JSON.parse(reply.stdout).entries.some((entry) => entry.op === 'new' && entry.text === value));
  const empty = { system: 'empty', mailboxes: Object.fromEntries(listed.map(({ name }) => [name, { memories: [], answers: [] }])) };
  writeFileSync(join(dir, 'empty.json'), JSON.stringify(empty));
  const printed = spawnSync(process.execPath, [join(folder, 'score.mjs'), join(folder, 'manifest.json'), join(dir, 'empty.json')], { encoding: 'utf8' });
  assert.equal(printed.stdout, `${table([scoreSystem(empty, manifest, 'test')])}\n`);
  assert.match(printed.stdout, /^\| empty \| 0\.0 % \| – \| – \| 0\.0 % \|/m);
});
