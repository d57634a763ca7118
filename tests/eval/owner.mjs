// The owner's word on what waits for it, given by whoever knows what each mail says: a change that was told is right, whether it was
// not written or is not confirmed.

/** The word that lets an update stand which was kept beside what it replaces, or was withheld; none for what never waits. */
const wordOn = ({ op, decided }) => (op !== 'update' ? null : decided === 'CREATE_AND_LINK' ? 'UPDATE' : decided === 'UPDATE' ? 'accept' : null);

/** Reasons for which a change waits that was told of a memory. */
const GUARDED = ['no_standing', 'source_outranks', 'sensitive_change', 'unproven'];

/** What waits of changes by mails that change something, by a ledger; of one that was read by somebody else it knows no more. */
export function rightly(waiting, book) {
  const guarded = ({ entry }) => entry.reasons.some((r) => GUARDED.includes(r.kind)) && entry.targetId !== undefined;
  const told = ({ entry }) => entry.sourceId !== undefined && book.of(entry.sourceId).some((said) => said.op === 'update');
  return waiting
    .filter((item) => guarded(item) && told(item))
    .map(({ entry }) => ({ entry: entry.id, op: 'update', decided: entry.decision, text: entry.input }));
}

/** Whether a provisional change was told, by a ledger: its mail changes something. */
export const toldBy = (book) => (entry) => entry.sourceId !== undefined && book.of(entry.sourceId).some((said) => said.op === 'update');

/**
 * Confirms each provisional change of which `isRight(entry)`, then says yes to each update of `overruled` that waits, the oldest first;
 * gives how many decisions and changes wait in all, how many of them were such, how many of these stand now, and why the others do not.
 */
export async function settled(memories, overruled, isRight = () => false) {
  const changes = await memories.review.changes();
  const right = changes.filter(({ entry }) => isRight(entry));
  const failed = [];
  for (const { memory, entry } of right) {
    try {
      await memories.review.confirm(memory.id);
    } catch ({ code, message }) {
      failed.push({ entry: entry.id, op: 'update', decided: entry.decision, text: entry.input, error: `${code}: ${message}` });
    }
  }
  // One question is asked of a matter; the next comes once it is answered.
  const wanted = new Map(overruled.filter((one) => wordOn(one) !== null).map((one) => [one.entry, one]));
  const seen = new Set();
  let asked = right.length;
  for (let more = true; more; ) {
    more = false;
    for (const { entry } of await memories.review.list()) {
      const one = wanted.get(entry.id);
      if (seen.has(entry.id)) continue;
      seen.add(entry.id);
      if (one === undefined) continue;
      more = true;
      asked += 1;
      try {
        await memories.review.decide(one.entry, wordOn(one));
      } catch ({ code, message }) {
        failed.push({ ...one, error: `${code}: ${message}` });
      }
    }
  }
  return { waiting: changes.length + seen.size, asked, settled: asked - failed.length, unsettled: failed };
}
