import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { figure, passes } from './gate.mjs';

test('a_figure_is_a_share_in_percent', () => {
  assert.equal(figure({ accuracy: 0.754 }, ['accuracy']), 75.4);
  assert.equal(figure({ factsFound: 1, facts: 4 }, ['factsFound', 'facts']), 25);
});

test('a_figure_fails_beyond_its_allowance', () => {
  assert.ok(passes(72.37, { least: 72.4 }));
  assert.ok(!passes(72.3, { least: 72.4 }));
  assert.ok(passes(42.04, { most: 42 }));
  assert.ok(!passes(42.1, { most: 42 }));
});

test('each_figure_of_the_gate_has_a_run_and_a_limit', () => {
  const { runs, figures } = JSON.parse(readFileSync(new URL('gate.json', import.meta.url), 'utf8'));
  for (const { run, least, most } of figures) assert.ok(runs[run] && (least === undefined) !== (most === undefined));
});
