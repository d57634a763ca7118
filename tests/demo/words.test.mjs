// The words of the page: every code that the engine may hand it has words of its own in both languages, and none of them is
// a figure of merit that nobody asked for.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = (path) => readFileSync(`${root}/${path}`, 'utf8');
const folder = 'www/shared/i18n';
/** Keys and their words, as they stand in the source. */
const words = new Map(
  readdirSync(`${root}/${folder}`)
    .filter((name) => !['index.ts', 'features.ts'].includes(name))
    .flatMap((name) => [...text(`${folder}/${name}`).matchAll(/^ {2}'([\w.]+)': \[\s*(['"])(.*?)\2,\s*(['"])(.*?)\4,?\s*\]/gms)])
    .map(([, key, , en, , ko]) => [key, [en, ko]]),
);
const types = text('pkg/types.d.ts');
const union = (name) => [...new RegExp(`export type ${name} = (.*);`).exec(types)[1].matchAll(/"([\w]+)"/g)].map((m) => m[1]);

test('every code of the engine has words', () => {
  const reasons = [...new Set([...types.matchAll(/\{ kind: "(\w+)"/g)].map((m) => m[1]))].filter((kind) => kind !== 'feature');
  assert.ok(reasons.length > 20, `${reasons.length} reasons were found`);
  const wanted = [
    ...reasons.map((kind) => `reason.${kind}`),
    ...['Action', 'Decision', 'Status', 'Analyst', 'Category', 'Relation', 'Relationship', 'Conflict', 'Source'].flatMap((name) => union(name).map((code) => `${name.toLowerCase()}.${code}`)),
    ...union('SkipReason').map((code) => `skipped.${code}`),
  ];
  assert.deepEqual(wanted.filter((key) => !words.has(key)), []);
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
