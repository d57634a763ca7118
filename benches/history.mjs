// `make bench-history`: the speed of six tasks as ratios to a fixed kernel of the same run, for comparison between commits.
//   --add     appends the figures to history.jsonl, with the commit and the day, and draws the plot again
//   --check   fails where a figure is 25 % above the newest line of the same processor
//   --plot    draws docs/history.svg from history.jsonl, without measuring
//   --pkg DIR measures another build; --commit ID names it
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { pairs as readPairs } from '../tests/eval/input.mjs';
import { table } from '../www/terminal/table.mjs';
import { mailbox } from './mailbox.mjs';
import { plot } from './plot.mjs';
import { exported, question, text } from './scale.js';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const HISTORY = at('benches/history.jsonl');
const LIMIT = 1.25;
const ROUNDS = 25;
const STORED = 2_000;

const { values: args } = parseArgs({
  options: {
    add: { type: 'boolean' },
    check: { type: 'boolean' },
    plot: { type: 'boolean' },
    pkg: { type: 'string', default: at('pkg') },
    commit: { type: 'string', default: 'HEAD' },
  },
});
const git = (...of) => execFileSync('git', of, { cwd: at(''), encoding: 'utf8' }).trim();
const lines = () =>
  readFileSync(HISTORY, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Work that never changes: integers, floating point, strings and a map. Its result is used, so that it is not optimised away. */
function kernel() {
  let [state, sum] = [1, 0];
  const numbers = new Float32Array(4_096);
  for (let n = 0; n < 400_000; n += 1) {
    state = Math.imul(state ^ (state >>> 15), 2_246_822_519) + 1;
    numbers[n & 4_095] += (state >>> 8) * 1e-7;
  }
  for (let pass = 0; pass < 100; pass += 1) for (let n = 0; n < 4_096; n += 1) sum += numbers[n] * numbers[(n + pass) & 4_095];
  const words = new Map();
  for (let n = 0; n < 20_000; n += 1) {
    const word = `w${(n * 7_919) % 3_001}`;
    words.set(word, (words.get(word) ?? 0) + 1);
  }
  return sum + words.size + JSON.stringify([...words]).length;
}

const median = (of) => of.toSorted((a, b) => a - b)[of.length >> 1];

/** The median of each task's processor time, which a busy machine hardly changes, over the mean of the kernel's just before and just after it. */
async function ratios(tasks) {
  const found = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]));
  let results = 0;
  const time = async (work) => {
    const start = process.cpuUsage();
    results += Number((await work()) ?? 0);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  for (let round = -4; round < ROUNDS; round += 1) {
    let before = await time(kernel);
    for (const [name, { prepare, work, calls }] of Object.entries(tasks)) {
      const given = await prepare?.();
      const took = await time(() => work(given));
      const after = await time(kernel);
      // The first rounds warm up.
      if (round >= 0) found[name].push((2 * took) / calls / (before + after));
      before = after;
    }
  }
  if (!(results > 0)) throw new Error('the kernel has no result');
  return Object.fromEntries(Object.entries(found).map(([name, of]) => [name, Number(median(of).toPrecision(4))]));
}

async function measure(pkg) {
  const { open, compare } = await import(pathToFileURL(join(resolve(pkg), 'node.js')).href);
  const dir = mkdtempSync(join(tmpdir(), 'memfold-history-'));
  const path = join(dir, 'memories.db');
  const pairs = (await readPairs(at('tests/eval/pairs/agent.jsonl'))).slice(0, 20);
  const owner = ['me@b.example'];
  const file = await open({ storage: { path }, owner });
  await file.data.import(exported(STORED));
  await file.close();
  const memories = await open({ storage: 'memory', owner });
  await memories.data.import(exported(STORED));
  const mails = mailbox(15);
  let n = 0;
  const figures = await ratios({
    pair: {
      calls: pairs.length,
      work: async () => {
        for (const { existing, next } of pairs) await compare(existing, next, { mode: 'balanced' });
      },
    },
    search: {
      calls: 10,
      work: async () => {
        for (let i = 0; i < 10; i += 1) await memories.search(question((n += 1)));
      },
    },
    decision: {
      calls: 5,
      work: async () => {
        for (let i = 0; i < 5; i += 1) await memories.add(text(STORED + (n += 1)));
      },
    },
    opening: { calls: 1, work: async () => (await open({ storage: { path }, owner })).close() },
    import: { calls: 15, prepare: () => open({ storage: 'memory', owner }), work: async (empty) => (await empty.importMail(mails)).mails },
  });
  await memories.close();
  rmSync(dir, { recursive: true });
  const wasm = readFileSync(join(pkg, 'memfold_bg.wasm'));
  return { ...figures, kilobytes: Number((gzipSync(wasm, { level: 9 }).length / 1024).toFixed(1)) };
}

const draw = () => writeFileSync(at('docs/history.svg'), plot(lines()));

if (args.plot) {
  draw();
} else {
  // Processors differ in what they are fast at, so ratios are compared only within one.
  const processor = cpus()[0].model;
  const last = lines().findLast((line) => line.processor === processor);
  let figures = await measure(args.pkg);
  const worse = () => Object.keys(figures).filter((name) => last && figures[name] > LIMIT * last.figures[name]);
  // Other work on the machine makes a figure worse, never better: only what stays worse counts.
  for (let again = 0; args.check && again < 2 && worse().length > 0; again += 1) {
    const other = await measure(args.pkg);
    figures = Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, Math.min(figure, other[name])]));
  }
  const cells = Object.entries(figures).map(([name, now]) => {
    const before = last?.figures[name];
    return [name, String(now), String(before ?? ''), before ? `${((now / before - 1) * 100).toFixed(0)} %` : ''];
  });
  const right = (title) => ({ title, right: true });
  console.log(table(['', right('now'), right(last ? `${last.commit} of ${last.date}` : 'before'), right('change')], cells));
  if (args.check && worse().length > 0) {
    console.error(`more than 25 % worse: ${worse().join(', ')}. If that is meant, add a line with \`make bench-history ARGS=--add\`.`);
    process.exitCode = 1;
  }
  if (args.add) {
    const commit = git('rev-parse', '--short=8', args.commit);
    const date = git('show', '--no-patch', '--format=%cs', args.commit);
    appendFileSync(HISTORY, `${JSON.stringify({ commit, date, processor, figures })}\n`);
    draw();
  }
}
