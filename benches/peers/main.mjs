// `make bench-peers`: a whole search of ours (meaning, words and names over texts) beside what others take for the vectors
// alone, a whole decision beside another memory's `add`, and how ours grows, in Node and in Chromium in one run.
// MEMFOLD_COUNTS: how many memories (1000,10000,100000). MEMFOLD_WHERE: where (node,chromium). MEMFOLD_PEERS: which peers, by
// parts of their names (all in Node; in Chromium those that scan in JavaScript, and voy-search). MEMFOLD_WIDE: how many vectors of 1,536 (10000; 0 for none). MEMFOLD_ADDS: how many memories mem0
// holds (100,1000,10000; 0 leaves it out). MEMFOLD_MINUTES: the longest that a peer may build (3).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { table } from '../../www/terminal/table.mjs';
import { spread } from '../scale.js';
import { peers } from './peers.js';
import { chromium, node, site, TooLong } from './places.mjs';

const numbers = (name, usual) =>
  (process.env[name] ?? usual)
    .split(',')
    .map(Number)
    .filter((n) => n > 0);
const counts = numbers('MEMFOLD_COUNTS', '1000,10000,100000');
const wide = numbers('MEMFOLD_WIDE', '10000');
const adds = numbers('MEMFOLD_ADDS', '100,1000,10000');
const minutes = Number(process.env.MEMFOLD_MINUTES ?? 3);
const wanted = (list, name) => list === undefined || list.split(',').some((part) => name.toLowerCase().includes(part));
const usual = { Node: undefined, Chromium: 'plain,orama,voy,client-vector' };

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const started = performance.now();
const say = (words) => process.stderr.write(`  ${((performance.now() - started) / 60_000).toFixed(1)} min: ${words}\n`);
const because = (error) =>
  String(error.message)
    .split('\n')[0]
    .replace(/^page\.evaluate: /, '')
    .replace(/ imported from .*/, '');
const grouped = (n) => n.toLocaleString('en-US');
const ms = (x) => (x === undefined ? '' : x < 10 ? x.toFixed(2) : x < 100 ? x.toFixed(1) : grouped(Math.round(x)));
const right = (title) => ({ title, right: true });
const show = (title, heads, rows) => console.log(`${title}\n\n${table(heads, rows)}\n`);

const scan = at('node_modules/scan.wasm');
execFileSync(at('../../node_modules/.bin/wasm-as'), ['--enable-simd', at('scan.wat'), '-o', scan]);

const HEADS = ['', right('build ms'), right('p50 ms'), right('p99 ms'), right('calls'), right('recall@10'), 'p50 to ours'];

/** A row of times, beside `own`, ours. */
function row(who, times, { build, recall = '', own } = {}) {
  const { p50, p99, calls } = spread(times);
  return [who, ms(build), ms(p50), ms(p99), String(calls), recall, own === undefined ? '' : `${ms(p50 / own)} ×`];
}

/** What the largest that peers have built took them, so that none is started that cannot come to an end. */
const took = new Map();
const size = ({ count, width }) => `${grouped(count)}${width === 384 ? '' : ` × ${grouped(width)}`}`;

/** The peers in one kind of place, each as what its row is by the p50 of ours. */
async function beside(where, start, count, width) {
  const rows = [];
  const without = (name, why) => rows.push(() => [name, '', '', '', '', '', why]);
  for (const name of Object.keys(peers).filter((name) => wanted(process.env.MEMFOLD_PEERS ?? usual[where], name))) {
    const key = `${where} ${name}`;
    const before = took.get(key);
    if (before !== undefined && before.millis * count * width > minutes * 60_000 * before.count * before.width) {
      without(name, `left out: building took ${before.over ? '> ' : ''}${(before.millis / 1_000).toFixed(0)} s for ${size(before)}`);
      continue;
    }
    say(`${where}, ${grouped(count)} × ${width}: ${name}`);
    const place = await start();
    try {
      const millis = await place.run('build', { name, count, width }, minutes);
      took.set(key, { count, width, millis });
      const { times, recall } = await place.run('ask', {}, minutes);
      rows.push((own) => row(`${name}, vectors alone`, times, { build: millis, recall: recall.toFixed(2), own }));
    } catch (error) {
      if (error instanceof TooLong) took.set(key, { count, width, millis: minutes * 60_000, over: true });
      without(name, error instanceof TooLong ? `left out: building took > ${minutes} min` : `does not run: ${because(error)}`);
    } finally {
      await place.stop();
    }
  }
  return rows;
}

