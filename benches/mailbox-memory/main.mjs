// `make bench-mailbox`: memfold and other memory systems on the test split, with the same reader behind all of them; prints the table.
// --systems LIST: some of them, by name (all).
// Results and scores: .cache/mailbox-memory/results/.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { memfold } from './memfold.mjs';
import { mailboxes, scoreSystem, table } from './score.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const cache = at('../../.cache/mailbox-memory/');
const manifest = at('manifest.json');
const SPLIT = 'test';

/** A result of a system in Python. mem0 1 lies beside mem0 2, in a folder of its own. */
function peer(name) {
  const out = `${cache}results/${name}.json`;
  const path = name === 'mem0-1' ? { PYTHONPATH: `${cache}mem0-1` } : {};
  const { status } = spawnSync(`${cache}bin/python`, [at('peers.py'), name, manifest, SPLIT, out], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...path, OMP_NUM_THREADS: '1' },
  });
  if (status !== 0) throw new Error(`${name} ended with status ${status}`);
  return [JSON.parse(readFileSync(out, 'utf8'))];
}

const own = (options) => () => memfold(mailboxes(manifest, SPLIT), options);

const SYSTEMS = {
  'memfold-rules': own({ system: 'memfold, no model' }),
  memfold: own({ system: 'memfold', reader: true }),
  'memfold-encoder': own({ system: 'memfold with its encoder', reader: true, encoder: true }),
  'mem0-1': () => peer('mem0-1'),
  mem0: () => peer('mem0'),
  langmem: () => peer('langmem'),
};

/** Names in `checks` (tests/eval/inbox.mjs), names in a score, and the whole that both are a share of. */
const COMPARED = [
  ['factsFound', 'factsFound', 'facts'],
  ['historiesRight', 'historiesRight', 'histories'],
  ['staleLeft', 'outdatedLeft', 'outdated'],
  ['staleUnmarked', 'outdatedUnmarked', 'outdated'],
  ['linksRight', 'linksRight', 'links'],
  ['hits', 'atLimit', 'questions'],
  ['spurious', 'spurious', 'memories'],
];

/** The largest difference in points between this scorer and the one of `make eval`, over the same memories. */
function difference(result, { all }) {
  const checks = Object.values(result.mailboxes).map((m) => m.checks);
  const points = ([theirs, ours, whole]) => (100 * Math.abs(checks.reduce((sum, c) => sum + c[theirs], 0) - all[ours])) / all[whole];
  return Math.max(...COMPARED.map(points));
}

const { values } = parseArgs({ options: { systems: { type: 'string', default: Object.keys(SYSTEMS).join(',') } } });
mkdirSync(`${cache}results`, { recursive: true });
const scored = [];
const differences = [];
for (const name of values.systems.split(',')) {
  const started = performance.now();
  for (const [n, result] of (await SYSTEMS[name]()).entries()) {
    writeFileSync(`${cache}results/${name}${n === 0 ? '' : '-after'}.json`, JSON.stringify(result));
    const score = scoreSystem(result, manifest, SPLIT);
    scored.push(score);
    if (name.startsWith('memfold')) differences.push(difference(result, score));
  }
  process.stderr.write(`${name}: ${((performance.now() - started) / 1_000).toFixed(0)} s\n`);
}
writeFileSync(`${cache}results/scores.json`, JSON.stringify(scored, null, 1));
process.stdout.write(`${table(scored)}\n`);
if (differences.length > 0) {
  const largest = Math.max(...differences);
  process.stdout.write(`\nOver memfold's memories the scorer of make eval differs by at most ${largest.toFixed(2)} points.\n`);
  if (largest > 1) process.exitCode = 1;
}
