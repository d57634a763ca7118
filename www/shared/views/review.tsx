// What waits for its owner's word, as a conversation: who said what, what was known until now, and one press to answer. The few that
// matter come first; what may be fraud stands apart. Several are answered at once, and every answer is taken back in one.
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ChangeToConfirm, ReviewItem } from 'memfold';
import { faultOf, remove, review, type Verdict } from '../actions';
import { answersOf, hangsOn, isBuiltOn, isSafe, kindOf, type Act, type Kind } from '../asking';
import { waitingChanges, waitingItems } from '../doubts';
import { t } from '../i18n';
import { Empty, Problem, Said, ViewHead } from '../parts/basics';
import { Doubts } from '../parts/doubts';
import { Explanation } from '../parts/explanation';
import { Icon } from '../parts/icon';
import { nameOf, senderOf } from '../mails';
import { Byline, SaidBy } from '../parts/mail';
import { Reported } from '../parts/reported';
import { MemoryText } from '../parts/statements';
import { entries, headOf, waiting, type Fault } from '../state';
import { statementsOf } from '../statements';
import { isFraud, plainReasons, reasonWords } from '../words';

/** So many are asked at a time. */
const MOST = 10;

export function ReviewView() {
  const items = useSignal<readonly ReviewItem[] | null>(null);
  const changes = useSignal<readonly ChangeToConfirm[]>([]);
  const problem = useSignal<Fault | null>(null);
  const picked = useSignal<ReadonlySet<string>>(new Set());
  const most = useSignal(MOST);
  const busy = useSignal(false);
  const list = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    // Whatever is written may answer or raise a question.
    void entries.value;
    Promise.all([waitingItems(), waitingChanges()]).then(
      ([found, reported]) => {
        items.value = found;
        changes.value = reported;
        waiting.value = found.length + reported.length;
      },
      (reason) => (problem.value = faultOf(reason)),
    );
  });
  const cards = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('.review') ?? [])];
  const answer = async (asked: readonly ReviewItem[], act: Act) => {
    if (busy.value) return;
    busy.value = true;
    problem.value = null;
    const at = cards().findIndex((card) => card.dataset.entry === asked[0]?.entry.id);
    try {
      const answers: { entryId: string; verdict: Verdict }[] = [];
      const drops: string[] = [];
      for (const item of asked) {
        const found = answersOf(item).find((a) => a.act === act);
        if (!found) continue;
        if ('verdict' in found) answers.push({ entryId: item.entry.id, verdict: found.verdict });
        else drops.push(headOf(item[found.drop]?.id ?? '')?.id ?? '');
      }
      if (drops.length > 0) await remove(drops);
      if (answers.length > 0) await review(answers);
      picked.value = new Set();
      // The answered one is gone: the next takes its place under the reader's hand, or the heading where there is none.
      requestAnimationFrame(() => (cards()[Math.min(at, cards().length - 1)] ?? document.querySelector<HTMLElement>('main h1'))?.focus({ preventScroll: true }));
    } catch (reason) {
      problem.value = faultOf(reason);
    } finally {
      busy.value = false;
    }
  };
  const pick = (id: string) => {
    const next = new Set(picked.value);
    if (!next.delete(id)) next.add(id);
    picked.value = next;
  };
  const ordered = useComputed(() => (items.value ?? []).map((item) => ({ item, weight: hangsOn(item) })).sort((a, b) => b.weight - a.weight).map(({ item }) => item));
  const all = ordered.value;
  const fraud = all.filter((i) => isFraud(i.entry));
  const rest = all.filter((i) => !isFraud(i.entry));
  const shown = rest.slice(0, most.value);
  const chosen = all.filter((i) => picked.value.has(i.entry.id));
  const onKeyDown = (e: KeyboardEvent) => {
    const from = e.target as HTMLElement;
    const card = from.closest<HTMLElement>('.review');
    if (!card || e.ctrlKey || e.metaKey || e.altKey) return;
    const item = all.find((i) => i.entry.id === card.dataset.entry);
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      const next = cards()[cards().indexOf(card) + (e.key === 'ArrowDown' ? 1 : -1)];
      if (!next) return;
      e.preventDefault();
      next.focus();
    } else if (item && e.key.toLowerCase() === 'x') {
      e.preventDefault();
      pick(item.entry.id);
    }
  };
  const group = (id: 'fraud' | 'rest', of: readonly ReviewItem[]) =>
    of.length > 0 && (
      <section class={`review-group review-group-${id}`} aria-labelledby={`review-${id}`}>
        <h2 id={`review-${id}`}>
          {id === 'fraud' && <Icon name="warning" />} {t(`review.group.${id}`)}
        </h2>
        {id === 'fraud' && <p>{t('review.group.fraud.detail')}</p>}
        <ol class="reviews">
          {of.map((item) => (
            <Item
              key={item.entry.id}
              item={item}
              busy={busy.value}
              isPicked={picked.value.has(item.entry.id)}
              onPick={() => pick(item.entry.id)}
              onAnswer={(act) => void answer([item], act)}
            />
          ))}
        </ol>
      </section>
    );
  return (
    <div ref={list} onKeyDown={onKeyDown}>
      <ViewHead title={t('review.title')} lead={t('review.lead')} />
      {problem.value && <Problem fault={problem.value} />}
      {items.value?.length === 0 && changes.value.length === 0 && (
        <Empty icon="check" title={t('review.empty')}>
          <p>{t('review.empty.detail')}</p>
        </Empty>
      )}
      {all.length > 0 && (
        <p class="result-count" role="status">
          {t('review.count', { n: all.length })} <span class="review-keys">{t('review.keys')}</span>
        </p>
      )}
      {group('fraud', fraud)}
      <Changes changes={changes.value} />
      {group('rest', shown)}
      {rest.length > shown.length && (
        <button type="button" class="button more-button" onClick={() => (most.value += MOST)}>
          {t('review.more', { n: rest.length - shown.length })}
        </button>
      )}
      {chosen.length > 0 && <Several items={chosen} busy={busy.value} onAnswer={(act) => void answer(chosen, act)} onClear={() => (picked.value = new Set())} />}
    </div>
  );
}

