// The questions of the review: their kind, possible answers and priority.
import type { Draft, Memory, Reason, ReviewItem } from 'memfold';
import type { Verdict } from './actions';
import { dueFrom, today } from './due';
import { headlineOf } from './headline';
import { day, moment, type PlainKey } from './i18n';
import { edgesOf, headOf } from './state';
import { saidAt } from './statements';
import { isDoubt, isFraud } from './words';

/** `late`: the mail is older than the stored memory and may only be history. */
export type Kind = 'fraud' | 'detail' | 'suspected' | 'withheld' | 'failed' | 'doubt' | 'late' | 'also' | 'unsure';

export function kindOf({ entry, existing, draft }: ReviewItem): Kind {
  const has = (kind: Reason['kind']) => entry.reasons.some((r) => r.kind === kind);
  if (has('suspected')) return 'suspected';
  if (isFraud(entry)) return 'fraud';
  if (has('sensitive_change')) return 'detail';
  if (entry.status === 'error') return 'failed';
  if (entry.decision === 'UPDATE' && entry.touched.length === 0) return 'withheld';
  // A doubtful update has written the new value, so its answers are those of an uncertain decision.
  if (existing && isDoubt(entry) && entry.decision !== 'UPDATE')
    return draft.statedAt && Date.parse(draft.statedAt) < Date.parse(saidAt(existing)) ? 'late' : 'doubt';
  return has('may_also_replace') ? 'also' : 'unsure';
}

/** The meaning of an answer, whatever the question. */
export type Act = 'replace' | 'keep' | 'other' | 'forget' | 'known' | 'right';
export type Answer = { act: Act; words: PlainKey } & ({ verdict: Verdict } | { drop: 'existing' | 'memory' });

const of = (...answers: [Act, Verdict, PlainKey][]) => answers.map(([act, verdict, words]) => ({ act, verdict, words }));

/** The answers to each kind of question, the most likely first. */
const ANSWERS: Record<Kind, ReturnType<typeof of>> = {
  fraud: of(['keep', 'accept', 'review.accept.fraud'], ['replace', 'UPDATE', 'review.checked'], ['forget', 'reject', 'review.forget']),
  detail: of(['keep', 'accept', 'review.accept.detail'], ['replace', 'UPDATE', 'review.checked'], ['forget', 'reject', 'review.forget']),
  suspected: of(['keep', 'accept', 'review.accept.suspected'], ['forget', 'reject', 'review.forget']),
  withheld: of(['replace', 'accept', 'review.replace'], ['forget', 'reject', 'review.reject.withheld'], ['other', 'CREATE', 'review.other']),
  failed: of(['right', 'accept', 'review.accept.failed'], ['forget', 'reject', 'review.forget']),
  doubt: of(
    ['replace', 'UPDATE', 'review.replace'],
    ['keep', 'accept', 'review.keep'],
    ['other', 'CREATE', 'review.other'],
    ['forget', 'reject', 'review.forget'],
    ['known', 'SKIP', 'review.known'],
  ),
  late: of(
    ['replace', 'UPDATE', 'review.accept.late'],
    ['keep', 'accept', 'review.keep'],
    ['other', 'CREATE', 'review.other'],
    ['forget', 'reject', 'review.forget'],
    ['known', 'SKIP', 'review.known'],
  ),
  also: of(['right', 'accept', 'review.accept.also'], ['forget', 'reject', 'review.forget']),
  unsure: of(
    ['right', 'accept', 'review.accept.unsure'],
    ['replace', 'UPDATE', 'review.replace'],
    ['other', 'CREATE', 'review.other'],
    ['forget', 'reject', 'review.forget'],
  ),
};

/** Whether an answer loses nothing; only such an answer is offered first. */
export const isSafe = (act: Act): boolean => act === 'keep' || act === 'right';

/**
 * Whether a later version builds on the decision. Then the question is about the current version.
 */
export const isBuiltOn = ({ memory }: ReviewItem): boolean => memory?.supersededBy !== undefined;

/**
 * The answers that remain if later decisions build on this one: keep it, or delete one of the two.
 */
function answersLeft(item: ReviewItem): Answer[] {
  const kind = kindOf(item);
  const stands = ANSWERS[kind].filter(({ verdict }) => verdict === 'accept');
  if (kind === 'doubt')
    return [...stands, { act: 'replace', drop: 'existing', words: 'doubt.drop' }, { act: 'forget', drop: 'memory', words: 'doubt.dropNewer' }];
  if (item.entry.decision === 'UPDATE') return stands;
  return [...stands, { act: 'forget', drop: 'memory', words: kind === 'late' ? 'doubt.drop' : 'review.forget' }];
}

export function answersOf(item: ReviewItem): Answer[] {
  const all = ANSWERS[kindOf(item)];
  // A model's text contains the whole memory, so it can still replace the other.
  if (isBuiltOn(item) && !item.entry.reasons.some((r) => r.kind === 'model_read')) return answersLeft(item);
  // Without a stored memory nothing can be replaced; the first answer already states the decision.
  return all.filter(({ act, verdict }) => (item.existing || act !== 'replace' || kindOf(item) === 'withheld') && verdict !== item.entry.decision);
}

/** The priority of a question, by importance, number of links, due date and whether two values of one kind differ. */
export function priorityOf(item: ReviewItem): number {
  const { entry, existing, memory, draft } = item;
  const sides = [existing, memory].filter((m) => m !== undefined);
  const importance = Math.max(Number(draft.importance) || 0, 0.3, ...sides.map((m) => m.importance));
  const links = new Set(sides.flatMap((m) => edgesOf.value.get(m.id) ?? [])).size;
  const due = dueFrom(today(), sides).length > 0 ? 0.3 : 0;
  const own = existing?.sourceType === 'user_input' || entry.status === 'error' ? 0.3 : 0;
  const differs = existing && valueKindOf(existing, memory ?? draft) !== 'which' ? 0.3 : 0;
  return importance + 0.04 * Math.min(links, 6) + due + own + differs;
}

