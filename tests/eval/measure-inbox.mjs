// Runs a mailbox through the package and holds what is remembered to what was expected.
import { assess, snapshot, zoneOf } from './inbox.mjs';
import { expectations, mailbox, REFUSALS, Unusable } from './input.mjs';
import { known, ledger } from './ledger.mjs';
import { LedgerModel } from './ledger-model.mjs';
import { people, without } from './mbox.mjs';
import { promptTokens, reader } from './reader.mjs';
import { rightly, settled, toldBy } from './owner.mjs';
import { inboxTable } from './show-inbox.mjs';
import { rightMemoryShown } from './shown.mjs';
import { PATIENCE } from './with-model.mjs';
import { overruled } from './written.mjs';

const opened = ({ me, asOf }, mode, open, analyst) =>
  open({ storage: 'memory', policy: mode, zone: zoneOf(asOf), ...(me ? { owner: [me] } : {}), ...(analyst ? { model: { analyst, timeout: PATIENCE } } : {}) });

async function remember(bytes, expected, mode, open, analyst) {
  const memories = await opened(expected, mode, open, analyst);
  const receipts = [];
  const ingested = await memories.importMail(bytes, { onReceipt: (r) => receipts.push(r) });
  return { memories, receipts, ingested };
}

/** What a model would be asked, whether one is set or not; nobody is. In a memory of its own: a rehearsal leaves the run as it is. */
async function estimated(bytes, expected, mode, open, analyst) {
  const memories = await opened(expected, mode, open, analyst);
  try {
    return await memories.model.estimate(bytes);
  } finally {
    await memories.close();
  }
}

/** The one who is asked in one run, and how much; nobody where no answer is to be had. */
function place(answer) {
  const used = { calls: 0, promptTokens: 0, askedTwice: 0 };
  if (answer === undefined) return { used };
  const seen = new Set();
  const analyst = async (question) => {
    used.calls += 1;
    const mails = question.task === 'mail' ? [question.source] : [];
    used.askedTwice += mails.filter((id) => seen.has(id)).length;
    for (const id of mails) seen.add(id);
    used.promptTokens += promptTokens(question);
    return { text: await answer(question) };
  };
  return { used, analyst };
}

/** How much a reader was asked since it had counted `before`. */
const since = (before, counts) => Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n - before[name]]));

/** How often each of some words comes. */
const tally = (words) => Object.fromEntries([...new Set(words)].sort().map((word) => [word, words.filter((w) => w === word).length]));

/** The mailbox, what is expected of it, and what its mails say where that is known. */
async function material({ inbox, expect, ledger: path }) {
  const [bytes, expected] = [await mailbox(inbox), await expectations(expect)];
  return { inbox, bytes, expected, book: path === undefined ? undefined : await ledger(path) };
}

/** What the owner's word changes. */
const figuresOf = ({
  factsFound,
  staleLeft,
  staleUnmarked,
  historiesRight,
  linksRight,
  toldTogether,
  remindersAdded,
  injectionsHadEffect,
  hits,
  spurious,
  spuriousPerMail,
}) => ({
  factsFound,
  staleLeft,
  staleUnmarked,
  historiesRight,
  linksRight,
  toldTogether,
  remindersAdded,
  injectionsHadEffect,
  hits,
  spurious,
  spuriousPerMail,
});

