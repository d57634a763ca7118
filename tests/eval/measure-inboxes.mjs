// Runs all mailboxes that have a ledger through the package, and adds their figures up.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Unusable } from './input.mjs';
import { answererOf, oneInbox } from './measure-inbox.mjs';
import { reader } from './reader.mjs';
import { inboxesTable } from './show-inbox.mjs';

/** The mailboxes of a folder that have a ledger: each with what it is called and its files. */
function listed(dir) {
  const names = readdirSync(dir)
    .map((file) => /^(.+)\.ledger\.jsonl$/.exec(file)?.[1])
    .filter((name) => name !== undefined)
    .sort();
  if (names.length === 0) throw new Unusable(`${dir}: no mailbox has a ledger`);
  return names.map((name) => ({ name, inbox: `${dir}${name}.mbox`, expect: `${dir}${name}.expect.json`, ledger: `${dir}${name}.ledger.jsonl` }));
}

/** The sums of counts that lie under equal names, however deep; what is no count is left out. */
export function added(all) {
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))];
  const sums = names.map((name) => {
    const values = all.map((one) => one[name]).filter((v) => v !== undefined);
    if (values.every((v) => typeof v === 'number')) return [name, values.reduce((sum, v) => sum + v, 0)];
    const deeper = values.every((v) => typeof v === 'object' && v !== null && !Array.isArray(v));
    return [name, deeper ? added(values) : undefined];
  });
  return Object.fromEntries(sums.filter(([, v]) => v !== undefined));
}

/** The figures of several mailboxes as one; what is a share of the mails or drafts is taken anew. */
export function together(results) {
  const { missed: _, oracle: __, ...sums } = added(results);
  const { wouldAsk, answers, mails } = sums;
  const per = (n) => (wouldAsk.drafts === 0 ? null : Math.round((100 * n) / wouldAsk.drafts) / 100);
  return {
    ...sums,
    spuriousPerMail: sums.spurious / mails,
    ...(sums.owner ? { owner: { ...sums.owner, spuriousPerMail: sums.owner.spurious / mails } } : {}),
    wouldAsk: { ...wouldAsk, callsPerMemory: per(wouldAsk.calls), tokensPerMemory: per(wouldAsk.tokens) },
    ...(answers ? { answers: { ...answers, callsPerMail: answers.calls / mails, promptTokensPerMail: answers.promptTokens / mails } } : {}),
  };
}

/** What is remembered of all mailboxes with a ledger; `engine(name)` gives the package that reads one of them. */
export async function measureInboxes(chosen, engine, dir = fileURLToPath(new URL('../inbox/', import.meta.url))) {
  const { mode, json, oracle, noise, seed } = chosen;
  const port = chosen.reads ? await reader(chosen) : undefined;
  const answerer = await answererOf(chosen);
  const inboxes = {};
  for (const { name, ...files } of listed(dir)) inboxes[name] = await oneInbox(files, chosen, port, (await engine(name)).open, answerer);
  const result = { mode, ...(oracle ? { oracle: { noise, seed } } : {}), ...together(Object.values(inboxes)), inboxes };
  await port?.close(JSON.stringify(result));
  await answerer?.close(JSON.stringify(result));
  return json ? JSON.stringify(result) : inboxesTable(result);
}
