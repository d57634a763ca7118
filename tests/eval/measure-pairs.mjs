// Runs labelled pairs through the package and gathers what came of them: as it decides alone, or with somebody to ask.
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pairs, REFUSALS, Unusable } from './input.mjs';
import { checkLabels } from './oracle.mjs';
import { changesTold, modelFigures, report } from './pairs.mjs';
import { reader } from './reader.mjs';
import { modelTable, pairsTable } from './show.mjs';
import { consolidateAll, exceptions, handOf, oracle } from './with-model.mjs';

function listed(dir) {
  try {
    return readdirSync(dir)
      .filter((f) => f.endsWith('.jsonl'))
      .sort()
      .map((f) => `${dir}${f}`);
  } catch {
    return [];
  }
}

/** The rows of the files that are named, else of those in the repository. */
async function rowsOf(files) {
  const defaults = fileURLToPath(new URL('./pairs/', import.meta.url));
  const named = files.length === 0 ? listed(defaults) : files;
  if (named.length === 0) throw new Unusable(`no pairs are named, and there are none in ${defaults}`);
  const rows = [];
  for (const file of named) rows.push(...(await pairs(file)));
  return { rows, files: named.map((f) => relative('.', f)) };
}

const failed = (row, e) => (REFUSALS.includes(e.code) ? new Unusable(`${row.where}: ${e.message}`) : new Error(`${row.where}: ${e.message}`, { cause: e }));

async function writeRows(path, rows) {
  try {
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  } catch (e) {
    throw new Unusable(`${path}: cannot be written (${e.message})`);
  }
}

const label = ({ id, group, lang, domain, hard, file, line, expected }) => ({ id, group, lang, domain, hard, file, line, expected });

async function decideAll(rows, mode, compare) {
  const outcomes = [];
  for (const row of rows) {
    const start = performance.now();
    const comparison = await compare(row.existing, row.next, { mode }).catch((e) => {
      throw failed(row, e);
    });
    outcomes.push({ row, comparison, micros: (performance.now() - start) * 1000 });
  }
  return outcomes;
}

/** What the engine decides with nobody to ask. */
export async function measurePairs({ files: named, mode, json, rows: rowsFile }, { compare }) {
  const { rows, files } = await rowsOf(named);
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
    ...(row.expected === 'UPDATE' && row.propertyChanges ? { changes: changesTold(comparison.propertyChanges, row.propertyChanges) } : {}),
  });
  const written = report(outcomes.map((o) => seen(o, o.comparison.decision)));
  const judged = report(outcomes.map((o) => seen(o, o.comparison.outcome)));
  const withWritten = (f, w) => ({ ...f, falseUpdate: w.falseUpdate });
  const by = (key) => Object.fromEntries(Object.entries(judged[key]).map(([v, f]) => [v, withWritten(f, written[key][v])]));
  const { byLang: _, byHard: __, ...writtenFigures } = written;
  const result = { mode, files, ...withWritten(judged, written), byLang: by('byLang'), byHard: by('byHard'), written: writtenFigures };
  if (rowsFile !== undefined) {
    const right = ({ row, comparison }) => comparison.outcome === row.expected;
    await writeRows(
      rowsFile,
      outcomes.map((o) => ({ ...label(o.row), right: right(o), ...o.comparison, micros: Math.round(o.micros) })),
    );
  }
  return json ? JSON.stringify(result) : pairsTable(result);
}

/** What is written where the labels answer (`oracle`), or whoever stands behind `ask` and `replay`. */
export async function measureWithModel(chosen, memfold) {
  const { mode, json, verbose, noise, seed } = chosen;
  const { rows, files } = await rowsOf(chosen.files);
  rows.forEach(checkLabels);
  const port = chosen.oracle ? undefined : await reader(chosen);
  const answer = port ? (question) => port.ask(question) : oracle({ noise, seed });
  const done = await consolidateAll(rows, mode, answer, memfold, failed);
  const hands = [...new Set(done.map((d) => d.row.file))];
  const byFile = Object.fromEntries(hands.map((file) => [handOf(file), modelFigures(done.filter((d) => d.row.file === file))]));
  const who = chosen.oracle ? { oracle: { noise, seed } } : { reader: port.counts };
  const result = { mode, ...who, files, ...modelFigures(done), byFile, ...(verbose ? { exceptions: exceptions(done) } : {}) };
  if (chosen.rows !== undefined) {
    const plain = ({ row, expected, ...rest }) => ({ ...label(row), right: rest.decision === expected, ...rest });
    await writeRows(chosen.rows, done.map(plain));
  }
  await port?.close(JSON.stringify(result));
  return json ? JSON.stringify(result) : modelTable(result);
}
