// The owner's word on what waits for it, given by whoever knows what each mail says: a change that was told and not written is right.

/** The word that lets an update stand which was kept beside what it replaces, or was withheld; none for what never waits. */
const wordOn = ({ op, decided }) => (op !== 'update' ? null : decided === 'CREATE_AND_LINK' ? 'UPDATE' : decided === 'UPDATE' ? 'accept' : null);

/** Reasons for which a change waits that was told of a memory. */
const GUARDED = ['no_standing', 'source_outranks', 'sensitive_change'];

/** What waits of changes by mails that change something, by a ledger; of one that was read by somebody else it knows no more. */
export function rightly(waiting, book) {
  const guarded = ({ entry }) => entry.reasons.some((r) => GUARDED.includes(r.kind)) && entry.targetId !== undefined;
  const told = ({ entry }) => entry.sourceId !== undefined && book.of(entry.sourceId).some((said) => said.op === 'update');
  return waiting.filter((item) => guarded(item) && told(item)).map(({ entry }) => ({ entry: entry.id, op: 'update', decided: entry.decision, text: entry.input }));
}

/**
 * Says yes to each update of `overruled` that waits, the oldest first; gives how many decisions wait in all, how many of them were
 * such updates, how many of these stand now, and why the others do not.
 */
export async function settled(memories, overruled) {
  const waiting = await memories.review.list();
  const wanted = new Map(overruled.filter((one) => wordOn(one) !== null).map((one) => [one.entry, one]));
  const mine = waiting.map(({ entry }) => wanted.get(entry.id)).filter((one) => one !== undefined);
  const failed = [];
  for (const one of mine) {
    try {
      await memories.review.decide(one.entry, wordOn(one));
    } catch ({ code, message }) {
      failed.push({ ...one, error: `${code}: ${message}` });
    }
  }
  return { waiting: waiting.length, asked: mine.length, settled: mine.length - failed.length, unsettled: failed };
}
