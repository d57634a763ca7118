// `make hubs`: MEMFOLD_OBJECTS Durable Objects under load for MEMFOLD_MINUTES, then MEMFOLD_WEEKS weeks of a hub and three clients.
import { mkdirSync, writeFileSync } from 'node:fs';
import { table } from '../../www/terminal/table.mjs';
import { loaded, partitioned } from './hubs.mjs';

const objects = Number(process.env.MEMFOLD_OBJECTS ?? 1_000);
const minutes = Number(process.env.MEMFOLD_MINUTES ?? 10);
const weeks = Number(process.env.MEMFOLD_WEEKS ?? 5);
const seed = Number(process.env.MEMFOLD_SEED ?? 1);

const right = (title) => ({ title, right: true });
const shown = [];
const say = (line) => process.stderr.write(`  ${line}\n`);

if (minutes > 0) {
  const { rows, wrong, used } = await loaded({ objects, minutes, seed }, say);
  const times = ({ p50, p99 }) => `${p50.toFixed(0)} / ${p99.toFixed(0)}`;
  const cells = rows.map(({ minute, add, search, cpu, memory }) => [
    String(minute),
    ((add.count + search.count) / 60).toFixed(1),
    ((add.count + search.count) / cpu).toFixed(0),
    times(add),
    times(search),
    (memory / 1e6).toFixed(0),
  ]);
  shown.push(`${used} of ${objects} objects, seed ${seed}, ${wrong} errors, 50 objects verified`);
  shown.push(table([right('minute'), right('a second'), right('a CPU second'), right('add: p50 / p99 ms'), right('search'), right('MB')], cells));
  if (wrong > 0) process.exitCode = 1;
}
if (weeks > 0) {
  const cells = [];
  for (let week = 0; week < weeks; week += 1) {
    const found = await partitioned({ seed: seed + week }, () => {});
    const refused = Object.values(found.refused).reduce((sum, n) => sum + n, 0);
    const { adds, mails, undone, deleted, restored, syncs, broken, longest, rounds, memories, links, entries } = found;
    const acts = `${adds} / ${mails} / ${undone} / ${deleted} / ${restored}`;
    cells.push([String(seed + week), acts, String(refused), `${syncs} / ${broken}`, String(longest), String(rounds), `${memories} / ${links} / ${entries}`]);
    say(`seed ${seed + week}: equal after ${rounds} rounds`);
  }
  const titles = ['adds / mails / undone / deleted / restored', 'refused', 'syncs / broken', 'hours apart', 'rounds', 'memories / links / entries'];
  shown.push('', `A week of a hub and three clients: all equal in the end`, table([right('seed'), ...titles.map(right)], cells));
}
mkdirSync(new URL('../../.cache/endurance/', import.meta.url), { recursive: true });
writeFileSync(new URL('../../.cache/endurance/hubs.txt', import.meta.url), `${shown.join('\n')}\n`);
console.log(shown.join('\n'));
