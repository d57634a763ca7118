// `make eval-gate`: compares the figures of pairs and mailboxes with those before the second edition (gate.json), and fails where one
// is worse than its allowance. `before`, `least` and `most` are in percent.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { table } from '../../www/terminal/table.mjs';

const main = fileURLToPath(new URL('main.mjs', import.meta.url));

/** The figure in percent: a share, or one count of another. */
export function figure(result, [part, whole]) {
  return 100 * (whole === undefined ? result[part] : result[part] / result[whole]);
}

/** Whether a figure, as it is printed, is within its allowance. */
export function passes(value, { least = -Infinity, most = Infinity }) {
  const printed = Number(value.toFixed(1));
  return printed >= least && printed <= most;
}

function run({ runs, figures }) {
  const results = {};
  for (const [name, args] of Object.entries(runs)) {
    process.stderr.write(`${name} …\n`);
    results[name] = JSON.parse(execFileSync(process.execPath, [main, '--json', ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 }));
  }
  return figures.map((wanted) => ({ ...wanted, value: figure(results[wanted.run], wanted.of) }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lines = run(JSON.parse(readFileSync(new URL('gate.json', import.meta.url), 'utf8')));
  const right = (title) => ({ title, right: true });
  const limit = ({ least, most }) => (least === undefined ? `≤ ${most}` : `≥ ${least}`);
  const rows = lines.map((l) => [l.run, l.name, String(l.before), l.value.toFixed(1), limit(l), passes(l.value, l) ? 'ok' : 'WORSE']);
  process.stdout.write(`${table(['', 'figure', right('before'), right('now'), right('allowed'), ''], rows)}\n`);
  if (lines.some((l) => !passes(l.value, l))) process.exitCode = 1;
}
