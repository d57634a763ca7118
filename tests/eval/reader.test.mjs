import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Unusable } from './input.mjs';
import { hashOf, promptTokens, reader, settled, tokens } from './reader.mjs';

const dir = mkdtempSync(join(tmpdir(), 'memfold-reader-'));
after(() => rmSync(dir, { recursive: true }));

const NOW = Date.parse('2030-05-06T07:08:30Z');
const question = (mark, time, more = {}) => ({
  task: 'mail',
  system: 'Compare.',
  examples: [{ text: 'so', reply: '{}' }],
  schema: { type: 'object' },
  text: `Lines with "=== ${mark}" are marks.\n=== ${mark} A misc ${time}\nold of 2025-01-02T10:00\n=== ${mark} END`,
  ...more,
});

test('a_question_is_recognised_despite_a_new_marker_and_clock', () => {
  const known = (q) => hashOf(q, NOW, NOW + 90_000);
  const first = known(question('01234567', '2030-05-06T07:08'));
  assert.equal(known(question('76543210', '2030-05-06T07:09')), first);
  assert.notEqual(known(question('76543210', '2029-05-06T07:09')), first);
  assert.notEqual(known(question('01234567', '2030-05-06T07:08', { system: 'Compare well.' })), first);
  assert.notEqual(known(question('01234567', '2030-05-06T07:08', { schema: {} })), first);
  assert.notEqual(known(question('01234567', '2030-05-06T07:08', { examples: [] })), first);
});

test('only_times_of_the_run_itself_are_ignored', () => {
  assert.equal(settled('at 2030-05-06T07:08, on 2030-05-06, by 2030-05-07', NOW, NOW), 'at NOW, on TODAY, by 2030-05-07');
  assert.equal(settled('at 2030-05-06T07:12', NOW, NOW), 'at TODAYT07:12');
});

test('tokens_are_counted_like_in_the_engine', () => {
  assert.deepEqual([tokens('four'), tokens('가나다라마'), tokens('')], [1, 4, 0]);
  assert.equal(promptTokens({ system: 'eightlet', text: 'four', examples: [{ text: 'four', reply: 'eightlet' }] }), 6);
});

test('questions_and_answers_are_separate_files', async () => {
  const ask = join(dir, 'files');
  const port = await reader({ ask }, NOW);
  const asked = [port.ask(question('01234567', 't')), port.ask(question('76543210', 't')), port.ask(question('01234567', 'other'))];
  const path = (name) => join(ask, name);
  while (!existsSync(path('q-002.txt'))) await new Promise((resolve) => setTimeout(resolve, 5));
  const text = readFileSync(path('q-001.txt'), 'utf8');
  for (const part of ['## SYSTEM\nCompare.', '## EXAMPLE\nso', '## QUESTION\nLines with', '## SCHEMA OF THE REPLY\n{"type":"object"}'])
    assert.ok(text.includes(part), part);
  writeFileSync(path('a-001.txt'), '');
  writeFileSync(path('a-002.txt'), 'second');
  await asked[2];
  writeFileSync(path('a-001.txt'), 'first\n');
  assert.deepEqual(await Promise.all(asked), ['first\n', 'first\n', 'second']);
  assert.ok(!existsSync(path('q-003.txt')));
  await port.close('{}');
  assert.equal(readFileSync(path('DONE'), 'utf8'), '{}\n');
  assert.deepEqual(port.counts, { asked: 3, waited: 2, unanswered: 0 });

  // A resumed run reuses answers and numbers new questions onwards.
  const next = await reader({ ask }, NOW);
  assert.ok(!existsSync(path('DONE')));
  assert.equal(await next.ask(question('aaaaaaaa', 'other')), 'second');
  const more = next.ask(question('aaaaaaaa', 'third'));
  while (!existsSync(path('q-003.txt'))) await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync(path('a-003.txt'), 'third');
  assert.equal(await more, 'third');
});

test('only_recorded_questions_are_replayed', async () => {
  const [ask, record] = [join(dir, 'kept'), join(dir, 'kept.jsonl')];
  const port = await reader({ ask, record }, NOW);
  const asked = port.ask(question('01234567', 't'));
  while (!existsSync(join(ask, 'q-001.txt'))) await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync(join(ask, 'a-001.txt'), 'kept');
  await asked;
  await port.ask(question('01234567', 't'));
  assert.equal(readFileSync(record, 'utf8').trim().split('\n').length, 1);

  const again = await reader({ replay: record, record }, NOW);
  assert.equal(await again.ask(question('76543210', 't')), 'kept');
  await assert.rejects(again.ask(question('76543210', 'other')), /nobody/);
  assert.deepEqual(again.counts, { asked: 2, waited: 0, unanswered: 1 });
  assert.equal(readFileSync(record, 'utf8').trim().split('\n').length, 1);

  writeFileSync(join(dir, 'broken.jsonl'), '{"hash":"a"}\n');
  await assert.rejects(reader({ replay: join(dir, 'broken.jsonl') }), Unusable);
  await assert.rejects(reader({ replay: join(dir, 'none.jsonl') }), Unusable);
});

test('ten_concurrent_mails_are_ten_files_with_an_answer_each', async () => {
  const [ask, record] = [join(dir, 'ten'), join(dir, 'ten.jsonl')];
  const port = await reader({ ask, record }, NOW);
  const mail = (n, mark) =>
    question(mark, 't', { task: 'mail', source: `<m${n}@x.example>`, memories: [], candidates: [], text: `=== ${mark} MAIL\nmail ${n} ${'x'.repeat(20_000)}` });
  const numbers = Array.from({ length: 10 }, (_, n) => n);
  const asked = numbers.map((n) => port.ask(mail(n, '01234567')));
  const name = (n, kind) => join(ask, `${kind}-${String(n + 1).padStart(3, '0')}.txt`);
  while (!numbers.every((n) => existsSync(name(n, 'q')))) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const n of numbers) writeFileSync(name(n, 'a'), /mail (\d)/.exec(readFileSync(name(n, 'q'), 'utf8'))[1] + 'y'.repeat(20_000));
  assert.deepEqual(
    (await Promise.all(asked)).map((reply) => reply[0]),
    numbers.map(String),
  );
  assert.deepEqual(port.counts, { asked: 10, waited: 10, unanswered: 0 });
  const kept = readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    kept.map((k) => [k.task, k.reply[0]]).sort(),
    numbers.map((n) => ['mail', String(n)]),
  );
  const again = await reader({ replay: record }, NOW);
  for (const n of numbers) assert.equal((await again.ask(mail(n, '76543210')))[0], String(n));
});
