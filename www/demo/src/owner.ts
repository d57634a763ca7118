// Whose mailbox an import is: known, or asked before a mail of it is read. No file is believed to say so by itself.
import { signal } from '@preact/signals';
import { glance } from '../../shared/mailbox';
import { keepOwner, owner, save, saved } from '../../shared/settings';
import { SAMPLES, type SampleName } from './samples';

/** What an address looks like. */
export const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/;

/** An address, that nobody knows, or that the import is given up. */
export type Answer = { address: string } | 'unknown' | 'cancel';
/** The question before an import; `guess` is what its mails suggest. */
export type Question = { name: string; guess?: string | undefined; isSample?: boolean; answer(answer: Answer): void };

export const question = signal<Question | null>(null);

/** What is known of an import's owner before it begins; `isNew` is whether the store must be opened with them. */
export type Whose = { address?: string; isNew: boolean } | 'cancel';

/** The owner's addresses, as the store is opened with them; those of the samples, who are not the reader, among them. */
export const owners = (): string[] => [...new Set([...owner.value, ...(saved.samples ?? []).map((name) => SAMPLES[name].owner)])];

/** Whose a sample is: asked once like any other, with the answer in sight, since the page knows it. */
export async function ofSample(name: SampleName): Promise<Whose> {
  const { owner: address, file } = SAMPLES[name];
  if (saved.samples?.includes(name)) return { address, isNew: false };
  const answer = await new Promise<Answer>((resolve) => (question.value = { name: file, guess: address, isSample: true, answer: resolve }));
  question.value = null;
  if (answer === 'cancel') return answer;
  if (answer === 'unknown') return { isNew: false };
  save({ samples: [...(saved.samples ?? []), name] });
  return { address, isNew: true };
}

/** Whose mailbox a file is. The reader is asked once for each that its mails suggest. */
export async function whose(file: Blob, name: string): Promise<Whose> {
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
  // What was answered goes with the mails; what was entered among the data stays.
  if (isNew) keepOwner([...owner.value, address], owner.value.length === 0 || saved.told === true);
  return { address, isNew };
}

/** Whose the memories are, as a line of their export; none where nobody has said. */
export function ownerLine(): string {
  const samples = saved.samples ?? [];
  return owner.value.length + samples.length === 0 ? '' : `${JSON.stringify({ app: { owner: owner.value, samples } })}\n`;
}

/** Takes the owner's addresses from an export of this page; gives those that were not known here. */
export function ownerFrom(text: string): string[] {
  const line = text.split('\n').find((l) => l.startsWith('{"app":'));
  const told = line === undefined ? {} : (JSON.parse(line) as { app?: { owner?: unknown; samples?: unknown } }).app ?? {};
  const texts = (all: unknown): string[] => (Array.isArray(all) ? all.filter((one) => typeof one === 'string') : []);
  const isSample = (name: string): name is SampleName => name in SAMPLES;
  const before = owners();
  const samples = texts(told.samples).filter(isSample);
  if (samples.length > 0) save({ samples: [...new Set([...(saved.samples ?? []), ...samples])] });
  const addresses = [...new Set([...owner.value, ...texts(told.owner).map((a) => a.trim().toLowerCase()).filter((a) => ADDRESS.test(a))])];
  if (addresses.length > owner.value.length) keepOwner(addresses, false);
  return owners().filter((address) => !before.includes(address));
}

/** Forgets what was told of mailboxes that are erased. */
export function forgetOwners(): void {
  if (saved.told) keepOwner([], false);
  save({ answered: [], samples: [] });
}
