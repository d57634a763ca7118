// The reader behind all systems: the mailbox's ledger answers in the model's place, as in `make eval ARGS="--inboxes --oracle"`.
// For a mail and the memories that the system shows, it says which facts are new, changed or repeated, in the ledger's words.
//
//   node reader.mjs NAME.ledger.jsonl NAME.mbox
//
// reads one JSON request a line, {"source": "<Message-ID>", "shown": [{"id", "text"}]}, and writes one reply a line:
// {"entries": [{"op": "new|update|repeat", "of": id or null, "text": the statement}]}. {"source", "facts": true} shows nothing:
// the reply lists all statements of the mail. If the system does not show the memory that a statement repeats, the op is "new".
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ledger } from '../../tests/eval/ledger.mjs';
import { LedgerModel } from '../../tests/eval/ledger-model.mjs';
import { people } from '../../tests/eval/mbox.mjs';

/** The ledger, and the model that answers memfold's questions about mails from it. */
export async function ledgerReader(ledgerFile, mbox) {
  const book = await ledger(ledgerFile);
  return { book, model: new LedgerModel(book, { people: people(await readFile(mbox)) }) };
}

/** The statements of a mail, one for each fact, in the ledger's words. */
function statements(book, source) {
  const values = new Map(book.of(source).map(({ fact, value }) => [fact, value]));
  return [...values.values()].map((text) => ({ op: 'new', of: null, text }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { book, model } = await ledgerReader(...process.argv.slice(2));
  for await (const line of createInterface({ input: process.stdin })) {
    const { source, shown = [], facts = false } = JSON.parse(line);
    const candidates = shown.map(({ id, text }) => ({ handle: id, content: text }));
    const entries = facts ? statements(book, source) : JSON.parse(model.answer({ task: 'mail', source, candidates })).entries;
    process.stdout.write(`${JSON.stringify({ entries: entries.map(({ op, of, text }) => ({ op, of, text })) })}\n`);
  }
}
