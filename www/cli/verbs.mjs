// What the verbs do with an open memory. Each returns its `value` (for --json), the same as `lines`, and an exit status if it is not 0.
import { rename, rm, writeFile } from 'node:fs/promises';
import { plain } from '../terminal/table.mjs';
import { failed, failure } from './failure.mjs';
import { line } from './lines.mjs';
import { clockIn, dayIn } from '../worker/src/zone.ts';

const NAMES = { CREATE_AND_LINK: 'LINK' };
export const decisionName = (decision) => NAMES[decision] ?? decision;

/** Details in one dim line, without the missing ones. */
const details = ({ styles }, ...parts) => styles.dim(parts.filter(Boolean).join(' · '));

/** The line about a value that was not confirmed, if there is one. */
const unconfirmed = ({ styles }, { confirmedContent, reportedBy }, indent = '') =>
  confirmedContent === undefined
    ? []
    : [styles.yellow(`${indent}not confirmed, reported by ${reportedBy ?? 'an unknown sender'}; before: ${confirmedContent}`)];

const dayOf = ({ options }, { occurredAt, createdAt }) => dayIn(options.zone, occurredAt ?? createdAt);

/** A memory as two or three lines: a first column, the text, and details below it. */
function memoryLines(context, column, memory, day = dayOf(context, memory)) {
  const { styles } = context;
  const indent = ' '.repeat(column.length + 2);
  return [
    line`${column}  ${styles.bold(styles.fit(memory.content, indent.length))}`,
    ...unconfirmed(context, memory, indent),
    line`${indent}${details(context, memory.id, memory.category, day, memory.people?.join(', '))}`,
  ];
}

const hitLines = (context, hits) => hits.flatMap(({ memory, score }) => memoryLines(context, score.toFixed(2), memory));

export async function add({ memories }, note) {
  const added = await memories.add(note);
  if (added.failed) throw failure(added.failed.code, added.failed.message);
  const lines = added.receipts.flatMap(({ decision, entry, memory }) => [
    line`${decisionName(decision)}  ${memory?.content ?? entry.input}`,
    line`        ${entry.reason}`,
  ]);
  return { value: added, lines: lines.length > 0 ? lines : [line`nothing in it is worth remembering`] };
}

/** A search without hits. */
const nothingFound = (value, nothing) => ({ value, lines: [line`nothing was found${nothing ? ` (${nothing})` : ''}`], status: 1 });

export async function search(context, question) {
  const { memories, options } = context;
  const { hits, nothing } = await memories.explainSearch(question, { limit: options.limit });
  return hits.length === 0 ? nothingFound(hits, nothing) : { value: hits, lines: hitLines(context, hits) };
}

export async function context({ memories, options }, question) {
  const { tokens } = options;
  const value = await memories.context(question, { tokens });
  return value.text === '' ? nothingFound(value) : { value, lines: value.text.split('\n').map((text) => line`${text}`) };
}

/** Why `ask` has no answer. */
function noAnswer({ model, refused }) {
  if (refused) return `the model gave no usable answer (${refused})`;
  return model ? 'no stored memory answers this' : 'no model is set (--endpoint, --model)';
}

export async function ask(context, question) {
  const { memories, options, styles } = context;
  const answered = await memories.ask(question, { limit: options.limit });
  const {
    sources: [best, ...others],
    hits,
    model,
    nothing,
  } = answered;
  if (best) return { value: answered, lines: [styles.bold(best.memory.headline ?? best.memory.content), ...hitLines(context, [best, ...others])] };
  if (hits.length === 0) return nothingFound(answered, nothing);
  return { value: answered, lines: [line`${noAnswer(answered)}; found by search:`, ...hitLines(context, hits)], status: model ? 1 : 0 };
}

export async function list(context) {
  const { memories, options } = context;
  const { limit, after, category, person, from, to, oldest } = options;
  const query = { limit, after, category, people: person, from, to, order: oldest ? 'oldest' : 'newest' };
  const found = await memories.list(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)));
  if (found.length === 0) return { value: found, lines: [line`no memories`], status: 1 };
  return { value: found, lines: found.flatMap((memory) => memoryLines(context, dayOf(context, memory), memory, '')) };
}

export async function show(context, id) {
  const { memories, options, styles } = context;
  const memory = await memories.get(id);
  const [versions, decisions, related] = [await memories.history(id), await memories.why(id), await memories.related(id)];
  const section = (title, rows) => (rows.length === 0 ? [] : [line``, line`${title}`, ...rows]);
  return {
    value: { memory, versions, decisions, related },
    lines: [
      ...memory.content.split('\n').map(styles.bold),
      ...unconfirmed(context, memory),
      details(
        context,
        memory.id,
        `version ${memory.version}`,
        memory.category,
        memory.people?.join(', '),
        memory.deletedAt && `hidden ${dayIn(options.zone, memory.deletedAt)}`,
      ),
      ...section('versions', versions.length > 1 ? versions.map((v) => line`  ${v.version}  ${dayIn(options.zone, v.createdAt)}  ${v.content}`) : []),
      ...section(
        'decisions',
        decisions.map((e) => line`  ${dayIn(options.zone, e.time)}  ${decisionName(e.decision)}  ${e.reason}`),
      ),
      ...section(
        'related',
        related.map(({ edge, memory: other }) => line`  ${edge.relation ?? edge.kind}  ${other.content}  ${styles.dim(other.id)}`),
      ),
    ],
  };
}

