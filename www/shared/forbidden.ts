// The "Never remember" list on this page, and how it is stored.
import { signal } from '@preact/signals';
import { t } from './i18n';
import { nameOf } from './mails';
import { domainOf, tidied, type Never } from './never';
import { done, type Offer } from './toast';

export const never = signal<Never>({ people: [], topics: [] });

let store: (next: { people: string[]; topics: string[] }) => unknown = () => undefined;

/** Sets the stored list and the function that stores it. */
export function initNeverList(list: Never, by: typeof store): void {
  never.value = tidied(list);
  store = by;
}

export async function save(next: Never): Promise<void> {
  const list = tidied(next);
  await store(list);
  never.value = list;
}

export type Kind = keyof Never;

/** The kind of an entry: an address or domain, or words of a subject. */
export const kindOf = (entry: string): Kind => (/@|^[\w-]+(?:\.[\w-]+)+$/.test(entry.trim()) ? 'people' : 'topics');

export const remove = (kind: Kind, entry: string): Promise<void> => save({ ...never.value, [kind]: never.value[kind].filter((one) => one !== entry) });

/** Adds an entry to the list and offers an undo. */
export async function forbid(kind: Kind, entry: string): Promise<void> {
  const known = new Set(never.value[kind]);
  await save({ ...never.value, [kind]: [...known, entry] });
  const added = never.value[kind].filter((one) => !known.has(one));
  done(t('never.did', { name: kind === 'people' ? nameOf(entry) : entry }), async () => {
    for (const one of added) await remove(kind, one);
    done(t('never.undid'));
  });
}

/** Domains of public mail providers, which do not identify a sender. */
const SHARED = /^@(?:gmail|googlemail|outlook|hotmail|live|yahoo|icloud|me|proton(?:mail)?|gmx|aol|naver|daum|hanmail|kakao|nate)\.[\w.]+$/;
const MOST_TOPIC = 60;

/** Offers for the list after memories of these senders and this subject were deleted. */
export function offers(senders: readonly string[], subject: string | undefined): Offer[] {
  const [sender] = senders.length === 1 ? senders : [];
  const domain = sender?.includes('@') ? domainOf(sender) : undefined;
  const one = (kind: Kind, entry: string, label: string): Offer => ({ label, act: () => forbid(kind, entry) });
  return [
    ...(sender?.includes('@') ? [one('people', sender, nameOf(sender))] : []),
    ...(domain && !SHARED.test(domain) ? [one('people', domain, domain)] : []),
    ...(subject && subject.length <= MOST_TOPIC ? [one('topics', subject, t('never.topic', { topic: subject }))] : []),
  ];
}
