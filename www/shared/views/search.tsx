// Questions and what answers them, with the reason why each was found.
import { untracked, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { AskOptions, Hit, Memory, SearchOptions, Stop } from 'memfold';
import { faultOf, judge, session } from '../actions';
import { engine } from '../engine';
import { lastDay } from '../due';
import { t } from '../i18n';
import { suspects } from '../matters';
import { Answer, sourcesOf, wordsOf } from '../parts/answer';
import { again, agenda, asked, takeScroll, category, found, hits, saveScroll, older, reply, SURE, text, wanted } from '../searched';
import { CategoryChoice, CategoryTag, Measure, NothingYet, Problem, Said, ViewHead } from '../parts/basics';
import { AskBox } from '../parts/ask';
import { Agenda } from '../parts/due';
import { OutdatedBy } from '../parts/doubts';
import { Icon } from '../parts/icon';
import { SaidBy } from '../parts/mail';
import { Reported } from '../parts/reported';
import { StateBadge } from '../parts/state';
import { HeadlineText } from '../parts/statements';
import { announce, current, headOf, type Fault } from '../state';

const EXAMPLES = ['search.example.1', 'search.example.2', 'search.example.3'] as const;

/** Up to this many hits count as few. */
const FEW = 3;
/** Hits shown at first. */
const FIRST = 5;

/**
 * Search. `known`: number of memories; `asOf`: the reference day, or now if empty; `answers`:
 * whether a model answers; `offer` appears if little is found.
 */
export function SearchView({
  known = current.value.length,
  asOf = lastDay(),
  answers = false,
  offer,
}: {
  known?: number;
  asOf?: string;
  answers?: boolean;
  offer?: ComponentChildren;
} = {}) {
  // Possible fraud is listed last, however well it matches.
  const shown = useComputed(() => hits.value?.toSorted((a, b) => Number(suspects.value.has(a.memory.id)) - Number(suspects.value.has(b.memory.id))));
  const problem = useSignal<Fault | null>(null);
  const filtersOpen = useSignal(category.peek() !== '' || older.peek() || asked.peek() !== null);
  const most = useSignal(FIRST);
  const out = useRef<AbortController | null>(null);
  const following = useRef<Stop | null>(null);
  const from = asked.value ?? asOf;
  const leave = () => {
    out.current?.abort();
    following.current?.();
    if (reply.value === 'waiting') reply.value = null;
  };
  useEffect(() => {
    if (!found.value) return leave;
    follow(found.value, reply.value === null);
    const at = takeScroll();
    if (at > 0) requestAnimationFrame(() => scrollTo(0, at));
    return leave;
  }, []);
  const asksAgain = useRef(again.peek());
  useSignalEffect(() => {
    const n = again.value;
    if (n === asksAgain.current) return;
    asksAgain.current = n;
    following.current?.();
    untracked(() => found.value && follow(found.value, false));
  });
  const searchFor = (question: string) => {
    text.value = question;
    if (!question.trim()) return;
    leave();
    reply.value = null;
    most.value = FIRST;
    follow(question, true, session);
  };
  /** Asks, and asks again after changes. Returning to a question does not count as a new search. */
  const follow = (question: string, asks: boolean, counted?: string) => {
    const day = asked.value ?? asOf;
    const limits = {
      ...(category.value ? { category: category.value } : {}),
      ...(day ? { now: new Date(`${day}T23:59:59`).toISOString() } : {}),
    };
    const options = { limit: 20, includeSuperseded: older.value, ...(counted ? { session: counted } : {}), ...limits } satisfies SearchOptions;
    let isNew = asks;
    if (asks) void spanOf(question, limits);
    const show = (now: Hit[]) => {
      hits.value = now;
      found.value = question;
      problem.value = null;
      // Hits follow changes; the model is asked once.
      if (isNew && answers && now.length > 0) void answerTo(question, limits);
      isNew = false;
    };
    following.current = engine.live.search(question, options, show, (reason) => {
      hits.value = null;
      problem.value = faultOf(reason);
    });
  };
  const spanOf = async (question: string, limits: SearchOptions) => {
    agenda.value = null;
    const read = await engine.explainSearch(question, { ...limits, limit: 1 }).catch(() => undefined);
    if (read?.lists && read.from && read.to && text.value === question) agenda.value = { from: read.from, to: read.to };
  };
  const answerTo = async (question: string, limits: AskOptions) => {
    const gone = new AbortController();
    out.current = gone;
    reply.value = 'waiting';
    const answered = await engine.ask(question, { ...limits, signal: gone.signal }).catch(() => null);
    // Another question may have been asked meanwhile.
    if (gone.signal.aborted) return;
    reply.value = answered;
    announce(wordsOf(answered));
  };
  useSignalEffect(() => {
    const question = wanted.value;
    if (!question) return;
    wanted.value = '';
    untracked(() => searchFor(question));
  });
  const anew = () => {
    if (found.value) searchFor(text.value.trim() ? text.value : found.value);
  };
  if (known === 0) {
    return <NothingYet view="search" />;
  }
  const best = shown.value?.[0];
  const left = (shown.value?.length ?? 0) - most.value;
  return (
    <>
      <ViewHead title={t('search.title')} lead={t('search.lead')} />
      <AskBox onAsk={searchFor}>
        <button
          type="button"
          class="button button-quiet button-small filters-button"
          aria-expanded={filtersOpen.value}
          aria-controls="search-filters"
          onClick={() => (filtersOpen.value = !filtersOpen.value)}
        >
          <Icon name="options" size={15} /> {t('search.filters')}
        </button>
        <div class="filters" id="search-filters" hidden={!filtersOpen.value}>
          <label class="field">
            <span>{t('eval.category')}</span>
            <CategoryChoice
              value={category.value}
              all={t('common.all')}
              onChange={(next) => {
                category.value = next;
                anew();
              }}
            />
          </label>
          <label class="field">
            <span>{t('search.at')}</span>
            <input type="date" value={from} aria-describedby="search-at" onInput={(e) => (asked.value = e.currentTarget.value)} />
          </label>
          <label class="check">
            <input type="checkbox" checked={older.value} onChange={(e) => (older.value = e.currentTarget.checked)} />
            {t('search.superseded')}
          </label>
          <p class="quiet filters-note" id="search-at">
            {t('search.at.detail')}
          </p>
        </div>
      </AskBox>
      {(hits.value === null || hits.value.length === 0) && !problem.value && (
        <div class="examples">
          <p class="quiet">{t('search.try')}</p>
          {EXAMPLES.map((key) => (
            <button type="button" class="chip" key={key} onClick={() => searchFor(t(key))}>
              {t(key)}
            </button>
          ))}
        </div>
      )}
      {problem.value && <Problem fault={problem.value} />}
      <Answer reply={reply.value} />
      <p class="result-count" role="status">
        {hits.value &&
          (hits.value.length === 0 ? t('search.nothing') : !best || best.relevance < SURE ? t('search.unsure') : t('search.results', { n: hits.value.length }))}
      </p>
      {agenda.value && shown.value && shown.value.length > 0 ? (
        <Agenda span={agenda.value} memories={shown.value.map((hit) => hit.memory)} />
      ) : (
        <ol class="hits" onClick={() => saveScroll(scrollY)}>
          {shown.value?.slice(0, most.value).map((hit) => (
            <Result
              key={`${found.value} ${hit.memory.id}`}
              hit={hit}
              near={hits.value?.map((h) => h.memory) ?? []}
              question={found.value}
              isSource={sourcesOf(reply.value).some(({ memory }) => memory.id === hit.memory.id)}
            />
          ))}
        </ol>
      )}
      {left > 0 && !agenda.value && (
        <button type="button" class="button more-button" onClick={() => (most.value = Infinity)}>
          {t('common.more', { n: left })}
        </button>
      )}
      {hits.value && hits.value.length < FEW && offer}
    </>
  );
}

function Result({ hit, near, question, isSource }: { hit: Hit; near: readonly Memory[]; question: string; isSource: boolean }) {
  const { memory } = hit;
  const isDoubtful = (hit.mayBeOutdatedBy?.length ?? 0) > 0;
  const said = useSignal<'up' | 'down' | ''>('');
  const problem = useSignal<Fault | null>(null);
  const say = async (word: 'up' | 'down') => {
    if (said.value) return;
    said.value = word;
    try {
      await judge(memory.id, word, question);
    } catch (reason) {
      said.value = '';
      problem.value = faultOf(reason);
    }
  };
  return (
    <li class={`hit ${isSource ? 'hit-source' : ''} ${isDoubtful ? 'hit-doubt' : ''}`}>
      <div>
        <p class="hit-text">
          <a href={`#/memories/${headOf(memory.id)?.id ?? memory.id}`}>
            <HeadlineText memory={memory} mark={hit.matched} at={hit.highlights} />
          </a>
        </p>
        <p class="memory-meta">
          {isDoubtful ? <span class="badge badge-unconfirmed badge-doubt">{t('state.unconfirmed')}</span> : <StateBadge memory={memory} />}
          <CategoryTag category={memory.category} />
          <SaidBy memory={memory} />
          {isSource && <span class="badge badge-source">{t('answer.source')}</span>}
        </p>
        <Reported memory={memory} />
        {hit.mayBeOutdatedBy?.map((id) => (
          <OutdatedBy key={id} id={id} near={near} />
        ))}
        {memory.nodeType === 'summary' && <p class="quiet">{t('search.summary')}</p>}
        {problem.value && <Problem fault={problem.value} />}
        <details class="more">
          <summary>{t('explain.details')}</summary>
          <div class="form-row" role="group" aria-label={t('search.judge')}>
            {(['up', 'down'] as const).map((word) => (
              <button type="button" class="chip" key={word} aria-pressed={said.value === word} onClick={() => void say(word)}>
                {t(`search.judge.${word}`)}
              </button>
            ))}
          </div>
          <dl class="measures">
            <Measure label={t('search.score')} value={hit.score} strong />
            <Measure label={t('search.relevance')} value={hit.relevance} tone="soft" />
            <Measure label={t('search.strength')} value={hit.strength} tone="soft" />
          </dl>
          {hit.matched.length > 0 && (
            <p class="quiet matched">
              {t('search.matched')}: <Said text={hit.matched.join(' · ')} />
            </p>
          )}
        </details>
      </div>
    </li>
  );
}
