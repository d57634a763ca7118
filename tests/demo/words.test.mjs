// The words of the page: every code that the engine may hand it has words of its own in both languages, and none of them is
// a figure of merit that nobody asked for.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = (path) => readFileSync(`${root}/${path}`, 'utf8');
const folder = 'www/shared/i18n';
/** Keys and their words, as they stand in a source. */
const wordsOf = (path) =>
  [...text(path).matchAll(/^ {2}'([\w.]+)': \[\s*(['"])((?:\\.|(?!\2).)*)\2,\s*(['"])((?:\\.|(?!\4).)*)\4,?\s*\]/gms)].map(([, key, , en, , ko]) => [
    key,
    [en, ko],
  ]);
const shared = readdirSync(`${root}/${folder}`)
  .filter((name) => !['index.ts', 'features.ts'].includes(name))
  .flatMap((name) => wordsOf(`${folder}/${name}`));
const panel = wordsOf('www/extension/src/pages/words.ts');
const words = new Map(shared);
const types = text('pkg/types.d.ts');
const union = (name) => [...new RegExp(`export type ${name} = (.*);`).exec(types)[1].matchAll(/"([\w]+)"/g)].map((m) => m[1]);

test('every code of the engine has words', () => {
  const reasons = [...new Set([...types.matchAll(/\{ kind: "(\w+)"/g)].map((m) => m[1]))].filter((kind) => kind !== 'feature');
  assert.ok(reasons.length > 20, `${reasons.length} reasons were found`);
  const wanted = [
    ...reasons.map((kind) => `reason.${kind}`),
    ...['Action', 'Decision', 'Status', 'Analyst', 'Category', 'Relation', 'Relationship', 'Conflict', 'Source'].flatMap((name) =>
      union(name).map((code) => `${name.toLowerCase()}.${code}`),
    ),
    ...union('SkipReason').map((code) => `skipped.${code}`),
  ];
  assert.deepEqual(
    wanted.filter((key) => !words.has(key)),
    [],
  );
});

test('a reason and a question name no figure of merit', () => {
  const merits = /\b(score|confidence|stub|weight)\b|점수|확신도|신뢰도|가중치/i;
  for (const [key, both] of words) {
    if (/^(reason|review|matter|line|calendar|memories|sum|toast|guide|decision)\./.test(key)) for (const one of both) assert.doesNotMatch(one, merits, key);
  }
});

test('what is filled in stands in no other braces', () => {
  for (const [key, both] of words) for (const one of both) assert.doesNotMatch(one, /\{[^}]*\{/, key);
});

test('Korean words leave no particle open but where one is chosen by sound', () => {
  for (const [key, [, ko]] of words) assert.doesNotMatch(ko, /이\(가\)|을\(를\)|은\(는\)|\(이\)|\(으\)로|와\(과\)/, key);
});

/** A help text: a sentence, or what stands below a heading or a field. Everything else is a label. */
const isHelp = (key, en) => /\.(detail|lead|help|text|sure|none|empty)(\.|$)/.test(key) || /[.?!:…]\W*$/.test(en);
/** Words of a message, with one form of each number and one word for each value. */
const length = (message) =>
  message
    .replace(/\{\w+:([^|}]*)\|[^}]*\}/g, '$1')
    .replace(/\{\w+\}/g, 'x')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

test('a label has at most 12 words and a help text 25, in both languages', () => {
  const all = [...shared, ...panel];
  const kinds = { label: all.filter(([key, [en]]) => !isHelp(key, en)), help: all.filter(([key, [en]]) => isHelp(key, en)) };
  assert.ok(kinds.label.length > 400 && kinds.help.length > 250, `${kinds.label.length} labels, ${kinds.help.length} help texts`);
  const long = (list, most) => list.flatMap(([key, both]) => both.flatMap((one) => (length(one) > most ? [`${key}: ${length(one)} words: ${one}`] : [])));
  assert.deepEqual([...long(kinds.label, 12), ...long(kinds.help, 25)], []);
});

test('every key of a catalogue is found by these tests', () => {
  for (const path of [
    ...readdirSync(`${root}/${folder}`)
      .filter((name) => !['index.ts', 'features.ts'].includes(name))
      .map((name) => `${folder}/${name}`),
    'www/extension/src/pages/words.ts',
  ]) {
    const keys = [...text(path).matchAll(/^ {2,4}'([\w.]+)': \[/gm)].map((m) => m[1]);
    const found = new Set(wordsOf(path).map(([key]) => key));
    // Other words for messages of the shared catalogue stand deeper in the extension's.
    assert.deepEqual(
      keys.filter((key) => !found.has(key) && !words.has(key)),
      [],
      path,
    );
  }
});

test('Korean says 님 of nobody whose kind is unknown', () => {
  for (const [key, [, ko]] of [...shared, ...panel]) assert.doesNotMatch(ko, /\} ?님/, key);
});

test('no help text speaks of whoever, nobody or somebody', () => {
  for (const [key, [en]] of [...shared, ...panel]) assert.doesNotMatch(en, /\b(whoever|nobody|somebody)\b/i, key);
});
