import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { some } from '../tier.mjs';

const program = fileURLToPath(new URL('main.mjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'memfold-eval-'));
after(() => rmSync(dir, { recursive: true }));

const file = (name, text) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const run = (...args) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });

const pair = (expected, existing, next, more = {}) =>
  JSON.stringify({
    id: 'x',
    lang: 'en',
    hard: false,
    existing: { content: existing, subject: null },
    new: { content: next, people: [] },
    expected,
    ...more,
  });
const good = [
  pair('SKIP', 'The budget is 50M KRW.', 'The budget is 50M KRW.'),
  pair('CREATE', '점심은 김밥이다.', 'Invoice 77 is due.', { lang: 'ko', hard: true }),
];

test('the_figures_of_pairs_are_one_json_object', () => {
  const { status, stdout, stderr } = run('--json', '--mode', 'fast', file('a.jsonl', good.join('\n')), file('b.jsonl', `\n${good[0]}\n\n`));
  assert.equal(status, 0, stderr);
  const figures = JSON.parse(stdout);
  assert.equal(figures.rows, 3);
  for (const key of [
    'accuracy',
    'updateVsLink',
    'updatePrecision',
    'updateRecall',
    'linkPrecision',
    'linkRecall',
    'confusion',
    'falseUpdate',
    'skipPrecision',
    'sureShare',
    'sureAccuracy',
    'askedShare',
    'ece',
    'microsPerPair',
  ]) {
    assert.ok(key in figures && key in figures.byLang.ko && key in figures.byHard.false, key);
  }
  assert.equal(figures.falseUpdate, 0);
});

test('without_json_the_figures_are_a_table', () => {
  const { status, stdout } = run(file('a.jsonl', good.join('\n')));
  assert.equal(status, 0);
  assert.match(stdout, /^balanced mode\n[\s\S]*accuracy +\d/);
});

test('rows_hold_each_outcome_with_its_reason', () => {
  const rows = join(dir, 'rows.jsonl');
  assert.equal(run('--rows', rows, file('a.jsonl', good.join('\n'))).status, 0);
  const lines = readFileSync(rows, 'utf8')
    .trim()
    .split('\n')
    .map((l) => JSON.parse(l));
  assert.equal(lines.length, 2);
  for (const line of lines) assert.ok(line.expected && line.outcome && line.reason && typeof line.right === 'boolean');
});

test('unusable_input_ends_with_2_and_names_the_line', () => {
  const broken = [
    [[file('json.jsonl', `${good[0]}\n\n{"id":`)], /json\.jsonl:3: is not JSON/],
    [[file('label.jsonl', pair('MAYBE', 'a', 'b'))], /label\.jsonl:1: `expected` is "MAYBE"/],
    [[file('list.jsonl', `${good[0]}\n[]`)], /list\.jsonl:2: is not a JSON object/],
    [[file('side.jsonl', '{"expected":"SKIP","existing":{"content":"a"}}')], /side\.jsonl:1: `new` is not an object/],
    [[file('type.jsonl', '{"expected":"SKIP","existing":{"content":"a"},"new":{"content":7}}')], /type\.jsonl:1: `new\.content`/],
    [[file('enum.jsonl', '{"expected":"SKIP","existing":{"content":"a","category":"x"},"new":{"content":"b"}}')], /enum\.jsonl:1: /],
    [[file('bytes.jsonl', Buffer.from([0x7b, 0x0a, 0xff]))], /bytes\.jsonl:2: is not UTF-8/],
    [[join(dir, 'none.jsonl')], /none\.jsonl: no such file/],
    [[dir], /is a directory/],
    [['--mode', 'quick'], /--mode quick/],
    [['--wrong'], /--wrong/],
    [['--noise', '.1'], /for --oracle/],
    [['--oracle', '--noise', '1.5'], /--noise 1\.5/],
    [['--oracle', '--noise', ''], /--noise/],
    [['--oracle', '--seed', 'x'], /--seed x/],
    [['--oracle', '--ask', dir], /neither --ask/],
    [['--record', join(dir, 'r')], /--record keeps/],
    [['--oracle', '--inbox', 'a', '--expect', 'b'], /by its --ledger/],
    [['--ledger', 'a'], /--ledger is for --inbox/],
    [['--inboxes', '--inbox', 'a', '--expect', 'b'], /not both/],
    [['--inboxes', '--rows', join(dir, 'r')], /--rows is for pairs/],
    [['--inboxes', file('a.jsonl', good[0])], /two runs/],
    [
      ['--oracle', '--inbox', file('a.mbox', ''), '--expect', file('empty.json', '{"asOf":"2025-01-01T00:00:00Z"}'), '--ledger', file('led.jsonl', '{}')],
      /led\.jsonl:1: has no `message`/,
    ],
    [['--oracle', file('relation.jsonl', pair('CREATE_AND_LINK', 'a', 'b', { relationshipType: 'friend' }))], /relation\.jsonl:1: `relationshipType`/],
    [['--replay', join(dir, 'none.jsonl'), file('a.jsonl', good[0])], /none\.jsonl: no such file/],
    [['--replay', file('replay.jsonl', '{}'), file('a.jsonl', good[0])], /replay\.jsonl:1: is no recorded answer/],
    [['--encoder', '--copied'], /--encoder stands alone/],
    [['--inbox', file('a.mbox', '')], /go together/],
    [['--inbox', file('a.mbox', ''), '--expect', file('bad.json', '{\n"asOf": x,\n"me": "",\n"links": []}')], /bad\.json:2: is not JSON/],
    [
      ['--inbox', file('a.mbox', ''), '--expect', file('ref.json', '{"asOf":"2025-01-01T00:00:00Z","links":[{"from":"f1","to":"f2","types":[]}]}')],
      /links\[0\]\.from/,
    ],
    [['--inbox', join(dir, 'none.mbox'), '--expect', file('empty.json', '{"asOf":"2025-01-01T00:00:00Z"}')], /none\.mbox: no such file/],
  ];
  for (const [args, message] of some(broken, 3, 1)) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2, `${args}: ${stderr}`);
    assert.equal(stdout, '');
    assert.match(stderr, message);
  }
});

