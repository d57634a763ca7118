// What was said, as the page and the terminal read it: stretches in the units of a page, places that a search marks, what became
// of each statement from one version to the next. No browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryText, wordsOf } from '../../www/terminal/inbox.mjs';
import { imported } from '../typescript.mjs';

const page = await imported('www/shared/statements.ts');
const { headlineOf, saidIn } = await imported('www/shared/headline.ts');

const FIRST = { text: '🚀 Starts 15 Jan, budget 50M', struck: [[16, 28]], author: 'kim@a.example', at: '2026-01-05T00:00:00Z' };
const memory = { content: 'budget is 60M now · 🚀 Starts 15 Jan', statements: [{ text: 'budget is 60M now.' }, FIRST] };

test('what is struck is cut out in the units of a page, and no word is lost', () => {
  const parts = page.stretches({
    text: '🚀 예산은 50M, 1월 시작, 끝',
    struck: [
      [3, 10],
      [17, 18],
    ],
  });
  assert.deepEqual(
    parts.map((p) => [p.text, p.struck]),
    [
      ['🚀 ', false],
      ['예산은 50M', true],
      [', 1월 시작', false],
      [',', true],
      [' 끝', false],
    ],
  );
  assert.equal(parts.map((p) => p.text).join(''), '🚀 예산은 50M, 1월 시작, 끝');
  assert.deepEqual(
    page.stretches({ text: 'all gone', struck: [[0, 8]] }).map((p) => p.struck),
    [true],
  );
  assert.deepEqual(
    page.stretches({ text: 'all holds' }).map((p) => p.struck),
    [false],
  );
});

test('a memory of an earlier format is one statement', () => {
  for (const statements of [undefined, []]) {
    const old = { content: 'The key lies with Dana.', statements, sourceId: '<1@a>', statedAt: '2025-01-01T00:00:00Z' };
    assert.deepEqual(page.statementsOf(old), [{ text: 'The key lies with Dana.', source: '<1@a>', at: '2025-01-01T00:00:00Z' }]);
    assert.equal(page.isPlain(old), true);
    assert.equal(page.isReworded(old), false);
  }
  assert.deepEqual(page.statementsOf({ content: '' }), []);
});

test('a memory that a model worded is told from one that reads as it was said', () => {
  assert.equal(page.isReworded(memory), false);
  assert.equal(page.isPlain(memory), false);
  assert.equal(page.isReworded({ ...memory, content: 'Since 15 Jan the budget is 60M' }), true);
});

test('what a search marks in the content is marked in what was said, and never in what is struck', () => {
  const at = (word) => [{ start: memory.content.indexOf(word), end: memory.content.indexOf(word) + word.length }];
  const marked = (places) => page.placesIn(memory, places).map((list, i) => list.map(({ start, end }) => memory.statements[i].text.slice(start, end)));
  assert.deepEqual(marked(at('budget')), [['budget'], []]);
  assert.deepEqual(marked(at('Starts 15')), [[], ['Starts 15']]);
  // Across the mark between the two.
  assert.deepEqual(marked(at('now · 🚀 Starts')), [['now'], ['🚀 Starts']]);
  assert.deepEqual(page.placesIn({ ...memory, content: 'another wording' }, at('budget')), [[], []]);
});

test('from one version to the next a statement is new, stays or goes, and what is struck now is told from before', () => {
  const before = { content: 'x', statements: [{ ...FIRST, struck: [] }, { text: 'The room is free.' }] };
  const found = page.revised(before, memory);
  assert.deepEqual(
    found.map((r) => [r.fate, r.statement.text]),
    [
      ['new', 'budget is 60M now.'],
      ['kept', FIRST.text],
      ['gone', 'The room is free.'],
    ],
  );
  assert.deepEqual(
    found[1].parts.filter((p) => p.now).map((p) => p.text),
    [', budget 50M'],
  );
  const later = {
    content: 'x',
    statements: [
      { text: 'It starts on 20 Jan.' },
      {
        ...FIRST,
        struck: [
          [3, 16],
          [16, 28],
        ],
      },
    ],
  };
  const again = page.revised(memory, later);
  assert.deepEqual(
    again[1].parts.filter((p) => p.struck).map((p) => [p.text, p.now]),
    [
      ['Starts 15 Jan', true],
      [', budget 50M', false],
    ],
  );
  // Every text that is shown was said, whole.
  const said = new Set([...before.statements, ...memory.statements, ...later.statements].map((s) => s.text));
  for (const { parts } of [...found, ...again]) assert.ok(said.has(parts.map((p) => p.text).join('')));
});

test('a terminal that can strike shows what no longer holds, and another leaves it out', () => {
  const strike = (text) => `~${text}~`;
  assert.deepEqual(memoryText(memory, 200, { strike }), ['budget is 60M now. · 🚀 Starts 15 Jan~,~ ~budget~ ~50M~']);
  assert.deepEqual(memoryText(memory, 200, {}), [memory.content]);
  // Lines break between words, and what is struck goes on behind the break; a colour takes no room.
  const lines = memoryText(memory, 18, { strike: (text) => `\u001b[9m${text}\u001b[0m` });
  assert.deepEqual(
    lines.map((line) => line.replace(/\u001b\[\d+m/g, '')),
    ['budget is 60M now.', '· 🚀 Starts 15', 'Jan, budget 50M'],
  );
  assert.deepEqual(
    wordsOf({ ...memory, content: 'A model said it' })
      .flat()
      .map((w) => w.text),
    ['A', 'model', 'said', 'it'],
  );
  assert.deepEqual(
    wordsOf({ content: 'as before' })
      .flat()
      .map((w) => w.struck),
    [false, false],
  );
});

test('a headline names the author of its statements nowhere, and another speaker', () => {
  const of = (content, texts, author = 'office@school.example') => ({
    id: '1',
    content,
    subject: 'Trip',
    statements: texts.map((text, i) => ({ text, author: i === 0 ? author : 'other@school.example' })),
  });
  // Without a display name an author is an address.
  const [name, other] = ['office@school.example', 'other@school.example'];
  const memory = of(`${name}: It is postponed · Trip (${name}): Please pay £12 · ${other}: Bring lunch`, [`${name}: It is postponed.`]);
  const { text, parts } = headlineOf(memory);
  assert.equal(text, `It is postponed · Please pay £12 · ${other}: Bring lunch`);
  for (const part of parts) assert.equal(memory.content.slice(part.from, part.from + part.text.length), part.text);
  assert.equal(saidIn({ text: `${name}: It is postponed.`, author: name }), 'It is postponed.');
  assert.equal(saidIn({ text: `Trip (${name}): Please pay.`, author: name }), 'Please pay.');
  assert.equal(saidIn({ text: `${other}: Bring lunch.`, author: name }), `${other}: Bring lunch.`);
  assert.equal(saidIn({ text: 'Note: bring lunch.', author: undefined }), 'Note: bring lunch.');
});