/** The kind of values in question: times, deadlines, amounts, or anything else. */
export type Asks = 'when' | 'by' | 'amount' | 'which';

const MONEY =
  /(?:[£$€₩]|\b(?:USD|EUR|GBP|KRW|CHF))\s?\d[\d,]*(?:\.\d+)?k?|\d[\d,]*(?:\.\d+)?\s?(?:(?:[천만억]\s?)+원?|원|달러|euros?|pounds?|dollars?|won\b|USD|EUR|GBP|KRW|CHF)/gi;
const isoOf = (at: Date | string | undefined): string | undefined => (at instanceof Date ? at.toISOString() : at);
const contentOf = (side: Memory | Draft): string => ('id' in side ? headlineOf(side as Memory).text : side.content);
const amountsIn = (side: Memory | Draft): string[] => [...new Set(contentOf(side).match(MONEY))];

/** The kind of values in which two conflicting memories differ. */
export function valueKindOf(known: Memory, next: Memory | Draft): Asks {
  if (known.validUntil && next.validUntil && known.validUntil !== next.validUntil) return 'by';
  // Without a time of its own an event has that of its mail.
  const isTimed = (side: Memory | Draft) => side.occurredAt !== undefined && isoOf(side.occurredAt) !== isoOf(side.statedAt);
  if (known.category === 'meeting' && isTimed(known) && isTimed(next) && isoOf(next.occurredAt) !== known.occurredAt) return 'when';
  // An amount counts only where the owner sees it in both texts.
  return amountsIn(known).length > 0 && amountsIn(next).length > 0 ? 'amount' : 'which';
}

/** The values in question, old and new; undefined unless each side has exactly one and they differ. */
export function valuesOf(known: Memory, next: Memory | Draft): [string, string] | undefined {
  const kind = valueKindOf(known, next);
  const [old, now] = [known, next].map((side) => {
    const at = kind === 'by' ? side.validUntil : side.occurredAt;
    if (kind === 'by') return day(isoOf(at));
    if (kind === 'when') return moment(isoOf(at));
    const amounts = kind === 'amount' ? amountsIn(side) : [];
    return amounts.length === 1 ? amounts[0] : undefined;
  });
  return old && now && old !== now ? [old, now] : undefined;
}

/** An answer with the value it chooses: the stored one, the new one, both, or separate memories. */
export type Option = Answer & { side: 'known' | 'next' | 'both' | 'apart' };

/** The side that each answer chooses if a question is about two values. */
const SIDES: Partial<Record<Kind, Partial<Record<Act, Option['side']>>>> = {
  doubt: { replace: 'next', forget: 'known', keep: 'both', other: 'apart' },
  withheld: { replace: 'next', forget: 'known', other: 'apart' },
  detail: { replace: 'next', forget: 'known', keep: 'both' },
  unsure: { right: 'next', forget: 'known', other: 'apart' },
};
const ORDER: readonly Option['side'][] = ['known', 'next', 'both', 'apart'];

/** The values of a question, the older one first; empty if it is not about two values. */
export function optionsOf(item: ReviewItem): Option[] {
  const kind = kindOf(item);
  if (!item.existing || (kind === 'unsure' && item.entry.decision !== 'UPDATE')) return [];
  const sides = SIDES[kind] ?? {};
  const options = answersOf(item).flatMap((answer) => (sides[answer.act] ? [{ ...answer, side: sides[answer.act]! }] : []));
  const isChoice = (['known', 'next'] as const).every((side) => options.some((o) => o.side === side));
  return isChoice ? options.sort((a, b) => ORDER.indexOf(a.side) - ORDER.indexOf(b.side)) : [];
}

const TELLING = /[가-힣]{2,}|\p{L}{4,}/gu;
/** Two texts about one thing mostly share this many words. */
const SHARED = 2;
const wordsOf = (side: Memory | Draft): string[] => [...new Set(`${side.subject ?? ''} ${side.content}`.toLowerCase().match(TELLING))];

/** Whether two texts share some words; Korean endings are left out of account. */
const shareWords = (one: readonly string[], other: readonly string[]): boolean =>
  one.filter((word) => other.some((w) => w.startsWith(word) || word.startsWith(w))).length >= SHARED;

/**
 * Whether a question is worth an interruption: two texts without two values of one kind, or without
 * a word in common, are often about two things.
 */
export function isFirm(item: ReviewItem): boolean {
  if (!['doubt', 'late', 'unsure'].includes(kindOf(item))) return true;
  const known = knownOf(item);
  if (!known) return true;
  const next = nextOf(item, known) ?? item.draft;
  return valuesOf(known, next) !== undefined && shareWords(wordsOf(known), wordsOf(next));
}

/** The new memory of a question about two, or its current version if later decisions build on it. */
export function nextOf(item: ReviewItem, known: Memory): Memory | undefined {
  if (isBuiltOn(item)) return headOf(item.memory?.id ?? '');
  return item.memory && !item.memory.deletedAt && item.memory.id !== known.id ? item.memory : undefined;
}

/** The stored memory that a question is about: its current version, unless the decision itself has replaced it. */
export function knownOf({ existing, memory }: ReviewItem): Memory | undefined {
  const head = existing && headOf(existing.id);
  return head && memory && head.id === headOf(memory.id)?.id ? existing : (head ?? existing);
}
