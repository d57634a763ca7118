// Whatever weighed in a decision has plain words on the page, in both languages. No browser.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compare } from '../../pkg/node.js';
import { imported } from '../typescript.mjs';
import { thorough } from '../tier.mjs';

const at = (path) => new URL(`../../${path}`, import.meta.url);
const text = (path) => readFileSync(at(path), 'utf8');
const { feature } = await imported('www/shared/i18n/features.ts');

/** The codes among these that lack words, or whose words are left in a code's form. */
const wordless = (codes) =>
  [...codes].filter((code) => !/^[A-Z“][^{}_]+$/.test(feature(code, 0) ?? '') || !/[가-힣]/.test(feature(code, 1) ?? '') || /[{}_]/.test(feature(code, 1)));

test('each rule that rules a decision out has words, and each feature that the engine names', () => {
  const codes = (path, pattern) => [...text(path).matchAll(pattern)].map(([, code]) => code);
  // `make rules` writes this page from the tables.
  const [pairRules] = text('docs/design/rules.md').split('## What a draft does to its candidates');
  const rules = [...pairRules.matchAll(/^\| `(\w+)` \|/gm)].map(([, id]) => id);
  assert.ok(rules.includes('denied') && rules.includes('other_instance'), rules.join());
  assert.deepEqual(wordless(rules), []);
  const named = readdirSync(at('src/analysis/features')).flatMap((name) => codes(`src/analysis/features/${name}`, /"([a-z]\w+)"/g));
  assert.ok(named.length > 100, `${named.length}`);
  assert.deepEqual(wordless(named), []);
  assert.deepEqual(wordless(['no_such_code', 'no_such_code_kept']), ['no_such_code', 'no_such_code_kept']);
});

thorough('every factor that is told of pairs of real kinds has words', async () => {
  const boxes = readdirSync(at('tests/inbox')).filter((name) => name.endsWith('.pairs.jsonl'));
  const rows = ['tests/cases/seeds.jsonl', ...boxes.map((name) => `tests/inbox/${name}`)].flatMap((path) =>
    text(path)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  const told = new Set();
  for (const { existing, new: next } of rows) {
    const { keyFactors } = await compare(existing, next);
    for (const { code } of keyFactors) told.add(code);
  }
  assert.ok(told.size > 60, `${told.size} of ${rows.length}`);
  assert.deepEqual(wordless(told), []);
});
