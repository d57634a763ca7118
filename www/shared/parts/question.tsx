// One question of the review: radio options for two values, or the claim with its possible answers.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ChangeToConfirm, Memory, ReviewItem } from 'memfold';
import { confirmChange, faultOf, revertChange } from '../actions';
import { answersOf, isBuiltOn, isSafe, kindOf, knownOf, nextOf, optionsOf, valueKindOf, valuesOf, type Act, type Kind } from '../asking';
import { differing, headlineOf, rivalIn, saidIn, topicOf } from '../headline';
import { t } from '../i18n';
import { nameOf, senderOf } from '../mails';
import { headOf, type Fault } from '../state';
import { saidAt, statementsOf } from '../statements';
import { plainReasons, reasonWords } from '../words';
import { Problem, Said } from './basics';
import { Doubts } from './doubts';
import { Explanation } from './explanation';
import { Icon } from './icon';
import { Byline, SaidBy } from './mail';
import { HeadlineText, MemoryText } from './statements';
import { Values } from './values';

export type QuestionProps = { item: ReviewItem; busy: boolean; isPicked?: boolean; onPick?(): void; onAnswer(act: Act): void };

/** Characters of a value in the preview of an answer. */
const SHORT = 70;
const short = (text: string): string => (text.length > SHORT ? `${text.slice(0, SHORT - 1).trimEnd()}…` : text.replace(/[.。]$/, ''));

const TOLD: ReadonlySet<string> = new Set(['sensitive_change', 'suspected', 'failed', 'no_standing', 'unproven', 'source_outranks', 'inferred', 'date_ahead']);

export function Question({ item, busy, isPicked, onPick, onAnswer }: QuestionProps) {
  const open = useSignal(false);
  const kind = kindOf(item);
  const { entry, existing, memory, draft } = item;
  const danger = kind === 'fraud' || kind === 'suspected';
  const reasons = plainReasons(entry).filter((r) => TOLD.has(r.kind));
  const sender = senderOf(draft);
  // Without another reason, the different sender is the reason.
  const teller = kind === 'doubt' && existing && sender && reasons.length === 0 ? otherTeller(sender, knownOf(item) ?? existing) : undefined;
  const why = (
    <>
      {/* A suspicious text has no decision to explain. */}
      {kind !== 'suspected' && (
        <button type="button" class="button button-quiet" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          {t('review.why')}
        </button>
      )}
    </>
  );
  const told = (reasons.length > 0 || teller) && (
    <ul class="reasons">
      {reasons.map((r, i) => (
        <li key={i}>{reasonWords(r, entry.decision)}</li>
      ))}
      {teller && <li>{t('review.teller', { name: nameOf(teller) })}</li>}
    </ul>
  );
  const options = optionsOf(item);
  return (
    <li class={`review review-${kind}`} aria-busy={busy} tabIndex={-1} data-entry={entry.id} aria-label={topicFor(item)}>
      {onPick && (
        <label class="review-pick">
          <input type="checkbox" checked={isPicked} aria-label={t('review.pick')} onChange={onPick} />
        </label>
      )}
      <div class="review-talk">
        {options.length > 0 ? (
          <ValueQuestion item={item} busy={busy} told={told} onAnswer={onAnswer}>
            {why}
          </ValueQuestion>
        ) : (
          <>
            <Claim item={item} kind={kind} />
            {told}
            <p class="review-ask">{t(isBuiltOn(item) && kind === 'doubt' ? 'review.ask.doubt.on' : askOf(kind, existing !== undefined))}</p>
            {kind === 'also' && memory && <Doubts memory={memory} others />}
            <div class="form-row review-answers" role="group" aria-label={t('review.answer')}>
              {answersOf(item).map(({ act, words }, i) => (
                <button
                  key={act}
                  type="button"
                  class={`button ${i === 0 && !danger && isSafe(act) ? 'button-primary' : act === 'forget' ? 'button-danger-quiet' : ''}`}
                  disabled={busy}
                  onClick={() => onAnswer(act)}
                >
                  {t(words)}
                </button>
              ))}
              {why}
            </div>
          </>
        )}
        {open.value && <Explanation entry={entry} told={reasons} />}
      </div>
    </li>
  );
}

