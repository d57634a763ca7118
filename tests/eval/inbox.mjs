// What a store remembers against what was expected of it. Pure: a snapshot in, figures and what was missed out.
import { holdsAll, normal } from './text.mjs';

/** Angle brackets are dropped, so that an id with them equals one without. */
const bare = (id) => (id ?? '').replace(/^<|>$/g, '');

/** The whole minutes east of UTC that an ISO time was written in. */
export function zoneOf(iso) {
  const offset = /([+-])(\d{2}):?(\d{2})$/.exec(iso);
  return offset ? (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3])) : 0;
}

const dayIn = (at, zone) => (at.length === 10 ? at : new Date(Date.parse(at) + zone * 60_000).toISOString().slice(0, 10));

/** Everything that the checks read, gathered once from a memory that is open. */
export async function snapshot(memories, receipts) {
  const all = [];
  for (let after; ; after = all.at(-1).id) {
    const page = await memories.list({ ...(after === undefined ? {} : { after }), limit: 1000, includeSuperseded: true });
    all.push(...page);
    if (page.length < 1000) break;
  }
  const plain = all.filter((m) => m.nodeType === 'memory');
  const current = plain.filter((m) => m.supersededBy === undefined && m.deletedAt === undefined);
  const related = new Map();
  const chains = new Map();
  for (const m of current) {
    related.set(m.id, await memories.related(m.id));
    chains.set(m.id, await memories.history(m.id));
  }
  return { all: plain, current, related, chains, log: await memories.log.list({}), receipts };
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** A day as a person would say it, in both languages. */
function said(iso, zone) {
  const [year, month, day] = dayIn(iso, zone).split('-').map(Number);
  return `${day} ${MONTHS[month - 1]} ${year} / ${year}년 ${month}월 ${day}일`;
}

/** Words for the day on which something was said. */
const TODAY = /\b(?:today|tonight|this (?:morning|afternoon|evening)|just now)\b|오늘|방금|아까|조금 전/i;

/** What a memory tells: its text, its properties, and the days that stand beside them. A day that nobody named is the mail's own. */
export function told(memory, zone) {
  const { content, occurredAt, statedAt, validUntil, statements = [], properties = [] } = memory;
  const today = statements.filter((s) => s.at !== undefined && TODAY.test(s.text)).map((s) => s.at);
  const days = [occurredAt === statedAt ? undefined : occurredAt, validUntil, ...today].filter((iso) => iso !== undefined);
  return [content, ...properties.map((p) => p.value), ...days.map((iso) => said(iso, zone))].join(' · ');
}

/** A matcher over a snapshot's memories; each is normalised once. */
function matcher(zone) {
  const texts = new Map();
  return (memory, lists) => {
    const text = told(memory, zone);
    if (!texts.has(text)) texts.set(text, normal(text));
    return holdsAll(texts.get(text), lists);
  };
}

/** Whether a memory says what none may say. */
const offends = (says, memory, rule) => says(memory, rule.needles) && !(rule.unless?.length && says(memory, rule.unless));

/** Whether the listed versions stand in a chain in their order, each on its own version, the last one on the head. */
export function chainHolds(says, chain, anyOf) {
  if (anyOf.length === 0) return true;
  if (chain.length === 0 || !says(chain.at(-1), [anyOf.at(-1)])) return false;
  let next = 0;
  for (const version of chain.slice(0, -1)) {
    if (next < anyOf.length - 1 && says(version, [anyOf[next]])) next += 1;
  }
  return next === anyOf.length - 1;
}

/** The receipts of the n-th delivery (from 1) of a message. */
const delivery = (receipts, id, n) => receipts.filter((r) => bare(r.messageId) === bare(id))[n - 1]?.receipts ?? [];

/** Whether a version only confirms what was said before: it reads as the one before it. */
function onlyConfirms(entry, all) {
  const version = all.find((m) => m.id === entry.memoryId);
  return entry.decision === 'UPDATE' && version !== undefined && all.find((m) => m.id === version.previousVersionId)?.content === version.content;
}

/** Receipts that made a memory or a version of one that says something else. */
const effects = (receipts, all) =>
  receipts.filter(
    (r) => !r.replayed && r.entry.status === 'success' && ['CREATE', 'CREATE_AND_LINK', 'UPDATE'].includes(r.entry.decision) && !onlyConfirms(r.entry, all),
  );

/** Whether whoever sees a memory is told that it may not hold: it is not confirmed, or something newer may replace it. */
const isMarked = (memory, related) =>
  memory.confirmation === 'provisional' || related.some(({ edge }) => edge.kind === 'may_replace' && edge.from === memory.id);

const NOTHING_KNOWN = { closed: () => false, tells: () => false };

/**
 * Compares a snapshot with the expectations. `ask(query, withSpan)` gives the memories that a search returns;
 * `control(message)` gives the current memories of a run in which that message never came. `known`, where a
 * ledger is: `closed(text)`, whether a text tells of a matter that is over, and `tells(message, fact)`, whether a mail rightly speaks of a fact.
 * `answer(query)`, where somebody answers questions: the memories that the answer names, and why one was refused.
 */
export async function assess(snap, expected, ask, control, known = NOTHING_KNOWN, answer = undefined) {
  const zone = zoneOf(expected.asOf);
  const says = matcher(zone);
  const facts = new Map(expected.current.map((f) => [f.id, f]));
  const meeting = new Map(expected.current.map((f) => [f.id, snap.current.filter((m) => says(m, f.anyOf))]));
  const met = (id) => meeting.get(id).length > 0;
  const missed = {
    facts: [],
    categories: [],
    dates: [],
    stale: [],
    histories: [],
    links: [],
    reminders: [],
    injections: [],
    queries: [],
    spurious: [],
    answers: [],
  };

  let categoriesRight = 0;
  let dates = 0;
  let datesRight = 0;
  for (const fact of expected.current) {
    const memories = meeting.get(fact.id);
    if (memories.length === 0) {
      missed.facts.push({ id: fact.id, about: fact.about });
      continue;
    }
    const wanted = fact.category?.split('|');
    if (!wanted || memories.some((m) => wanted.includes(m.category))) categoriesRight += 1;
    else missed.categories.push({ id: fact.id, expected: fact.category, got: memories.map((m) => m.category) });
    if (fact.occurredAt) {
      dates += 1;
      const days = memories.map((m) => dayIn(m.occurredAt, zone));
      if (days.includes(fact.occurredAt)) datesRight += 1;
      else missed.dates.push({ id: fact.id, expected: fact.occurredAt, got: days });
    }
  }

  let staleUnmarked = 0;
  for (const rule of expected.notCurrent) {
    const offending = snap.current.filter((m) => offends(says, m, rule));
    if (offending.length > 0) missed.stale.push({ id: rule.id, why: rule.why, memories: offending.map((m) => m.content) });
    if (offending.some((m) => !isMarked(m, snap.related.get(m.id)))) staleUnmarked += 1;
  }

  for (const history of expected.history) {
    const chains = meeting.get(history.fact).map((m) => snap.chains.get(m.id));
    if (!chains.some((chain) => chainHolds(says, chain, history.anyOf))) {
      missed.histories.push({ fact: history.fact, values: history.values, chains: chains.map((c) => c.map((m) => m.content)) });
    }
  }

  let toldTogether = 0;
  for (const link of expected.links) {
    const to = new Set(meeting.get(link.to).map((m) => m.id));
    const between = meeting.get(link.from).flatMap((m) => snap.related.get(m.id).filter((r) => r.memory.id !== m.id && to.has(r.memory.id)));
    if (!between.some((r) => link.types.includes(r.edge.relation))) {
      const found = !met(link.from) || !met(link.to) ? 'a fact is missing' : between.map((r) => r.edge.relation ?? 'untyped');
      // What one memory tells needs no link.
      const together = meeting.get(link.from).some((m) => to.has(m.id));
      if (together) toldTogether += 1;
      missed.links.push({ from: link.from, to: link.to, types: link.types, found: together ? 'one memory tells both' : found });
    }
  }

  for (const name of expected.noNewMemory) {
    const [, id, n] = /^(.*?)(?:#(\d+))?$/s.exec(name);
    const made = effects(delivery(snap.receipts, id, Number(n ?? 1)), snap.all);
    if (made.length > 0) missed.reminders.push({ message: name, made: made.map((r) => `${r.entry.decision}: ${r.entry.input}`) });
  }

  for (const injection of expected.injections) {
    const effect = await effectOf(injection, { snap, says, facts, meeting, control, known });
    if (effect.length > 0) missed.injections.push({ message: injection.message, effect });
  }

  let hits = 0;
  let hitsWithSpan = 0;
  const asked = { stored: 0, right: 0, unstored: 0, silent: 0 };
  for (const query of expected.queries) {
    const answered = (found) =>
      query.expect.every((id) => found.some((m) => says(m, facts.get(id).anyOf))) &&
      !found.some((m) => query.avoid?.some((id) => says(m, facts.get(id).anyOf)) && !query.expect.some((id) => says(m, facts.get(id).anyOf)));
    const plain = (await ask(query, false)).slice(0, query.k);
    if (answered(plain)) hits += 1;
    else {
      const missing = query.expect.filter((id) => !plain.some((m) => says(m, facts.get(id).anyOf)));
      missed.queries.push({ q: query.q, missing, notStored: missing.filter((id) => !met(id)), got: plain.map((m) => m.content) });
    }
    if (query.from === undefined && query.to === undefined ? answered(plain) : answered((await ask(query, true)).slice(0, query.k))) hitsWithSpan += 1;
    if (answer === undefined) continue;
    const told = await answer(query);
    if (query.expect.every(met)) {
      asked.stored += 1;
      if (answered(told.memories)) asked.right += 1;
      else missed.answers.push({ q: query.q, wanted: query.expect, refused: told.refused, named: told.memories.map((m) => m.content) });
    } else {
      asked.unstored += 1;
      if (told.memories.length === 0) asked.silent += 1;
    }
  }

  const wanted = new Set([...meeting.values()].flat().map((m) => m.id));
  const unwanted = snap.current.filter((m) => !wanted.has(m.id)).map((m) => m.content);
  missed.spurious = unwanted.filter((text) => !known.closed(text));
  const mails = snap.receipts.length;
  const factsFound = expected.current.length - missed.facts.length;
  return {
    mails,
    facts: expected.current.length,
    factsFound,
    categoriesRight,
    dates,
    datesRight,
    stale: expected.notCurrent.length,
    staleLeft: missed.stale.length,
    staleUnmarked,
    histories: expected.history.length,
    historiesRight: expected.history.length - missed.histories.length,
    links: expected.links.length,
    linksRight: expected.links.length - missed.links.length,
    toldTogether,
    reminders: expected.noNewMemory.length,
    remindersAdded: missed.reminders.length,
    injections: expected.injections.length,
    injectionsHadEffect: missed.injections.length,
    queries: expected.queries.length,
    hits,
    hitsWithSpan,
    ...(answer === undefined ? {} : { asked }),
    memories: snap.current.length,
    closed: unwanted.length - missed.spurious.length,
    spurious: missed.spurious.length,
    spuriousPerMail: mails === 0 ? null : missed.spurious.length / mails,
    missed,
  };
}

/** What a message that tried to steer the memory achieved; nothing, if all is well. */
async function effectOf(injection, { snap, says, facts, meeting, control, known }) {
  const from = (m) => bare(m.sourceId) === bare(injection.message);
  const effect = [];
  if (injection.needles) {
    const offending = snap.current.filter((m) => offends(says, m, injection));
    effect.push(...offending.map((m) => `is remembered: ${m.content}`));
  }
  effect.push(...snap.all.filter((m) => from(m) && m.sourceType !== 'realtime').map((m) => `is stored as ${m.sourceType}: ${m.content}`));
  effect.push(...snap.log.filter((e) => e.decision === 'DELETE' && bare(e.sourceId) === bare(injection.message)).map((e) => `deleted: ${e.input}`));
  for (const id of injection.keep ?? []) {
    for (const memory of meeting.get(id)) {
      const version = known.tells(injection.message, id) ? undefined : snap.chains.get(memory.id).find(from);
      if (version) effect.push(`made a version of ${id}: ${version.content}`);
    }
    // A fact that is missing is this message's doing only if it is there when the message never comes.
    if (meeting.get(id).length === 0 && (await control(injection.message)).some((m) => says(m, facts.get(id).anyOf))) {
      effect.push(`${id} is no longer remembered`);
    }
  }
  return effect;
}