// In one thread, so that the engine compares every pair.
const mail = (content, day) => ({
  content,
  threadId: 't1',
  subject: 'Heron fence',
  people: ['ada@x.example'],
  entities: ['Heron fence'],
  occurredAt: `2025-03-0${day}T09:00:00Z`,
});
const labelled = (id, expected, next, more = {}) =>
  JSON.stringify({
    id,
    lang: 'en',
    hard: true,
    existing: mail('The Heron fence costs $4,200.', 1),
    new: mail(next, 2),
    expected,
    ...more,
  });
const four = [
  labelled('u', 'UPDATE', 'The Heron fence costs $4,900 now.'),
  labelled('s', 'SKIP', 'Once more: $4,200 is what the Heron fence costs.'),
  labelled('l', 'CREATE_AND_LINK', 'The Heron fence gets a gate, for which Ada asks for offers.', { relationshipType: 'elaboration' }),
  labelled('c', 'CREATE', 'Lunch is at noon.'),
].join('\n');

test('the_oracle_answers_from_labels_and_no_reply_is_rejected', () => {
  const args = ['--oracle', '--json', '--verbose', '--mode', 'accurate', file('four.jsonl', four)];
  const { status, stdout, stderr } = run(...args);
  assert.equal(status, 0, stderr);
  const told = JSON.parse(stdout);
  assert.deepEqual([told.rows, told.refused, told.answersRight, told.oracle], [4, {}, 1, { noise: 0, seed: 1 }]);
  assert.ok(told.askedShare >= 0.5 && told.promptTokensPerCall > 200, stdout);
  assert.equal(told.updateRecall, 1);
  for (const key of ['accuracy', 'falseUpdate', 'skipPrecision', 'callsPerPair', 'promptTokensPerPair', 'overruled', 'withheld', 'noModel']) {
    assert.ok(key in told && key in told.byFile.four, key);
  }
  assert.equal(run(...args).stdout, stdout);
});

test('wrong_answers_are_counted_separately', () => {
  const told = JSON.parse(run('--oracle', '--noise', '1', '--json', '--mode', 'accurate', file('four.jsonl', four)).stdout);
  assert.deepEqual([told.answersRight, told.refused], [0, {}]);
  assert.ok(told.answered >= 2);
});