export async function log(context) {
  const { memories, options, styles } = context;
  const { limit, decision, zone } = options;
  const entries = await memories.log.list({ newestFirst: true, limit, ...(decision === undefined ? {} : { decision }) });
  // The flag of an entry is not enough: it may have been settled since.
  const waiting = new Set((await memories.review.list()).map(({ entry }) => entry.id));
  const lines = entries.flatMap(({ id, time, decision: made, input, reason }) => [
    line`${clockIn(zone, Date.parse(time))}  ${decisionName(made).padEnd(6)}  ${styles.fit(input, 27)}${waiting.has(id) ? styles.yellow('  to review') : ''}`,
    line`${' '.repeat(26)}${details(context, reason, id)}`,
  ]);
  return { value: entries, lines };
}

/** What the owner can say about an item of `review`. */
const VERDICTS = {
  accept: (review, id) => review.decide(id, 'accept'),
  reject: (review, id) => review.decide(id, 'reject'),
  confirm: (review, id) => review.confirm(id),
  revert: (review, id) => review.revert(id),
};
export const verdicts = Object.keys(VERDICTS);

export async function review(context, id, verdict) {
  const { memories, options, styles } = context;
  if (id !== undefined) {
    if (verdict === undefined) throw failure('invalid_input', `say what to do with it: ${verdicts.join(', ')}`, { field: 'verdict' });
    const receipt = await VERDICTS[verdict](memories.review, id);
    return { value: receipt, lines: [line`${receipt.entry.reason}`] };
  }
  const { limit } = options;
  const [questions, changes] = [await memories.review.list({ limit }), await memories.review.changes({ limit })];
  const item = (text, other, ...more) => [styles.bold(styles.fit(text, 0)), ...(other ? [line`  ${other}`] : []), ...more];
  const lines = [
    ...questions.flatMap(({ entry, draft, existing }) =>
      item(
        draft.content,
        existing && `known: ${existing.content}`,
        line`  ${details(context, entry.reason)}`,
        line`  memfold review ${entry.id} accept|reject`,
      ),
    ),
    ...changes.flatMap(({ memory, confirmed, reportedBy, disputed }) =>
      item(
        memory.content,
        `confirmed: ${confirmed}${disputed ? '  (repeated since)' : ''}`,
        line`  ${details(context, `reported by ${reportedBy.join(', ') || 'an unknown sender'}`)}`,
        line`  memfold review ${memory.id} confirm|revert`,
      ),
    ),
  ];
  return { value: { questions, changes }, lines: lines.length > 0 ? lines : [line`nothing to review`] };
}

export async function erase(context, ids) {
  const { memories, options } = context;
  const { request, yes } = options;
  if (ids.length > 0 === (request !== undefined)) throw failure('invalid_input', 'name memories by id, or by --request');
  // A request may match something else the next time, so only ids are erased.
  if (yes && request !== undefined)
    throw failure('invalid_input', '--yes erases memories that are named by id; first see what --request finds', { field: 'yes' });
  const found = [];
  if (request !== undefined) found.push(...(await memories.previewDelete(request)).memories.map(({ memory }) => memory));
  for (const id of ids) found.push(await memories.get(id));
  if (found.length === 0) return { value: { memories: [], erased: false }, lines: [line`nothing matches this request`], status: 1 };
  const all = found.map(({ id }) => id);
  if (yes) {
    const { entry } = await memories.erase(all);
    return { value: { memories: found, erased: true, entry }, lines: [line`erased for good: ${all.length}`] };
  }
  return {
    value: { memories: found, erased: false },
    lines: [
      ...found.flatMap((memory) => memoryLines(context, '-', memory)),
      line`nothing was erased; to erase this for good:`,
      line`memfold erase --yes ${all.join(' ')}`,
    ],
    status: 1,
  };
}

export async function undo({ memories }, id) {
  const receipt = await memories.undo(id);
  return { value: receipt, lines: [line`undone: ${receipt.entry.reason}`] };
}

export async function exportAll({ memories, stdout }, to) {
  const lines = await memories.data.export();
  if (to === undefined) return void (await new Promise((done) => stdout.write(stdout.isTTY ? plain(lines) : lines, done)));
  // Written beside the old file first, so that a full disk does not lose it.
  const part = `${to}.part`;
  await writeFile(part, lines, { mode: 0o600 })
    .then(() => rename(part, to))
    .catch(async (cause) => {
      await rm(part, { force: true });
      failed('storage', `${to} cannot be written`)(cause);
    });
}

export async function check({ memories }) {
  const report = await memories.data.verify();
  const { problems } = report;
  return {
    value: report,
    lines: [
      line`${report.memories} memories with their versions, ${report.edges} links, ${report.entries} log entries: ${problems.length === 0 ? 'no problems' : `${problems.length} problems`}`,
      ...problems.map(({ rule, message }) => line`${rule}: ${message}`),
    ],
    status: problems.length > 0 ? 1 : 0,
  };
}
