// `make kills`: MEMFOLD_KILLS of each host (MEMFOLD_VICTIMS), MEMFOLD_FULL full disks, and six writers with MEMFOLD_WRITES each.
import { mkdirSync, writeFileSync } from 'node:fs';
import { table } from '../../www/terminal/table.mjs';
import { filled, filledChromium, killed, shared } from './kills.mjs';
import { VICTIMS } from './victims.mjs';

const kills = Number(process.env.MEMFOLD_KILLS ?? 300);
const full = Number(process.env.MEMFOLD_FULL ?? 20);
const writes = Number(process.env.MEMFOLD_WRITES ?? 1_000);
const victims = (process.env.MEMFOLD_VICTIMS ?? Object.keys(VICTIMS).join()).split(',');
/** Megabytes of the disk that is filled; Chromium needs room for its own profile. */
const DISKS = { node: 16, workerd: 24 };
const CHROMIUM_DISK = 200;

const rows = [];
const say = (name) => (line) => process.stderr.write(`  ${name}: ${line}\n`);
const seconds = async (work) => {
  const start = performance.now();
  const figures = await work();
  return figures && { ...figures, seconds: Math.round((performance.now() - start) / 1_000) };
};
const row = (title, figures, more) => rows.push([title, String(figures.written), more, `${figures.lost} / ${figures.doubled}`, String(figures.seconds)]);

if (kills > 0)
  for (const name of victims) {
    const figures = await seconds(() => killed(name, kills, say(name)));
    row(`${kills} kills: ${name}`, figures, `${figures.unanswered} cut off`);
  }
if (full > 0)
  for (const name of victims.filter((name) => name in DISKS)) {
    const figures = await seconds(() => filled(name, full, DISKS[name], say(name)));
    if (figures) row(`${full} full disks: ${name}`, figures, figures.refused);
    else rows.push([`full disks: ${name}`, '', 'left out: only root may mount a disk', '', '']);
  }
if (full > 0 && victims.includes('browser')) {
  const rounds = Math.ceil(full / 4);
  const figures = await seconds(() => filledChromium(CHROMIUM_DISK, rounds, say('browser')));
  if (figures) row(`${rounds} full disks: Chromium`, figures, `a bare database lost ${figures.bare}`);
}
if (writes > 0) {
  const figures = await seconds(() => shared(writes));
  row(`6 writers with ${writes} each`, figures, `slowest ${(100 * figures.slowest).toFixed(0)} %: ${figures.first.join(', ')}`);
}
const right = (title) => ({ title, right: true });
const shown = table(['', right('acknowledged'), '', right('lost / doubled'), right('seconds')], rows);
mkdirSync(new URL('../../.cache/endurance/', import.meta.url), { recursive: true });
writeFileSync(new URL('../../.cache/endurance/kills.txt', import.meta.url), `${shown}\n`);
console.log(shown);
