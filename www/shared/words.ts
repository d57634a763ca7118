// Decisions, reasons and features in words, with a fallback for unknown codes.
import type { Category, Decision, Edge, KeyFactor, LogEntry, Reason } from 'memfold';
import { known, lang, t, withParticles } from './i18n';
import { feature } from './i18n/features';
import { nameOf } from './mails';
import { inputOf, type Fault } from './state';

/** The possible decisions about a new memory. */
export const FOUR: readonly Decision[] = ['CREATE', 'UPDATE', 'CREATE_AND_LINK', 'SKIP'];

export const CATEGORIES: readonly Category[] = ['task', 'decision', 'meeting', 'project', 'ads', 'misc'];

const spaced = (code: string): string => {
  const text = code
    .replace(/[_-]+/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim()
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The name of a value of a closed list, such as `decision` and `UPDATE`. */
export const named = (list: string, value: string | undefined): string =>
  value === undefined ? t('common.none') : (known(`${list}.${value}`) ?? spaced(value));

/** The kind of a link: a doubt, or its relation. */
export const kindOf = ({ kind, relation }: Edge): string => (kind === 'may_replace' ? kind : (relation ?? 'none'));

/** The name of a link as seen from one of its ends. */
export const linkFrom = (edge: Edge, from: boolean): string => named('relation', edge.kind === 'may_replace' && !from ? 'may_replace.back' : kindOf(edge));

/** The action of an entry; the default is consolidation. */
export const actionOf = (entry: LogEntry): string => entry.action ?? 'consolidate';

/** Whether an entry is a decision about a statement. */
export const isDecision = (entry: LogEntry): boolean => ['consolidate', 'review'].includes(actionOf(entry));

/** The text of an entry. */
export function aboutWords(entry: LogEntry): string {
  const { text, others, subject } = inputOf(entry);
  if (text) return others > 0 ? t('log.others', { text, n: others }) : text;
  if (subject.action === 'tend') return t('log.tended', { n: subject.touched.length });
  return subject.redacted || subject.action === 'forget' ? t('log.erased') : named('action', actionOf(subject));
}

/** The description of a feature of the local analyst. */
export const featureWords = (code: string): string =>
  lang.value === 'ko' ? withParticles(feature(code, 1) ?? spaced(code)) : (feature(code, 0) ?? spaced(code));

/** A reason in words. For a new memory, "not sure" means that nothing known matches. */
export function reasonWords(reason: Reason, decision?: Decision): string {
  switch (reason.kind) {
    case 'not_sure':
      return t(decision === 'CREATE' ? 'reason.not_sure.new' : 'reason.not_sure');
    case 'unproven':
      return reason.rule === 'look_alike' && !reason.like
        ? t('reason.unproven')
        : (known(`reason.unproven.${reason.rule}`, { like: reason.like ?? '' }) ?? t('reason.unproven'));
    case 'no_standing':
      return reason.author ? t('reason.no_standing.author', { author: nameOf(reason.author) }) : t('reason.no_standing');
    case 'sensitive_change':
      return known(`reason.sensitive_change.${reason.detail}`) ?? t('reason.sensitive_change');
    case 'may_also_replace':
      return t('reason.may_also_replace', { memories: reason.memories });
    case 'imported':
      return t('reason.imported', { memories: reason.memories, edges: reason.edges });
    case 'merged':
      return t('reason.merged', { memories: reason.memories });
    case 'failed':
      return t('reason.failed', { message: known(`error.${reason.error}`) ?? reason.message });
    case 'feature':
      return featureWords(reason.code);
    default:
      return known(`reason.${reason.kind}`) ?? spaced(reason.kind);
  }
}

/** The features among an entry's reasons, heaviest first. */
export const featuresOf = (entry: LogEntry): KeyFactor[] => entry.reasons.filter((r): r is Reason & { kind: 'feature' } => r.kind === 'feature');

/** The reasons to show. For possible fraud, doubts about the match do not matter. */
export const plainReasons = (entry: LogEntry): Reason[] => entry.reasons.filter((r) => r.kind !== 'feature' && !(r.kind === 'not_sure' && isFraud(entry)));

export const faultWords = (fault: Fault): string => known(`error.${fault.code}`) ?? t('error.unknown', { code: fault.code });

const has = (entry: LogEntry, kind: Reason['kind']): boolean => entry.reasons.some((r) => r.kind === kind);

/**
 * Whether a mail may be fraud or prompt injection: it addresses an assistant, its sender fails
 * authentication, or an unauthorised sender changes payment details.
 * A new memory has no authorised senders.
 */
export const isFraud = (entry: LogEntry): boolean =>
  has(entry, 'suspected') || has(entry, 'unproven') || (has(entry, 'sensitive_change') && (has(entry, 'no_standing') || entry.targetId === undefined));

/** Whether an update was uncertain, so that both memories were kept. */
export const isDoubt = (entry: LogEntry): boolean =>
  entry.decision === 'CREATE_AND_LINK' && entry.needsReview === true && entry.conflict === 'OVERLAP' && entry.relation === 'alternative';