const topicFor = (item: ReviewItem): string => {
  const known = knownOf(item) ?? item.memory;
  return known ? topicOf(known) : (item.draft.subject ?? short(item.draft.content || item.entry.input));
};

/** A value and the text that states it; a long text is cut after some lines. */
const ValueText = ({ value, text }: { value: string | undefined; text: ComponentChildren }) => (
  <>
    {value && <strong class="value-lead">{value}</strong>}
    <span class={value ? 'value-text quiet' : 'value-text'}>{text}</span>
  </>
);

/** The choice between two values: stored, new, or both. */
function ValueQuestion({
  item,
  busy,
  told,
  children,
  onAnswer,
}: {
  item: ReviewItem;
  busy: boolean;
  told: ComponentChildren;
  children: ComponentChildren;
  onAnswer(act: Act): void;
}) {
  const { draft, entry } = item;
  const known = knownOf(item);
  if (!known) return null;
  const next = nextOf(item, known);
  const topic = topicOf(known);
  // Statements that both sides have decide nothing.
  const knownText = next && differing(known.content, next.content, topic);
  const nextText = next ? differing(next.content, known.content, topic) || headlineOf(next).text : draft.content || entry.input;
  const values = valuesOf(known, next ?? draft);
  const [old, now] = values ?? [short(knownText || headlineOf(known).text), short(nextText)];
  const isNextNewer = (draft.statedAt ?? '') >= saidAt(known);
  const options = optionsOf(item).map(({ act, side }) => {
    switch (side) {
      case 'known':
        return {
          value: act,
          words: <ValueText value={values?.[0]} text={knownText ? <Said text={knownText} /> : <HeadlineText memory={known} bare />} />,
          by: <SaidBy memory={known} />,
          isNewest: !isNextNewer,
          result: t('review.then.known', { known: old, next: now }),
        };
      case 'next':
        return {
          value: act,
          words: <ValueText value={values?.[1]} text={<Said text={nextText} />} />,
          by: (
            <Byline
              author={senderOf(draft)}
              at={draft.statedAt}
              source={draft.sourceId ?? entry.sourceId}
              marks={[draft.evidence?.text ?? '', draft.content || entry.input]}
            />
          ),
          isNewest: isNextNewer,
          result: t('review.then.next', { known: old, next: now }),
        };
      default:
        return { value: act, words: t(`review.option.${side}`), result: t(`review.then.${side}`) };
    }
  });
  return (
    <Values
      name={`review-${entry.id}`}
      question={t(`review.value.${valueKindOf(known, next ?? draft)}`, { topic })}
      options={options}
      busy={busy}
      told={told}
      onSave={onAnswer}
    >
      {children}
    </Values>
  );
}

/** The new and the stored text with their sources. */
function Claim({ item, kind }: { item: ReviewItem; kind: Kind }) {
  const { entry, existing, memory, draft } = item;
  // The question is about the current version.
  const now = isBuiltOn(item) ? headOf(memory?.id ?? '') : undefined;
  const danger = kind === 'fraud' || kind === 'suspected';
  const sender = senderOf(draft);
  return (
    <>
      <p class="review-who">
        {now && <SaidBy memory={now} />}
        {!now && (
          <Byline
            author={sender}
            at={draft.statedAt}
            source={draft.sourceId ?? entry.sourceId}
            marks={[draft.evidence?.text ?? '', draft.content || entry.input]}
          />
        )}
        {danger && sender && <span class="review-address">{sender}</span>}
        {danger && (
          <span class="badge badge-error">
            <Icon name="warning" size={13} />
            {t(`review.kind.${kind}`)}
          </span>
        )}
      </p>
      <blockquote class="review-said">{now ? <MemoryText memory={now} /> : <Said text={draft.content || entry.input} />}</blockquote>
      {existing && <Until words={t('review.until')} memory={headOf(existing.id) ?? existing} />}
    </>
  );
}

