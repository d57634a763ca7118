// The caching embedder of `--encoder`, tested with a stub.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remembering, withEmbedder } from './encoder.mjs';

test('each_text_and_each_pair_is_evaluated_once', async () => {
  const asked = [];
  const encoder = remembering({
    model: 'm',
    dimensions: 1,
    embed: async (texts, { kind }) => (asked.push([kind, ...texts]), texts.map((text) => [text.length])),
    judge: async (pairs) => (asked.push(pairs), Float32Array.from(pairs.flatMap(([a, b]) => [a.length, b.length, 0, 1]))),
  });
  assert.deepEqual(await encoder.embed(['a', 'bb', 'a'], { kind: 'document' }), [[1], [2], [1]]);
  assert.deepEqual(await encoder.embed(['bb', 'ccc'], { kind: 'document' }), [[2], [3]]);
  assert.deepEqual(await encoder.embed(['a'], { kind: 'query' }), [[1]]);
  assert.deepEqual(await encoder.judge([['a', 'bb', true]]), [1, 2, 0, 1]);
  assert.deepEqual(
    await encoder.judge([
      ['a', 'bb', false],
      ['a', 'bb', true],
    ]),
    [1, 2, 0, 1, 1, 2, 0, 1],
  );
  assert.deepEqual(asked, [['document', 'a', 'bb'], ['document', 'ccc'], ['query', 'a'], [['a', 'bb', true]], [['a', 'bb', false]]]);
});

test('memories_and_comparisons_have_the_embedder', async () => {
  const memfold = { open: (options) => options, compare: (a, b, options) => [a, b, options], other: 1 };
  const { open, compare, other } = withEmbedder(memfold, 'e');
  assert.deepEqual(
    [open({ storage: 'memory' }), compare('a', 'b', { mode: 'fast' }), other],
    [{ storage: 'memory', embedder: 'e' }, ['a', 'b', { mode: 'fast', embedder: 'e' }], 1],
  );
});
