// `make eval`: how well memories are told apart, and how well an inbox is remembered, on data given by the user.
import { writeFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { assess, snapshot, zoneOf } from './inbox.mjs';
import { expectations, mailbox, pairs, Unusable } from './input.mjs';
import { without } from './mbox.mjs';
import { report } from './pairs.mjs';
import { inboxTable, pairsTable } from './show.mjs';

const USAGE = `Usage: make -s eval ARGS="[options] FILE…"

FILE…            labelled pairs as JSON Lines (tests/eval/pairs/*.jsonl where none is named)
--inbox FILE     an mbox instead of pairs, and
--expect FILE    what is expected to be remembered of it
--mode MODE      fast, balanced (default) or accurate
--json           one JSON object instead of a table
--rows FILE      writes the outcome and reason of each pair as JSON Lines
--help           this text

Figures of pairs are those of the most probable answer (\`outcome\`), with two exceptions: \`falseUpdate\` counts what
would really be written, and \`written\` holds the same figures for it. Status 0 whatever the figures, 2 for bad input.
`;

const MODES = ['fast', 'balanced', 'accurate'];

function settings(argv) {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        mode: { type: 'string', default: 'balanced' },
        json: { type: 'boolean', default: false },
        rows: { type: 'string' },
        inbox: { type: 'string' },
        expect: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (e) {
    throw new Unusable(`${e.message}\n\n${USAGE}`);
  }
  const { values, positionals: files } = parsed;
  if (!MODES.includes(values.mode)) throw new Unusable(`--mode ${values.mode}: is not one of ${MODES.join(', ')}`);
  if ((values.inbox === undefined) !== (values.expect === undefined)) throw new Unusable('--inbox and --expect go together');
  if (values.inbox !== undefined && files.length > 0) throw new Unusable('pairs and an inbox are measured in two runs');
  if (values.inbox !== undefined && values.rows !== undefined) throw new Unusable('--rows is for pairs');
  return { ...values, files };
}

/** Input that the engine refuses is unusable; any other failure is a fault of the engine. */
const REFUSALS = ['invalid_field', 'unknown_field', 'invalid_input', 'too_large', 'invalid_mail'];

async function decideAll(rows, mode, compare) {
  const outcomes = [];
  for (const row of rows) {
    let comparison;
    const start = performance.now();
    try {
      comparison = await compare(row.existing, row.next, { mode });
    } catch (e) {
      if (REFUSALS.includes(e.code)) throw new Unusable(`${row.where}: ${e.message}`);
      throw new Error(`${row.where}: ${e.message}`, { cause: e });
    }
    outcomes.push({ row, comparison, micros: (performance.now() - start) * 1000 });
  }
  return outcomes;
}

async function measurePairs({ files, mode, json, rows: rowsFile }, { compare }) {
  const defaults = fileURLToPath(new URL('./pairs/', import.meta.url));
  if (files.length === 0) files = listed(defaults);
  if (files.length === 0) throw new Unusable(`no pairs are named, and there are none in ${defaults}`);
  const rows = [];
  for (const file of files) rows.push(...(await pairs(file)));
  // The first hundred decisions warm the engine up; what is timed is what a running application sees.
  await decideAll(rows.slice(0, 100), mode, compare);
  const outcomes = await decideAll(rows, mode, compare);
  const seen = ({ row, comparison, micros }, decision) => ({
    lang: row.lang,
    hard: row.hard,
    expected: row.expected,
    decision,
    confidence: comparison.confidence,
    sure: comparison.sure,
    asked: comparison.asked,
    micros,
  });
  const written = report(outcomes.map((o) => seen(o, o.comparison.decision)));
  const judged = report(outcomes.map((o) => seen(o, o.comparison.outcome)));
  const withWritten = (f, w) => ({ ...f, falseUpdate: w.falseUpdate });
  const by = (key) => Object.fromEntries(Object.entries(judged[key]).map(([v, f]) => [v, withWritten(f, written[key][v])]));
  const { byLang: _, byHard: __, ...writtenFigures } = written;
  const result = { mode, files: files.map((f) => relative('.', f)), ...withWritten(judged, written), byLang: by('byLang'), byHard: by('byHard'), written: writtenFigures };
  if (rowsFile !== undefined) await writeRows(rowsFile, outcomes);
  return json ? JSON.stringify(result) : pairsTable(result);
}

function listed(dir) {
  try {
    return readdirSync(dir).filter((f) => f.endsWith('.jsonl')).sort().map((f) => `${dir}${f}`);
  } catch {
    return [];
  }
}

async function writeRows(path, outcomes) {
  const lines = outcomes.map(({ row, comparison, micros }) => {
    const { id, group, lang, domain, hard, file, line, expected } = row;
    const right = comparison.outcome === expected;
    return JSON.stringify({ id, group, lang, domain, hard, file, line, expected, right, ...comparison, micros: Math.round(micros) });
  });
  try {
    await writeFile(path, lines.map((l) => `${l}\n`).join(''));
  } catch (e) {
    throw new Unusable(`${path}: cannot be written (${e.message})`);
  }
}

async function remember(bytes, expected, mode, open, gauges = false) {
  const memories = await open({
    store: 'memory',
    policy: mode,
    zone: zoneOf(expected.asOf),
    ...(expected.me ? { owner: [expected.me] } : {}),
  });
  const receipts = [];
  // What a model would be asked, if one were set; nobody is.
  const asked = gauges ? await memories.estimate(bytes) : undefined;
  const ingested = await memories.ingest(bytes, { onReceipt: (r) => receipts.push(r) });
  return { memories, receipts, ingested, asked };
}

async function measureInbox({ inbox, expect, mode, json }, { open }) {
  const bytes = await mailbox(inbox);
  const expected = await expectations(expect);
  let run;
  try {
    run = await remember(bytes, expected, mode, open, true);
  } catch (e) {
    if (REFUSALS.includes(e.code)) throw new Unusable(`${inbox}: ${e.message}`);
    throw e;
  }
  if (run.receipts.length === 0) throw new Unusable(`${inbox}: holds no mail`);
  const snap = await snapshot(run.memories, run.receipts);
  const ask = async (query, withSpan) => {
    const span = withSpan ? Object.fromEntries(['from', 'to'].filter((k) => query[k]).map((k) => [k, query[k]])) : {};
    const hits = await run.memories.search(query.q, { k: query.k, now: query.at ?? expected.asOf, ...span });
    return hits.map((hit) => hit.memory);
  };
  const controls = new Map();
  const control = async (message) => {
    if (!controls.has(message)) {
      const other = await remember(without(bytes, message), expected, mode, open);
      controls.set(message, (await snapshot(other.memories, other.receipts)).current);
      await other.memories.close();
    }
    return controls.get(message);
  };
  const { missed, ...figures } = await assess(snap, expected, ask, control);
  const { modelCalls } = await run.memories.analytics();
  await run.memories.close();
  const { calls, tokens, drafts } = run.asked;
  const per = (n) => (drafts === 0 ? null : Math.round((100 * n) / drafts) / 100);
  const wouldAsk = { calls, tokens, drafts, callsPerMemory: per(calls), tokensPerMemory: per(tokens) };
  const result = { mode, inbox, ...figures, modelCalls, wouldAsk, failed: run.ingested.failed.length, missed };
  return json ? JSON.stringify(result) : inboxTable(result);
}

async function main() {
  const chosen = settings(process.argv.slice(2));
  if (chosen.help) return USAGE.trimEnd();
  const memfold = await import('../../pkg/node.js');
  return chosen.inbox === undefined ? measurePairs(chosen, memfold) : measureInbox(chosen, memfold);
}

try {
  process.stdout.write(`${await main()}\n`);
} catch (e) {
  process.stderr.write(`eval: ${e instanceof Unusable ? e.message : e.stack}\n`);
  process.exitCode = e instanceof Unusable ? 2 : 1;
}