/** What a change to confirm says: its unconfirmed statements, and the confirmed text that they would replace, if any. */
export function claimOf({ memory, confirmed }: ChangeToConfirm) {
  const topic = topicOf(memory);
  const claims = statementsOf(memory).filter((s) => s.confirmation === 'provisional');
  const claimed = claims.map((s) => saidIn(s).replace(/[.。]$/, '')).join(' · ');
  const reported = differing(claimed || memory.content, confirmed, topic) || headlineOf(memory).text;
  // An unconfirmed value strikes nothing: the confirmed one is still among the statements.
  return { topic, claims, reported, replaced: differing(confirmed, memory.content, topic) || rivalIn(confirmed, reported) };
}

/** A change to confirm: the reported or the confirmed value; a mere addition is kept or dropped. */
export function ChangeQuestion({ change }: { change: ChangeToConfirm }) {
  const { memory, disputed } = change;
  const busy = useSignal(false);
  const problem = useSignal<Fault | null>(null);
  const { topic, claims, reported, replaced } = claimOf(change);
  const [now, old] = [short(reported), short(replaced)];
  const confirmed = statementsOf(memory).filter((s) => s.confirmation !== 'provisional');
  const before = confirmed.find((s) => replaced && s.text.includes(replaced)) ?? confirmed[0];
  const [claim] = claims;
  const by = claim ? <Byline {...claim} marks={[claim.text]} /> : memory.reportedBy && <SaidBy memory={memory} />;
  const save = async (value: 'confirm' | 'revert') => {
    busy.value = true;
    problem.value = null;
    await (value === 'confirm' ? confirmChange : revertChange)(memory.id).catch((reason) => (problem.value = faultOf(reason)));
    busy.value = false;
  };
  return (
    <li class="review review-change" aria-busy={busy.value} aria-label={topicOf(memory)} tabIndex={-1}>
      <div class="review-talk">
        <p class="quiet">
          {memory.reportedBy ? t('change.reported', { name: nameOf(memory.reportedBy) }) : t('change.reported.unknown')} {disputed && t('change.disputed')}
        </p>
        <Values
          name={`change-${memory.id}`}
          question={t(replaced ? 'review.value.which' : 'change.added', { topic })}
          busy={busy.value}
          told={
            !replaced && (
              <>
                <blockquote class="review-said">
                  <Said text={reported} />
                </blockquote>
                <p class="value-by">{by}</p>
              </>
            )
          }
          options={
            replaced
              ? [
                  {
                    value: 'revert',
                    words: <ValueText value={undefined} text={<Said text={replaced} />} />,
                    by: before && <Byline {...before} marks={[before.text]} />,
                    result: t('review.then.known', { known: old, next: now }),
                  },
                  {
                    value: 'confirm',
                    words: <ValueText value={undefined} text={<Said text={reported} />} />,
                    by,
                    isNewest: true,
                    result: t('review.then.next', { known: old, next: now }),
                  },
                ]
              : [
                  { value: 'confirm', words: t('change.keep'), result: t('change.then.keep') },
                  { value: 'revert', words: t('change.drop'), result: t('change.then.drop', { next: now }) },
                ]
          }
          onSave={(value) => void save(value)}
        />
        {problem.value && <Problem fault={problem.value} />}
      </div>
    </li>
  );
}

/** The author of the stored text, if no author has the sender's domain. */
function otherTeller(sender: string, known: Memory): string | undefined {
  const tellers = statementsOf(known).flatMap((s) => s.author ?? []);
  const hostOf = (address: string) => address.toLowerCase().split('@').at(-1);
  return tellers.some((teller) => hostOf(teller) === hostOf(sender)) ? undefined : tellers[0];
}

const askOf = (kind: Kind, known: boolean) => (kind === 'fraud' && !known ? 'review.ask.fraud.alone' : (`review.ask.${kind}` as const));

const Until = ({ words, memory }: { words: string; memory: Memory }) => (
  <div class="review-until">
    <span class="quiet">{words}</span>
    <p>
      <a href={`#/memories/${memory.id}`}>
        <MemoryText memory={memory} />
      </a>{' '}
      <SaidBy memory={memory} />
    </p>
  </div>
);
