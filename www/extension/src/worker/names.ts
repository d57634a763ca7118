// Display names of senders. They are stored with the queue and erased with their memories.
import type { MailReceipt, Memories, Memory } from 'memfold';
import { statementsOf } from '../../../shared/statements';
import { fact, note } from './base';

/** Most names stored; the oldest are dropped first. */
const MOST = 5_000;

export type Names = Record<string, string>;

export const names = async (): Promise<Names> => ((await fact('names')) as Names | undefined) ?? {};

export async function learn(pairs: readonly (readonly [address: string, name: string])[]): Promise<void> {
  const known = await names();
  const fresh = pairs
    .map(([address, name]) => [address.trim().toLowerCase(), name.trim()] as const)
    .filter(([address, name]) => address && name && known[address] !== name);
  if (fresh.length > 0) await note('names', Object.fromEntries([...Object.entries(known), ...fresh].slice(-MOST)));
}

/** The sender of a processed mail: name from its receipt, address from its memories. */
export function signed(receipt: MailReceipt): [string, string][] {
  const { from = '', receipts } = receipt;
  const author = receipts.flatMap(({ memory }) => (memory ? statementsOf(memory) : [])).find((s) => s.source === receipt.messageId)?.author;
  return author && from && !from.includes('@') ? [[author, from]] : [];
}

export const peopleOf = (memories: readonly Memory[]): string[] => [
  ...new Set(memories.flatMap((m) => [...m.people, ...statementsOf(m).flatMap((s) => s.author ?? [])]).map((one) => one.toLowerCase())),
];

/** Deletes the names of people without memories. */
export async function forgetNames(people: readonly string[], engine: Memories): Promise<void> {
  const known = await names();
  for (const address of people) {
    if (!Object.hasOwn(known, address)) continue;
    if ((await engine.list({ people: [address], limit: 1, includeSuperseded: true })).length === 0) delete known[address];
  }
  await note('names', known);
}