/** Ours and the others' at each number of memories; then how ours grows. */
async function compared(where, title, start, bytesOf) {
  const grown = new Map();
  const note = (what, cost, cell = ms(cost)) => grown.set(what, [...(grown.get(what) ?? []), { cost, cell }]);
  const spreads = (what, times) => (({ p50, p99 }) => note(what, p50, `${ms(p50)} / ${ms(p99)}`))(spread(times));
  const rate = (what, count, millis) => note(what, millis / count, grouped(Math.round((count * 1_000) / millis)));
  for (const count of counts) {
    const own = await start();
    const fill = (durability) => {
      say(`${where}, ${grouped(count)}: memfold, import (${durability})`);
      return own.run('fill', { count, name: `bench-${count}-${durability}`, durability });
    };
    if (where === 'Chromium') rate('import, strict, memories/s', count, (await fill('strict')).millis);
    const { millis: build, grown: bytes } = await fill('relaxed');
    rate(where === 'Chromium' ? 'import, relaxed, memories/s' : 'import, memories/s', count, build);
    const times = await own.run('search');
    const brief = await own.run('brief');
    const bare = await own.run('bare', { count, width: 384, scan: bytesOf(scan) });
    const reads = where === 'Chromium' ? await own.run('reads') : undefined;
    const rows = await beside(where, start, count, 384);
    // Once more after the others, so that a machine that has become slower or faster shows.
    times.push(...(await own.run('search')));
    const { p50 } = spread(times);
    show(`${title}: ${grouped(count)} memories, vectors of 384 (load ${loadavg()[0].toFixed(1)})`, HEADS, [
      row('memfold, a whole search by a text of a dozen words', times, { build }),
      row('memfold, by three words', brief, { own: p50 }),
      row('the bare scan of the same bytes', bare, { own: p50 }),
      ...(reads ? [row('reading ten records of 2 KB from IndexedDB', reads, { own: p50 })] : []),
      ...rows.map((of) => of(p50)),
    ]);
    spreads('search, ms', times);
    spreads('search by three words, ms', brief);
    spreads('decide and commit, ms', await own.run('decide'));
    if (where === 'Chromium') {
      spreads('its bare transactions, ms', await own.run('writes'));
      await own.run('close');
      await own.renew();
      const { compiled, start: engine, opened, first, grown: bytes } = await own.run('reopen', { name: `bench-${count}-relaxed` });
      note('a new page: fetches and compiles, ms', compiled);
      note('… starts the engine, ms', engine);
      note('… opens the store, ms', opened);
      note('… has its first hits, ms', first);
      note('… has taken, bytes a memory', bytes / count);
    } else {
      note('the instance grew, with store and import, bytes a memory', bytes / count);
    }
    await own.stop();
  }
  const heads = ['p50 / p99', ...counts.map((count) => right(`${grouped(count)} memories`)), right('last to first')];
  const lines = [...grown].map(([what, cells]) => [what, ...cells.map(({ cell }) => cell), `${ms(cells.at(-1).cost / cells[0].cost)} ×`]);
  show(`${title}: how memfold grows`, heads, lines);
  for (const count of wide) {
    say(`${where}, ${grouped(count)} × 1536: memfold`);
    const own = await start();
    const { millis, times, recall } = await own.run('meant', { count, width: 1_536 });
    await own.stop();
    const mine = row("memfold, vectors of an application's embedder", times, { build: millis, recall: recall.toFixed(2) });
    const others = await beside(where, start, count, 1_536);
    show(`${title}: ${grouped(count)} vectors of 1,536`, HEADS, [mine, ...others.map((of) => of(spread(times).p50))]);
  }
}

/** A whole decision beside another memory's. */
async function decisions() {
  const rows = [];
  for (const count of adds) {
    say(`${grouped(count)}: a decision, and mem0's add`);
    const own = node();
    await own.run('fill', { count });
    const times = await own.run('decide');
    await own.stop();
    const { p50 } = spread(times);
    const name = (what) => `${grouped(count)} memories: ${what}`;
    rows.push(row(name('memfold, decide and commit'), times));
    const place = node();
    try {
      rows.push(row(name('mem0ai, add, with an instant endpoint'), await place.run('mem0', { count }, 2 * minutes), { own: p50 }));
    } catch (error) {
      rows.push([name('mem0ai'), '', '', '', '', '', error instanceof TooLong ? `left out: > ${2 * minutes} min` : `does not run: ${because(error)}`]);
    } finally {
      await place.stop();
    }
  }
  if (rows.length > 0) show('A whole decision, in Node', HEADS, rows);
}

const places = process.env.MEMFOLD_WHERE;
if (wanted(places, 'node')) {
  await compared(
    'Node',
    `Node ${process.versions.node}`,
    async () => node(),
    (path) => [...readFileSync(path)],
  );
  await decisions();
}
if (wanted(places, 'chromium')) {
  const served = await site();
  try {
    const first = await chromium(served.url);
    const { version } = first;
    await first.stop();
    await compared(
      'Chromium',
      `Chromium ${version}, IndexedDB on the disk`,
      () => chromium(served.url),
      () => '/benches/peers/node_modules/scan.wasm',
    );
  } finally {
    await served.close();
  }
}

const packed = (...paths) => `${grouped(Math.round(paths.reduce((sum, path) => sum + gzipSync(readFileSync(at(path)), { level: 9 }).length, 0) / 1024))} KB`;
console.log(
  `gzipped: memfold's wasm ${packed('../../pkg/memfold_bg.wasm')}; voy-search's ${packed('node_modules/voy-search/voy_search_bg.wasm')}, edgevec's ${packed('node_modules/edgevec/edgevec_bg.wasm')}, pglite's with its data and pgvector ${packed(...['pglite/dist/pglite.wasm', 'pglite/dist/pglite.data', 'pglite-pgvector/dist/vector.tar.gz'].map((f) => `node_modules/@electric-sql/${f}`))}`,
);
say('done');
process.exit(0);
