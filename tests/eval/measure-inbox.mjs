// Runs a mailbox through the package and holds what is remembered to what was expected.
import { assess, snapshot, zoneOf } from './inbox.mjs';
import { expectations, mailbox, REFUSALS, Unusable } from './input.mjs';
import { without } from './mbox.mjs';
import { promptTokens, reader } from './reader.mjs';
import { inboxTable } from './show.mjs';
import { PATIENCE } from './with-model.mjs';

async function remember(bytes, expected, mode, open, analyst, gauges = false) {
  const memories = await open({
    store: 'memory',
    policy: mode,
    zone: zoneOf(expected.asOf),
    ...(expected.me ? { owner: [expected.me] } : {}),
    ...(analyst ? { analyst, analystTimeout: PATIENCE } : {}),
  });
  const receipts = [];
  // What a model would be asked, whether one is set or not; nobody is.
  const asked = gauges ? await memories.estimate(bytes) : undefined;
  const ingested = await memories.ingest(bytes, { onReceipt: (r) => receipts.push(r) });
  return { memories, receipts, ingested, asked };
}

/** The one who is asked, and how much he was; nobody where none is chosen. */
async function readerOf(chosen) {
  if (chosen.ask === undefined && chosen.replay === undefined) return {};
  const port = await reader(chosen);
  const used = { calls: 0, promptTokens: 0 };
  const analyst = async (question) => {
    used.calls += 1;
    used.promptTokens += promptTokens(question);
    return { text: await port.ask(question) };
  };
  return { port, used, analyst };
}

/** What is remembered of an mbox. */
export async function measureInbox(chosen, { open }) {
  const { inbox, expect, mode, json } = chosen;
  const bytes = await mailbox(inbox);
  const expected = await expectations(expect);
  const { port, used, analyst } = await readerOf(chosen);
  let run;
  try {
    run = await remember(bytes, expected, mode, open, analyst, true);
  } catch (e) {
    if (REFUSALS.includes(e.code)) throw new Unusable(`${inbox}: ${e.message}`);
    throw e;
  }
  if (run.receipts.length === 0) throw new Unusable(`${inbox}: holds no mail`);
  // Control runs ask as well: what they use is not the mailbox's.
  const answers = used && { ...used, promptTokensPerMail: used.promptTokens / run.receipts.length, reader: port.counts };
  const snap = await snapshot(run.memories, run.receipts);
  const ask = async (query, withSpan) => {
    const span = withSpan ? Object.fromEntries(['from', 'to'].filter((k) => query[k]).map((k) => [k, query[k]])) : {};
    const hits = await run.memories.search(query.q, { k: query.k, now: query.at ?? expected.asOf, ...span });
    return hits.map((hit) => hit.memory);
  };
  const controls = new Map();
  const control = async (message) => {
    if (!controls.has(message)) {
      const other = await remember(without(bytes, message), expected, mode, open, analyst);
      controls.set(message, (await snapshot(other.memories, other.receipts)).current);
      await other.memories.close();
    }
    return controls.get(message);
  };
  const { missed, ...figures } = await assess(snap, expected, ask, control);
  const { modelCalls } = await run.memories.analytics();
  const refusals = snap.log.flatMap((e) => e.reasons.filter((r) => r.kind === 'model_refused').map((r) => r.error));
  await run.memories.close();
  const { calls, tokens, drafts } = run.asked;
  const per = (n) => (drafts === 0 ? null : Math.round((100 * n) / drafts) / 100);
  const wouldAsk = { calls, tokens, drafts, callsPerMemory: per(calls), tokensPerMemory: per(tokens) };
  const refused = Object.fromEntries([...new Set(refusals)].sort().map((r) => [r, refusals.filter((o) => o === r).length]));
  const result = {
    mode, inbox, ...figures, modelCalls, wouldAsk, ...(answers ? { answers: { ...answers, refused } } : {}), failed: run.ingested.failed.length, missed,
  };
  await port?.close(JSON.stringify(result));
  return json ? JSON.stringify(result) : inboxTable(result);
}