/** What was reported by somebody without standing, each with the confirmed value. */
function Changes({ changes }: { changes: readonly ChangeToConfirm[] }) {
  if (changes.length === 0) return null;
  return (
    <section class="review-group" aria-labelledby="review-changes">
      <h2 id="review-changes">{t('review.group.changes')}</h2>
      <p>{t('review.group.changes.detail')}</p>
      <ol class="reviews">
        {changes.map(({ memory, disputed }) => (
          <li key={memory.id} class="card review review-change">
            <div class="review-talk">
              <blockquote class="review-said">
                <a href={`#/memories/${memory.id}`}>
                  <MemoryText memory={memory} />
                </a>
              </blockquote>
              {disputed && <p class="quiet">{t('change.disputed')}</p>}
              <Reported memory={memory} settle />
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What several can be answered with: what each of them can. */
function Several({ items, busy, onAnswer, onClear }: { items: readonly ReviewItem[]; busy: boolean; onAnswer(act: Act): void; onClear(): void }) {
  const [first, ...others] = items.map(answersOf);
  const shared = (first ?? []).filter(({ act }) => others.every((answers) => answers.some((a) => a.act === act)));
  return (
    <section class="several card" aria-label={t('review.several', { n: items.length })}>
      <p>{t('review.several', { n: items.length })}</p>
      <div class="form-row">
        {shared.map(({ act, words }) => (
          <button key={act} type="button" class="button" disabled={busy} onClick={() => onAnswer(act)}>
            {t(words)}
          </button>
        ))}
        {shared.length === 0 && <span class="quiet">{t('review.several.none')}</span>}
        <button type="button" class="button button-quiet" onClick={onClear}>
          {t('common.cancel')}
        </button>
      </div>
    </section>
  );
}

type ItemProps = { item: ReviewItem; busy: boolean; isPicked: boolean; onPick(): void; onAnswer(act: Act): void };

function Item({ item, busy, isPicked, onPick, onAnswer }: ItemProps) {
  const open = useSignal(false);
  const kind = kindOf(item);
  const { entry, existing, memory, other, draft } = item;
  // What it has become since is what is asked about.
  const now = isBuiltOn(item) ? headOf(memory!.id) : undefined;
  const danger = kind === 'fraud' || kind === 'suspected';
  const reasons = plainReasons(entry).filter((r) => r.kind === 'sensitive_change' || r.kind === 'suspected' || r.kind === 'failed' || r.kind === 'no_standing' || r.kind === 'unproven' || r.kind === 'source_outranks' || r.kind === 'inferred' || r.kind === 'date_ahead');
  const sender = senderOf(draft);
  // Where nothing else tells why, whose word it is may.
  const teller = kind === 'doubt' && existing && sender && reasons.length === 0 ? otherTeller(sender, headOf(existing.id) ?? existing) : undefined;
  return (
    <li class={`card review review-${kind}`} aria-busy={busy} tabIndex={-1} data-entry={entry.id} aria-labelledby={`ask-${entry.id}`}>
      <label class="review-pick">
        <input type="checkbox" checked={isPicked} aria-label={t('review.pick')} onChange={onPick} />
      </label>
      <div class="review-talk">
        <p class="review-who">
          {now && <SaidBy memory={now} />}
          {!now && <Byline author={sender} at={draft.statedAt} source={draft.sourceId ?? entry.sourceId} marks={[draft.evidence?.text ?? '', draft.content || entry.input]} />}
          {danger && sender && <span class="review-address">{sender}</span>}
          {danger && (
            <span class="badge badge-error">
              <Icon name="warning" size={13} />
              {t(`review.kind.${kind}`)}
            </span>
          )}
        </p>
        <blockquote class="review-said">
          {now ? <MemoryText memory={now} /> : <Said text={draft.content || entry.input} />}
        </blockquote>
        {existing && <Until words={t(kind === 'late' ? 'review.since' : 'review.until')} memory={headOf(existing.id) ?? existing} />}
        {other && <Until words={t('review.and')} memory={other} />}
        {(reasons.length > 0 || teller) && (
          <ul class="reasons">
            {reasons.map((r, i) => (
              <li key={i}>{reasonWords(r, entry.decision)}</li>
            ))}
            {teller && <li>{t('review.teller', { name: nameOf(teller) })}</li>}
          </ul>
        )}
        <p class="review-ask" id={`ask-${entry.id}`}>
          {t(now && kind === 'doubt' ? 'review.ask.doubt.on' : askOf(kind, existing !== undefined))}
        </p>
        {kind === 'also' && memory && <Doubts memory={memory} others />}
        <div class="form-row review-answers" role="group" aria-label={t('review.answer')}>
          {answersOf(item).map(({ act, words }, i) => (
            <button key={act} type="button" class={`button ${i === 0 && !danger && isSafe(act) ? 'button-primary' : act === 'forget' ? 'button-danger-quiet' : ''}`} disabled={busy} onClick={() => onAnswer(act)}>
              {t(words)}
            </button>
          ))}
          {/* Of a text of which nothing was made there is no more to tell than stands here. */}
          {kind !== 'suspected' && (
            <button type="button" class="button button-quiet" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
              {t('review.why')}
            </button>
          )}
        </div>
        {open.value && <Explanation entry={entry} told={reasons} />}
      </div>
    </li>
  );
}

/** Who told what is known, where that is somebody of another address altogether. */
function otherTeller(sender: string, known: ReviewItem['existing'] & object): string | undefined {
  const tellers = statementsOf(known).flatMap((s) => s.author ?? []);
  const hostOf = (address: string) => address.toLowerCase().split('@').at(-1);
  return tellers.some((teller) => hostOf(teller) === hostOf(sender)) ? undefined : tellers[0];
}

const askOf = (kind: Kind, known: boolean) => (kind === 'fraud' && !known ? 'review.ask.fraud.alone' : (`review.ask.${kind}` as const));

const Until = ({ words, memory }: { words: string; memory: NonNullable<ReviewItem['existing']> }) => (
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
