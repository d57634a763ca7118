// The mails behind what is known: how a page leads to one, and by what names their senders go. It keeps nothing by itself.
import { signal } from '@preact/signals';
import type { Draft, Memory } from 'memfold';
import { statementsOf } from './statements';

/** A mail as it can be read here. */
export type Mail = { id: string; thread?: string; from: string; name: string; to: string; subject: string; at: string; text: string };

/** What a page can do for a mail by its message id: give an address that opens it, or its text. */
export type Way = {
  link?(source: string): string | undefined;
  read?(source: string): Promise<Mail | undefined>;
  /** Something of it was remembered by hand: its text is kept. */
  keep?(mail: Mail): Promise<void>;
  /** Its memories are erased for good: so is its text. */
  drop?(sources: readonly string[]): Promise<void>;
};

let way: Way = {};
export const reach = (next: Way): void => void (way = next);
export const linkTo = (source: string): string | undefined => way.link?.(source);
export const canRead = (): boolean => way.read !== undefined;
export const read = async (source: string): Promise<Mail | undefined> => way.read?.(source);

/** The names by which addresses sign themselves. */
export const names = signal<ReadonlyMap<string, string>>(new Map());

/** Adds the names of addresses. If two addresses share a name, both are shown as addresses. */
export function learnNames(pairs: Iterable<readonly [address: string, name: string]>): void {
  const next = new Map(names.value);
  for (const [address, name] of pairs) if (address && name && !name.includes('@')) next.set(address.toLowerCase(), name);
  const used = new Map<string, number>();
  for (const name of next.values()) used.set(name, (used.get(name) ?? 0) + 1);
  for (const [address, name] of next) if ((used.get(name) ?? 0) > 1) next.delete(address);
  names.value = next;
}
export const nameOf = (address: string): string => names.value.get(address.toLowerCase()) ?? address;

/** Who sent what a draft is of; of a text of which nothing was made, its people are its sender alone. */
export const senderOf = (draft: Draft | undefined): string | undefined => draft?.author ?? (draft?.sourceId && draft.people?.length === 1 ? draft.people[0] : undefined);

/** The mail that is shown, and the words in it that are marked. */
export const shown = signal<{ source: string; marks: readonly string[] } | null>(null);

/** Every mail that a memory and its earlier versions rest on. */
export const sourcesOf = (versions: readonly Memory[]): string[] => [
  ...new Set(versions.flatMap((m) => [...(m.sourceId ? [m.sourceId] : []), ...statementsOf(m).flatMap((s) => s.source ?? [])])),
];

export const drop = async (sources: readonly string[]): Promise<void> => {
  if (sources.length > 0) await way.drop?.(sources);
};

export const keepMail = async (mail: Mail): Promise<void> => way.keep?.(mail);
