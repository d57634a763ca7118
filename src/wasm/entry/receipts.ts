// Receipts: what a call decided and wrote.
import type { Verbs } from './engine.js';
import type { Decision, Failure, LogEntry, MailReceipt as EngineMailReceipt, Memory, Receipt as EngineReceipt, RefusedEntry, Ruling, Time } from './types.js';

/** The result of one decision of the engine or the owner. */
export interface Receipt {
  decision: Decision;
  /** The memory as it is now: created, updated, restored, or the one that says the same. Absent if there is none, or several. */
  memory?: Memory;
  /** The log entry: the decision with its reasons. `undo` takes its id. */
  entry: LogEntry;
  /** `confirmed`; `provisional` if the reporter may not change the memory; `review` if it waits for the owner. */
  confirmation: Ruling;
  /** Whether the input was handled before, so that nothing was done now. */
  replayed: boolean;
}

/** The results for a text, which may contain several memories or none. */
export interface Receipts {
  /** One for each memory found in the text. */
  receipts: Receipt[];
  /** Entries of the model's reply that were rejected. Their evidence is kept verbatim. */
  refused?: RefusedEntry[];
  /** Why the text could not be handled. The failure is logged and can be retried. */
  failed?: Failure;
}

/** The results for one mail of an import. */
export interface MailReceipt extends Receipts {
  /** Its position in the source, from 0. */
  index: number;
  /** Whether `exclude` names it. Then it was not read, and the other fields are absent. */
  excluded?: boolean;
  messageId?: string;
  /** Its subject line. */
  subject?: string;
  /** Its sender, by name or address. */
  from?: string;
  date?: Time;
}

const confirmationOf = ({ confirmation, needsReview }: LogEntry): Ruling => confirmation ?? (needsReview ? 'review' : 'confirmed');

/** @internal */
export const receiptOf = ({ entry, memory, replayed }: EngineReceipt): Receipt => ({
  decision: entry.decision,
  ...(memory && { memory }),
  entry,
  confirmation: confirmationOf(entry),
  replayed,
});

/** @internal */
export const mailReceiptOf = ({ receipts, ...mail }: EngineMailReceipt): MailReceipt => ({ ...mail, receipts: receipts.map(receiptOf) });

/** @internal */
export const receiptsOf = ({ receipts, refused, failed }: EngineMailReceipt): Receipts => ({
  receipts: receipts.map(receiptOf),
  ...(refused && { refused }),
  ...(failed && { failed }),
});

/** The most versions that are read to find the current memory of an entry. */
const MOST = 16;

/**
 * The receipt of a logged act, with the one memory that it left current.
 * @internal
 */
export async function actReceipt(engine: Verbs, act: Promise<LogEntry>): Promise<Receipt> {
  const entry = await act;
  const touched = entry.touched.length > MOST ? [] : await Promise.all(entry.touched.map((id) => engine.get(id)));
  const current = touched.filter((m): m is Memory => m !== null && m !== undefined && m.supersededBy === undefined && m.deletedAt === undefined);
  return receiptOf({ entry, ...(current.length === 1 && { memory: current[0]! }), replayed: false });
}
