// The names by which senders sign, for the pages that would show an address. They lie beside the queue and go with what is erased.
import type { MailReceipt, Memories, Memory } from 'memfold';
import { statementsOf } from '../../../shared/statements';
import { fact, note } from './base';

/** So many are kept; the oldest go first. */
const MOST = 5_000;

export type Names = Record<string, string>;

export const names = async (): Promise<Names> => ((await fact('names')) as Names | undefined) ?? {};

export async function learn(pairs: readonly (readonly [address: string, name: string])[]): Promise<void> {
  const known = await names();
  const fresh = pairs.map(([address, name]) => [address.trim().toLowerCase(), name.trim()] as const).filter(([address, name]) => address && name && known[address] !== name);
  if (fresh.length > 0) await note('names', Object.fromEntries([...Object.entries(known), ...fresh].slice(-MOST)));
}

/** The sender of a mail that was read: by name in its receipt, by address in what it taught. */
export function signed(receipt: MailReceipt): [string, string][] {
  const { from = '', receipts } = receipt;
  const author = receipts.flatMap(({ memory }) => (memory ? statementsOf(memory) : [])).find((s) => s.source === receipt.messageId)?.author;
  return author && from && !from.includes('@') ? [[author, from]] : [];
}

export const peopleOf = (memories: readonly Memory[]): string[] => [...new Set(memories.flatMap((m) => [...m.people, ...statementsOf(m).flatMap((s) => s.author ?? [])]).map((one) => one.toLowerCase()))];

/** Deletes the names of people without a memory. */
export async function forgetNames(people: readonly string[], engine: Memories): Promise<void> {
  const known = await names();
  for (const address of people) {
    if (!Object.hasOwn(known, address)) continue;
    if ((await engine.list({ people: [address], limit: 1, includeSuperseded: true })).length === 0) delete known[address];
  }
  await note('names', known);
}
