// `make endurance`: five years of mail in Node, Chromium and workerd (MEMFOLD_MAILS, MEMFOLD_HOSTS, MEMFOLD_SEED), or
// as much of it as MEMFOLD_MINUTES allow for each. The figures are printed and written to `.cache/endurance/`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { table } from '../../www/terminal/table.mjs';
import { measured } from './campaign.mjs';
import { HOSTS } from './hosts.mjs';
import { FULL } from './mailbox.mjs';

const mails = Number(process.env.MEMFOLD_MAILS ?? FULL);
const seed = Number(process.env.MEMFOLD_SEED ?? 1);
const minutes = Number(process.env.MEMFOLD_MINUTES ?? Infinity);
const names = (process.env.MEMFOLD_HOSTS ?? Object.keys(HOSTS).join()).split(',');
const folder = new URL('../../.cache/endurance/', import.meta.url);
mkdirSync(folder, { recursive: true });

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;
const both = ({ cpu, seconds }) => `${percent(cpu)} / ${percent(seconds)}`;
const rows = [
  ['mails', (f) => `${f.mails} (${f.failed} failed)`],
  ['mails a second / a CPU second', (f) => `${(f.mails / f.seconds).toFixed(1)} / ${(f.mails / f.cpu).toFixed(1)}`],
  ['the last tenth against the first: CPU / wall', (f) => both(f.endToStart)],
  ['the last part against it in an empty store', (f) => both(f.fullToEmpty)],
  ['private memory at its peak', (f) => megabytes(f.peak)],
  ['store / a mail', (f) => `${megabytes(f.bytes)} / ${(f.bytes / f.mails / 1_000).toFixed(2)} KB`],
  ['opening / the first search', (f) => `${f.openMillis.toFixed(0)} / ${f.firstSearchMillis.toFixed(0)} ms`],
  ['a search, median: full / small store', (f) => `${f.searchMillis.toFixed(1)} / ${f.smallSearchMillis.toFixed(1)} ms`],
  ['hits@3: full / small store', (f) => `${f.hits} / ${f.smallHits} of ${f.questions} (${percent(f.hits / f.smallHits)})`],
  ['created / updated / linked / skipped', (f) => [f.created, f.updated, f.linked, f.skipped].join(' / ')],
  ['problems of the store', (f) => String(f.problems)],
];

const found = {};
for (const name of names) {
  const load = loadavg()[0];
  const figures = await measured(HOSTS[name], { mails, seed, minutes }, (line) => process.stderr.write(`  ${name}: ${line}\n`));
  found[name] = { ...figures, load: [load, loadavg()[0]] };
  writeFileSync(new URL(`${name}-${figures.mails}-${seed}.json`, folder), JSON.stringify(found[name], undefined, 1));
  console.log(`${name} (${figures.version}), ${figures.mails} mails, seed ${seed}, load ${load.toFixed(1)} to ${loadavg()[0].toFixed(1)}`);
  console.log(
    table(
      ['', { title: name, right: true }],
      rows.map(([title, show]) => [title, show(figures)]),
    ),
  );
  if (figures.problems > 0 || figures.failed > 0) process.exitCode = 1;
}