/** One run over a mailbox, held to what was expected. `voice()` gives whoever answers in one run; a control run has its own. */
async function trial({ inbox, bytes, expected, book }, mode, open, voice, port, answerer) {
  const { model, answer } = voice();
  const { used, analyst: reads } = place(answer);
  // Who answers the owner's questions may be another than who reads the mail.
  const analyst = answerer === undefined ? reads : async (question) => (question.task === 'answer' ? { text: await answerer.ask(question) } : reads(question));
  const before = { ...port?.counts };
  let run;
  let estimate;
  try {
    estimate = await estimated(bytes, expected, mode, open, analyst);
    run = await remember(bytes, expected, mode, open, analyst);
  } catch (e) {
    if (REFUSALS.includes(e.code)) throw new Unusable(`${inbox}: ${e.message}`);
    throw e;
  }
  if (run.receipts.length === 0) throw new Unusable(`${inbox}: holds no mail`);
  const heard = port && since(before, port.counts);
  const snap = await snapshot(run.memories, run.receipts);
  const ask = async (query, withSpan) => {
    const span = withSpan ? Object.fromEntries(['from', 'to'].filter((k) => query[k]).map((k) => [k, query[k]])) : {};
    const hits = await run.memories.search(query.q, { limit: query.k, now: query.at ?? expected.asOf, ...span });
    return hits.map((hit) => hit.memory);
  };
  const controls = new Map();
  const control = async (message) => {
    if (!controls.has(message)) {
      const other = await remember(without(bytes, message), expected, mode, open, place(voice().answer).analyst);
      controls.set(message, (await snapshot(other.memories, other.receipts)).current);
      await other.memories.close();
    }
    return controls.get(message);
  };
  const { modelCalls } = await run.memories.log.stats();
  const answered = async (query) => {
    const { sources, refused } = await run.memories.ask(query.q, { now: query.at ?? expected.asOf });
    return { refused, memories: sources.map((hit) => hit.memory) };
  };
  const { missed, ...figures } = await assess(snap, expected, ask, control, book && known(book, expected), answerer && answered);
  const notWritten = model ? overruled(model.told, snap.log) : [];
  const right = model ? notWritten : book && analyst && rightly(await run.memories.review.list(), book);
  const owner = right && (await settled(run.memories, right, toldBy(book)));
  const after = owner && (await assess(await snapshot(run.memories, run.receipts), expected, ask, control, known(book, expected)));
  const refusals = snap.log.flatMap((e) => e.reasons.filter((r) => r.kind === 'model_refused').map((r) => r.error));
  await run.memories.close();
  const { calls, tokens, drafts } = estimate;
  const per = (n) => (drafts === 0 ? null : Math.round((100 * n) / drafts) / 100);
  const perMail = (n) => n / run.receipts.length;
  const { missed: notShown, ...shown } = model ? rightMemoryShown(model, snap.all) : {};
  const answers = {
    ...used,
    callsPerMail: perMail(used.calls),
    promptTokensPerMail: perMail(used.promptTokens),
    ...(heard ? { reader: heard } : {}),
    ...(model ? { ledger: { ...model.counts, overruled: tally(notWritten.map((e) => e.why)) } } : {}),
    refused: tally(refusals),
  };
  return {
    model,
    result: {
      mode,
      inbox,
      ...figures,
      modelCalls,
      wouldAsk: { calls, tokens, drafts, callsPerMemory: per(calls), tokensPerMemory: per(tokens) },
      ...(analyst ? { answers } : {}),
      ...(model ? { shown } : {}),
      ...(owner ? { owner: { ...owner, ...figuresOf(after), missed: after.missed } } : {}),
      failed: run.ingested.failed.length,
      missed: model ? { ...missed, shown: notShown, overruled: notWritten } : missed,
    },
  };
}

/** What wrong answers did: facts that are there without them, and what they did to others than those they were about. */
export function harm(noisy, clean, garbledFacts) {
  const ids = (items) => new Set(items.map((i) => i.id));
  const [met, outdated] = [ids(clean.missed.facts), ids(clean.missed.stale)];
  const lost = noisy.missed.facts.filter((f) => !met.has(f.id));
  const left = noisy.missed.stale.filter((s) => !outdated.has(s.id)).flatMap((s) => s.memories.map((memory) => ({ id: s.id, memory })));
  const others = lost.filter((f) => !garbledFacts.has(f.id));
  return { figures: { factsLost: lost.length, damaged: left.length + others.length }, missed: { lost, damaged: [...left, ...others] } };
}

/** Who answers the owner's questions: whoever reads their folder; what was answered there before is not asked again. */
export const answererOf = async ({ answers }) => (answers === undefined ? undefined : reader({ ask: answers }));

/** What is remembered of one mailbox, with whoever is chosen to answer. */
export async function oneInbox(files, { mode, oracle, noise, seed }, port, open, answerer) {
  const given = await material(files);
  if (!oracle) return (await trial(given, mode, open, () => ({ answer: port?.ask }), port, answerer)).result;
  const names = people(given.bytes);
  const voice = (share) => () => {
    const model = new LedgerModel(given.book, { people: names, noise: share, seed });
    return { model, answer: (question) => model.answer(question) };
  };
  const clean = await trial(given, mode, open, voice(0), undefined, answerer);
  const who = { oracle: { noise, seed } };
  if (noise === 0) return { ...who, ...clean.result };
  const noisy = await trial(given, mode, open, voice(noise));
  const { figures, missed } = harm(noisy.result, clean.result, noisy.model.garbledFacts);
  return { ...who, ...noisy.result, noise: figures, missed: { ...noisy.result.missed, ...missed } };
}

/** What is remembered of an mbox. */
export async function measureInbox(chosen, { open }) {
  const port = chosen.reads ? await reader(chosen) : undefined;
  const answerer = await answererOf(chosen);
  const result = await oneInbox(chosen, chosen, port, open, answerer);
  await port?.close(JSON.stringify(result));
  await answerer?.close(JSON.stringify(result));
  return chosen.json ? JSON.stringify(result) : inboxTable(result);
}
