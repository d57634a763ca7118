// Determines whose mailbox an import is: known, or asked before the import. A file's own claim is
// not trusted.
import { signal } from '@preact/signals';
import { glance } from '../../shared/mailbox';
import { keepOwner, owner, save, saved } from '../../shared/settings';
import { SAMPLES, type SampleName } from './samples';

/** The shape of an address. */
export const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

/** An address, unknown, or no import. */
export type Answer = { address: string } | 'unknown' | 'cancel';
/** The question before an import; `guess` is suggested by its mails. */
export type Question = { name: string; guess?: string | undefined; answer(answer: Answer): void };

export const question = signal<Question | null>(null);

/** The owner of an import, if known; with `isNew`, the store must be reopened with them. */
export type MailboxOwner = { address?: string; isNew: boolean } | 'cancel';

/** The owner's addresses for opening the store, including those of the samples' owners. */
export const owners = (): string[] => [...new Set([...owner.value, ...(saved.samples ?? []).map((name) => SAMPLES[name].owner)])];

/** The owner of a sample, an invented person. The reader's own addresses stay as they are. */
export function sampleOwner(name: SampleName): MailboxOwner {
  const isNew = !saved.samples?.includes(name);
  if (isNew) save({ samples: [...(saved.samples ?? []), name] });
  return { address: SAMPLES[name].owner, isNew };
}

/** The owner of a file. The reader is asked once for each suggested address. */
export async function findOwner(file: Blob, name: string): Promise<MailboxOwner> {
  const guess = (await glance(file)).owner;
  const answered = saved.answered ?? [];
  const isKnown = guess === undefined ? owner.value.length > 0 : owner.value.includes(guess);
  if (isKnown || answered.includes(guess ?? '')) return { isNew: false };
  const answer = await new Promise<Answer>((resolve) => (question.value = { name, guess, answer: resolve }));
  question.value = null;
  if (answer === 'cancel') return answer;
  save({ answered: [...answered, guess ?? ''] });
  if (answer === 'unknown') return { isNew: false };
  const address = answer.address.trim().toLowerCase();
  const isNew = !owner.value.includes(address);
  // Answers about mailboxes are erased with the mails; addresses from the settings are not.
  if (isNew) keepOwner([...owner.value, address], owner.value.length === 0 || saved.told === true);
  return { address, isNew };
}

/** The owner as a line of the export; empty if unknown. */
export function ownerLine(): string {
  const samples = saved.samples ?? [];
  return owner.value.length + samples.length === 0 ? '' : `${JSON.stringify({ app: { owner: owner.value, samples } })}\n`;
}

/** Takes the owner's addresses from an export; returns those that are new. */
export function ownerFrom(text: string): string[] {
  const line = text.split('\n').find((l) => l.startsWith('{"app":'));
  const told = line === undefined ? {} : ((JSON.parse(line) as { app?: { owner?: unknown; samples?: unknown } }).app ?? {});
  const texts = (all: unknown): string[] => (Array.isArray(all) ? all.filter((one) => typeof one === 'string') : []);
  const isSample = (name: string): name is SampleName => name in SAMPLES;
  const before = owners();
  const samples = texts(told.samples).filter(isSample);
  if (samples.length > 0) save({ samples: [...new Set([...(saved.samples ?? []), ...samples])] });
  const addresses = [
    ...new Set([
      ...owner.value,
      ...texts(told.owner)
        .map((a) => a.trim().toLowerCase())
        .filter((a) => ADDRESS.test(a)),
    ]),
  ];
  if (addresses.length > owner.value.length) keepOwner(addresses, false);
  return owners().filter((address) => !before.includes(address));
}

/** Clears the answers about erased mailboxes. */
export function forgetOwners(): void {
  if (saved.told) keepOwner([], false);
  save({ answered: [], samples: [] });
}
