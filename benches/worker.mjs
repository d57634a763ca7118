// `make bench-worker`: the Worker in workerd over loopback HTTP, beside a request that does nothing: with one object and with
// many (MEMFOLD_OBJECTS), and with more and more memories in an object (MEMFOLD_COUNTS).
import { bundled, remove, start, tokens } from '../tests/worker/workerd.mjs';
import { table } from '../www/terminal/table.mjs';
import { consolidations, measured as requested, searches } from './requests.mjs';
import { exported } from './scale.js';

const OBJECTS = Number(process.env.MEMFOLD_OBJECTS ?? 500);
const COUNTS = (process.env.MEMFOLD_COUNTS ?? '100,1000,5000').split(',').map(Number);
const REQUESTS = 1_000;
const AT_ONCE = 8;

const owners = Array.from({ length: OBJECTS }, (_, n) => `many${n}`);
const bundle = await bundled();
const options = { bindings: { TOKENS: tokens('one', ...owners, ...COUNTS.map((n) => `of${n}`)), REQUESTS_PER_MINUTE: 10_000_000 } };
let worker = await start(bundle, options);
const say = (line) => process.stderr.write(`  ${line} …\n`);

const measured = (requests, atOnce) => requested(worker.url, requests, atOnce);
const cells = [];
async function row(name, requests, atOnce) {
  say(name);
  const [rate, p50, p99] = await measured(requests, atOnce);
  cells.push([name, String(atOnce), rate.toFixed(0), p50.toFixed(1), p99.toFixed(1)]);
}

try {
  const idle = Array.from({ length: REQUESTS }, () => ['one', 'GET', '/health']);
  await measured(idle, AT_ONCE);
  await row('nothing (/health)', idle, AT_ONCE);
  await row(
    'consolidate, 1 object, 0 to 1,000 memories',
    consolidations(REQUESTS, () => 'one'),
    AT_ONCE,
  );
  await row(
    'search, 1 object of 1,000',
    searches(REQUESTS, () => 'one'),
    AT_ONCE,
  );
  const each = (n) => owners[n % OBJECTS];
  say('a table of its own in a new object');
  const tables = Array.from({ length: 100 }, (_, n) => n);
  const started = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (tables.length > 0) await worker.reach('sql', `bare${tables.pop()}`, 'CREATE TABLE bare (a)');
    }),
  );
  cells.push(['a table in 100 new objects, without memfold', String(AT_ONCE), (100_000 / (performance.now() - started)).toFixed(0), '', '']);
  await row(`consolidate, ${OBJECTS} objects, the first in each`, consolidations(OBJECTS, each), AT_ONCE);
  await row(`consolidate, ${OBJECTS} objects, the next`, consolidations(REQUESTS, each, OBJECTS), AT_ONCE);
  await row(`search, ${OBJECTS} objects`, searches(REQUESTS, each), AT_ONCE);
  for (const count of COUNTS) {
    const owner = () => `of${count}`;
    const lines = { 'content-type': 'application/x-ndjson' };
    await row(`import of ${count} memories`, [[owner(), 'POST', '/v1/import', exported(count), lines]], 1);
    await measured([...consolidations(10, owner, 7 * count), ...searches(10, owner, count)], 1);
    await row(`consolidate beside ${count}`, consolidations(200, owner, 11 * count), 1);
    await row(`search of ${count}`, searches(200, owner, 13 * count), 1);
  }
  await worker.stop();
  for (const count of COUNTS) {
    for (const time of ['after a start', 'after the next']) {
      worker = await start(bundle, options);
      await measured(idle.slice(0, 20), 1);
      await row(
        `the first search of ${count} ${time}`,
        searches(1, () => `of${count}`),
        1,
      );
      await worker.stop();
    }
  }
} finally {
  await worker.stop().catch(() => {});
  remove(bundle);
}
const right = (title) => ({ title, right: true });
console.log(table(['', right('at once'), right('a second'), right('p50 ms'), right('p99 ms')], cells));
