// Labelled pairs with somebody to ask: for each pair a memory of its own takes the stored text, then the new one. It measures what
// is written in the end, whoever answers.
import { basename } from 'node:path';
import { opinion, replyTo } from './oracle.mjs';
import { promptTokens } from './reader.mjs';

/** The longest time that a timer takes: a person may be the one who answers. */
export const PATIENCE = 2 ** 31 - 1;

/** What a reply says of the one stored memory, as far as it can be read; null where it cannot. */
export function outcomeOf(reply) {
  try {
    const said = JSON.parse(reply.slice(reply.indexOf('{'), reply.lastIndexOf('}') + 1));
    const [{ op, links }] = said.entries;
    const outcome = { update: 'UPDATE', done: 'UPDATE', repeat: 'SKIP', same: 'SKIP', new: links?.length > 0 ? 'CREATE_AND_LINK' : 'CREATE' };
    return outcome[op] ?? null;
  } catch {
    return null;
  }
}

/** The labels as the one who is asked; `n` counts the questions about a row. */
export function oracle({ noise, seed }) {
  return async (question, row, nth) => JSON.stringify(replyTo(question, row, opinion(row, { noise, seed, nth })));
}

/** Why an entry does not say what was answered, as the log tells it. */
function whyOverruled(entry) {
  const told = entry.reasons.map((r) => r.kind).filter((kind) => kind !== 'feature' && kind !== 'model_read');
  return told.length > 0 ? [...new Set(told)].join(' ') : 'no reason told';
}

/** What the log says of the new text, in a memory of its own that holds the stored one; `between` is called once that is stored. */
async function entryOf(row, options, open, between = () => {}) {
  const memories = await open({ storage: 'memory', ...options });
  try {
    await memories.add(row.existing);
    between();
    return (await memories.add(row.next)).entry;
  } finally {
    await memories.close();
  }
}

/** Consolidates one pair, and once more with nobody to ask; `answer(question, row, nth)` gives the raw text of a reply. */
async function consolidate(row, mode, answer, { open, compare }) {
  const [replies, questions] = [[], []];
  const analyst = async (question) => {
    questions.push(question);
    const text = await answer(question, row, questions.length - 1);
    replies.push(text);
    return { text };
  };
  let earlier = 0;
  const entry = await entryOf(row, { policy: mode, model: { analyst, timeout: PATIENCE } }, open, () => {
    earlier = replies.length;
  });
  const alone = await entryOf(row, { policy: mode }, open);
  const { outcome, sure, confidence } = await compare(row.existing, row.next, { mode });
  const refused = entry.reasons.filter((r) => r.kind === 'model_refused').map((r) => r.error);
  // What was answered about the stored text alone is no answer about the pair.
  const said = refused.length > 0 || replies.length === earlier ? null : outcomeOf(replies.at(-1));
  return {
    row,
    expected: row.expected,
    decision: entry.decision,
    answer: said,
    calls: questions.length,
    promptTokens: questions.reduce((sum, q) => sum + promptTokens(q), 0),
    refused,
    overruled: said !== null && said !== entry.decision ? [whyOverruled(entry)] : [],
    withheld: entry.decision === 'UPDATE' && entry.status === 'skipped',
    reasons: entry.reasons.filter((r) => r.kind !== 'feature').map((r) => r.kind),
    score: entry.similarity?.score ?? null,
    alone: { outcome, decision: alone.decision, sure, confidence },
  };
}

/** All rows, one after the other. `refuse(row, error)` makes the error of a row that fails. */
export async function consolidateAll(rows, mode, answer, memfold, refuse) {
  const done = [];
  for (const row of rows) {
    try {
      done.push(await consolidate(row, mode, answer, memfold));
    } catch (e) {
      throw refuse(row, e);
    }
    // An engine that nobody holds is let go of between two turns of the host, never within one.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}

/** What a hand's file is called in a table. */
export const handOf = (file) => basename(file).replace(/(\.pairs)?\.jsonl$/, '');

/** What went otherwise than it was answered, row by row. */
export function exceptions(done) {
  const told = (d) => d.refused.length > 0 || d.overruled.length > 0 || d.withheld;
  return done.filter(told).map(({ row, answer, decision, refused, overruled, withheld, score }) => {
    const why = refused.length > 0 ? `refused: ${refused.join(' ')}` : withheld && overruled.length === 0 ? 'withheld' : `overruled: ${overruled.join(' ')}`;
    return { hand: handOf(row.file), id: row.id ?? row.line, expected: row.expected, answer, decision, why, score };
  });
}
