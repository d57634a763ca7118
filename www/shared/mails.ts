// How the page opens the source mails of memories, and the names of senders.
import { signal } from '@preact/signals';
import type { Draft, Memory } from 'memfold';
import { statementsOf } from './statements';

/** A mail as shown on the page. */
export type Mail = { id: string; thread?: string; from: string; name: string; to: string; subject: string; at: string; text: string };

/** What the page can do with a mail, by its message id: link to it or read its text. */
export type MailAccess = {
  link?(source: string): string | undefined;
  read?(source: string): Promise<Mail | undefined>;
  /** Keeps the mail's text after the owner remembered a part of it. */
  keep?(mail: Mail): Promise<void>;
  /** Erases the texts of these mails. */
  drop?(sources: readonly string[]): Promise<void>;
};

let mailAccess: MailAccess = {};
export const setMailAccess = (next: MailAccess): void => void (mailAccess = next);
export const linkTo = (source: string): string | undefined => mailAccess.link?.(source);
export const canRead = (): boolean => mailAccess.read !== undefined;
export const read = async (source: string): Promise<Mail | undefined> => mailAccess.read?.(source);

/** Display names by address. */
export const names = signal<ReadonlyMap<string, string>>(new Map());

/** Adds display names. If two addresses share a name, both are shown as addresses. */
export function learnNames(pairs: Iterable<readonly [address: string, name: string]>): void {
  const next = new Map(names.value);
  for (const [address, name] of pairs) if (address && name && !name.includes('@')) next.set(address.toLowerCase(), name);
  const used = new Map<string, number>();
  for (const name of next.values()) used.set(name, (used.get(name) ?? 0) + 1);
  for (const [address, name] of next) if ((used.get(name) ?? 0) > 1) next.delete(address);
  names.value = next;
}
export const nameOf = (address: string): string => names.value.get(address.toLowerCase()) ?? address;

/** The sender of a draft. A text without memories has only its sender among its people. */
export const senderOf = (draft: Draft | undefined): string | undefined =>
  draft?.author ?? (draft?.sourceId && draft.people?.length === 1 ? draft.people[0] : undefined);

/** The open mail and the words to highlight in it. */
export const shown = signal<{ source: string; marks: readonly string[] } | null>(null);

/** The source mails of a memory and its versions. */
export const sourcesOf = (versions: readonly Memory[]): string[] => [
  ...new Set(versions.flatMap((m) => [...(m.sourceId ? [m.sourceId] : []), ...statementsOf(m).flatMap((s) => s.source ?? [])])),
];

export const drop = async (sources: readonly string[]): Promise<void> => {
  if (sources.length > 0) await mailAccess.drop?.(sources);
};

export const keepMail = async (mail: Mail): Promise<void> => mailAccess.keep?.(mail);