test('the_encoder_judges_only_unsure_pairs', () => {
  const rows = (...args) => {
    const path = join(dir, `encoder${args.length}.jsonl`);
    const { status, stderr } = run(
      '--rows',
      path,
      ...args,
      file('two.jsonl', [good[0], pair('UPDATE', '이 팀장이 프로젝트를 맡고 있다', 'Ms Kim now leads the project instead of Mr Lee')].join('\n')),
    );
    assert.equal(status, 0, stderr);
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const [[same, alone], [judged, both]] = [rows(), rows('--encoder')];
  assert.deepEqual([same.sure, judged.probabilities], [true, same.probabilities]);
  assert.deepEqual([alone.right, both.right, both.keyFactors[0].code], [false, true, 'encoder']);
});

test('with_a_model_the_table_lists_each_file_and_overruled_answers', () => {
  const outranked = JSON.parse(four.split('\n')[0]);
  outranked.existing.sourceType = 'user_input';
  outranked.new.sourceType = 'realtime';
  const { status, stdout } = run('--oracle', '--verbose', '--mode', 'accurate', file('four.jsonl', four), file('own.jsonl', JSON.stringify(outranked)));
  assert.equal(status, 0);
  assert.match(stdout, /^accurate mode, the labels answer, 0\.0 % of it wrong \(seed 1\)\n[\s\S]*\nfour +4 [\s\S]*\nown +1 [\s\S]*\nall +5 /);
  assert.match(stdout, /\nwith no model\n/);
  assert.match(stdout, /\nown +u +UPDATE +UPDATE +UPDATE +[\d.]+ +withheld/);
});

/** Answers each question file of a folder until the run is done or `ended()`; returns their number. */
async function answering(folder, reply, ended) {
  const done = new Set();
  while (!existsSync(join(folder, 'DONE')) && !ended()) {
    for (const name of existsSync(folder) ? readdirSync(folder).filter((f) => /^q-\d+\.txt$/.test(f) && !done.has(f)) : []) {
      done.add(name);
      writeFileSync(join(folder, name.replace('q-', 'a-')), reply(readFileSync(join(folder, name), 'utf8')));
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return done.size;
}

/** Runs the program with `--ask` while answering its question files. */
const answered = (folder, reply, ...args) => runWhileAnswering(folder, reply, '--ask', folder, ...args);
async function runWhileAnswering(folder, reply, ...args) {
  // Its own pipes: one that outlives a killed test file would keep the runner waiting.
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const asked = await answering(folder, reply, () => child.exitCode !== null || child.signalCode !== null);
  assert.equal(await ended, 0, errors);
  return { asked, told: JSON.parse(out) };
}

/** The new memory's text in a question file. */
const newText = (text) => text.split(' MAIL ').at(-1).split('\nSubject: ').at(-1).split('\n').slice(1).join('\n').split('\n=== ')[0];
const linked = (text) => JSON.stringify({ entries: [{ op: 'new', text: newText(text), evidence: newText(text), links: [{ to: 'M1', type: 'reference' }] }] });
const repeated = JSON.stringify({ entries: [{ op: 'repeat', of: 'M1' }] });

test('a_folder_reader_answers_pairs_and_its_recording_can_be_replayed', async () => {
  const [folder, record, pairsFile] = [join(dir, 'pairs'), join(dir, 'pairs-kept.jsonl'), file('four.jsonl', four)];
  const { asked, told } = await answered(folder, linked, '--record', record, '--json', '--mode', 'accurate', pairsFile);
  assert.ok(asked >= 2);
  assert.deepEqual([told.reader, told.answered, told.refused], [{ asked, waited: asked, unanswered: 0 }, asked, {}]);

  const again = JSON.parse(run('--replay', record, '--json', '--mode', 'accurate', pairsFile).stdout);
  assert.deepEqual(again, { ...told, reader: { asked, waited: 0, unanswered: 0 } });
  const none = JSON.parse(run('--replay', file('nothing.jsonl', ''), '--json', '--mode', 'accurate', pairsFile).stdout);
  assert.deepEqual([none.reader.unanswered, none.refused, none.answered], [asked, { failed: asked }, 0]);
});

test('a_folder_reader_answers_an_inbox_and_its_recording_can_be_replayed', async () => {
  const letter = (n, subject, body) =>
    `From x@xxx Tue Mar  4 00:2${n}:13 2025\r\nMessage-ID: <m${n}@x.example>\r\nDate: Tue, 4 Mar 2025 09:2${n}:00 +0000\r\n` +
    `From: Ada <ada@x.example>\r\nTo: me@x.example\r\nSubject: ${subject}\r\n\r\n${body}\r\n\r\n`;
  const box = file(
    'two.mbox',
    letter(1, 'Heron fence', 'The Heron fence will cost $4,200.') + letter(2, 'Re: Heron fence', 'The Heron fence will cost $4,900 now.'),
  );
  const expect = file(
    'two.json',
    JSON.stringify({ asOf: '2025-03-05T00:00:00Z', me: 'me@x.example', current: [{ id: 'f1', about: 'x', anyOf: [['$4,900']] }] }),
  );
  const [folder, record] = [join(dir, 'inbox'), join(dir, 'inbox-kept.jsonl')];
  const args = ['--record', record, '--inbox', box, '--expect', expect, '--mode', 'accurate', '--json'];
  const { asked, told } = await answered(folder, (text) => (text.includes('"memories"') ? 'nothing of use' : repeated), ...args);
  assert.ok(asked >= 2);
  assert.deepEqual([told.mails, told.answers.reader.unanswered, told.failed], [2, 0, 0]);
  assert.ok(told.answers.calls >= asked && told.answers.promptTokensPerMail > 100);

  const again = JSON.parse(run('--replay', record, '--inbox', box, '--expect', expect, '--mode', 'accurate', '--json').stdout);
  assert.deepEqual(again.answers.reader, { ...told.answers.reader, waited: 0 });
  assert.deepEqual([again.factsFound, again.memories, again.missed], [told.factsFound, told.memories, told.missed]);
});

test('inbox_questions_are_asked_and_right_answers_cite_the_stored_fact', async () => {
  const box = file(
    'fence.mbox',
    'From x@xxx Tue Mar  4 00:21:13 2025\r\nMessage-ID: <m1@x.example>\r\nDate: Tue, 4 Mar 2025 09:21:00 +0000\r\n' +
      'From: Ada <ada@x.example>\r\nTo: me@x.example\r\nSubject: Heron fence\r\n\r\nThe Heron fence will cost $4,200.\r\nAda paints the barn on Friday.\r\n\r\n',
  );
  const says = (fact, value) => ({ fact, is: 'new', value, quote: value, category: 'task' });
  const ledger = file(
    'fence.jsonl',
    JSON.stringify({
      message: '<m1@x.example>',
      lang: 'en',
      says: [says('f1', 'The Heron fence will cost $4,200.'), says('f2', 'Ada paints the barn on Friday.')],
    }),
  );
  const expect = file(
    'fence.json',
    JSON.stringify({
      asOf: '2025-03-05T00:00:00Z',
      me: 'me@x.example',
      current: [
        { id: 'f1', about: 'x', anyOf: [['$4,200']] },
        { id: 'f2', about: 'y', anyOf: [['barn']] },
        { id: 'f3', about: 'z', anyOf: [['orchard']] },
      ],
      queries: [
        { q: 'What does the Heron fence cost?', expect: ['f1'], k: 3 },
        { q: 'Who paints the barn?', expect: ['f2'], k: 3 },
        { q: 'What of the orchard?', expect: ['f3'], k: 3 },
      ],
    }),
  );
  const folder = join(dir, 'answers');
  // The reply cites the first memory, except for the orchard question, which it leaves unanswered.
  const asks = (text, words) => text.split('\n## QUESTION\n')[1].includes(words);
  const reply = (text) => JSON.stringify(asks(text, 'orchard?') ? { memories: [] } : { memories: ['M1'] });
  const { asked, told } = await runWhileAnswering(
    folder,
    reply,
    '--oracle',
    '--answers',
    folder,
    '--inbox',
    box,
    '--expect',
    expect,
    '--ledger',
    ledger,
    '--json',
  );
  assert.equal(asked, 3);
  assert.deepEqual(told.asked, { stored: 2, right: 2, unstored: 1, silent: 1 });
  assert.equal(told.answers.calls, 1);
  const { status, stderr } = run('--answers', folder, '--inbox', box, '--expect', expect);
  assert.equal(status, 2);
  assert.match(stderr, /--answers is for an inbox that --oracle, --ask or --replay reads/);
});
