import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('main.mjs', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'memfold-eval-'));
after(() => rmSync(dir, { recursive: true }));

const file = (name, text) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};
const run = (...args) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });

const pair = (expected, existing, next, more = {}) => JSON.stringify({
  id: 'x', lang: 'en', hard: false, existing: { content: existing, subject: null }, new: { content: next, people: [] }, expected, ...more,
});
const good = [pair('SKIP', 'The budget is 50M KRW.', 'The budget is 50M KRW.'), pair('CREATE', '점심은 김밥이다.', 'Invoice 77 is due.', { lang: 'ko', hard: true })];

test('the_figures_of_pairs_are_one_json_object', () => {
  const { status, stdout, stderr } = run('--json', '--mode', 'fast', file('a.jsonl', good.join('\n')), file('b.jsonl', `\n${good[0]}\n\n`));
  assert.equal(status, 0, stderr);
  const figures = JSON.parse(stdout);
  assert.equal(figures.rows, 3);
  for (const key of ['accuracy', 'updateVsLink', 'updatePrecision', 'updateRecall', 'linkPrecision', 'linkRecall', 'confusion',
    'falseUpdate', 'skipPrecision', 'sureShare', 'sureAccuracy', 'askedShare', 'ece', 'microsPerPair']) {
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
  const lines = readFileSync(rows, 'utf8').trim().split('\n').map((l) => JSON.parse(l));
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
    [['--inbox', file('a.mbox', '')], /go together/],
    [['--inbox', file('a.mbox', ''), '--expect', file('bad.json', '{\n"asOf": x,\n"me": "",\n"links": []}')], /bad\.json:2: is not JSON/],
    [['--inbox', file('a.mbox', ''), '--expect', file('ref.json', '{"asOf":"2025-01-01T00:00:00Z","links":[{"from":"f1","to":"f2","types":[]}]}')], /links\[0\]\.from/],
    [['--inbox', join(dir, 'none.mbox'), '--expect', file('empty.json', '{"asOf":"2025-01-01T00:00:00Z"}')], /none\.mbox: no such file/],
  ];
  for (const [args, message] of broken) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2, `${args}: ${stderr}`);
    assert.equal(stdout, '');
    assert.match(stderr, message);
  }
});
