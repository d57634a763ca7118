// How far words that are only copied can reach: what is expected of a mailbox, held to the very words that its ledger rests on.
// No engine takes part. Whoever writes sentences of their own, or reckons, can do better.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expectations, mailbox } from './input.mjs';
import { ledger } from './ledger.mjs';
import { heads } from './mbox.mjs';
import { table } from '../../www/terminal/table.mjs';
import { percent } from './show.mjs';
import { holdsAll, normal } from './text.mjs';

const bare = (id) => id.trim().replace(/^<|>$/g, '');
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** A day in the ways in which people write it: a reader of dates may stand any of them beside "on Friday". */
function spellings(day) {
  if (!day) return '';
  const [year, month, date] = day.split('-').map(Number);
  const name = MONTHS[month - 1];
  const short = name.slice(0, 3);
  return [
    day,
    `${year}년 ${month}월 ${date}일`,
    `${month}/${date}`,
    `${date} ${name} ${year}`,
    `${name} ${date}, ${year}`,
    `${date} ${short}`,
    `${short} ${date}`,
  ].join(' · ');
}

/**
 * What is in the mails' own words: of `facts` those of which one mail holds all that is expected, and those of which all mails
 * together do; of `histories` those of which each mail holds its version. A mail's words are what the ledger quotes of the fact,
 * its day, the subject line, and who writes to whom.
 */
export function copied(bytes, expected, book) {
  const around = new Map(heads(bytes).map((h) => [bare(h.id), `${h.subject} ${h.people}`]));
  const words = (id, fact) => {
    const entries = book.of(id).filter((e) => fact === undefined || e.fact === fact);
    return [around.get(bare(id)) ?? '', ...entries.flatMap((e) => [e.quote, spellings(e.day)])].join(' · ');
  };
  const holds = (lists) => (text) => holdsAll(normal(text), lists);
  const told = expected.current.map(({ id, messages, anyOf }) => ({ mails: messages.map((m) => words(m, id)), held: holds(anyOf) }));
  return {
    facts: told.length,
    byOneMail: told.filter(({ mails, held }) => mails.some(held)).length,
    byAllMails: told.filter(({ mails, held }) => held(mails.join(' · '))).length,
    histories: expected.history.length,
    byTheirMails: expected.history.filter(({ messages, anyOf }) => messages.every((m, n) => holds([anyOf[n]])(words(m)))).length,
  };
}

/** The same of all mailboxes with a ledger, those that are kept back as well, as a table. */
export async function measureCopied({ json }, dir = fileURLToPath(new URL('../inbox/', import.meta.url))) {
  const inboxes = {};
  for (const folder of ['', 'kept/']) {
    for (const file of readdirSync(dir + folder)
      .filter((f) => f.endsWith('.ledger.jsonl'))
      .sort()) {
      const name = folder + file.replace('.ledger.jsonl', '');
      inboxes[name] = copied(await mailbox(`${dir}${name}.mbox`), await expectations(`${dir}${name}.expect.json`), await ledger(`${dir}${name}.ledger.jsonl`));
    }
  }
  const sum = (of) => Object.values(inboxes).reduce((all, one) => all + one[of], 0);
  const all = Object.fromEntries(['facts', 'byOneMail', 'byAllMails', 'histories', 'byTheirMails'].map((of) => [of, sum(of)]));
  if (json) return JSON.stringify({ ...all, inboxes });
  const row = (name, r) => [
    name,
    String(r.facts),
    percent(r.byOneMail / r.facts),
    percent(r.byAllMails / r.facts),
    String(r.histories),
    percent(r.byTheirMails / r.histories),
  ];
  const right = (title) => ({ title, right: true });
  const columns = ['', right('facts'), right("in one mail's words"), right("in all mails' words"), right('histories'), right("in their mails' words")];
  return table(columns, [...Object.entries(inboxes).map(([name, r]) => row(name, r)), row('all', all)]);
}
