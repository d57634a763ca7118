// A memory in a list: one line with author and time; expanded, its text, history, links and
// actions.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Memory } from 'memfold';
import { correct, faultOf, forget, sourceMailsOf, readNeighbours, remove, undo } from '../actions';
import { stateOf } from '../facts';
import { topicOf } from '../headline';
import { langOf, moment, percent, t } from '../i18n';
import { linksAt } from '../links';
import { nameOf } from '../mails';
import { chainOf, madeBy, saidOf } from '../matters';
import type { Fault } from '../state';
import { statementsOf } from '../statements';
import { kindOf, named } from '../words';
import { Bar, Confirm, focused, Problem, Said, useFocusBack } from './basics';
import { Doubts } from './doubts';
import { Explanation, Fact } from './explanation';
import { Icon } from './icon';
import { Byline, SaidBy } from './mail';
import { Reported } from './reported';
import { Sheet } from './sheet';
import { StateBadge } from './state';
import { HeadlineText, Statements } from './statements';
import { Timeline } from './timeline';

const tierOf = (importance: number) => (importance >= 0.9 ? 'critical' : importance >= 0.7 ? 'high' : importance >= 0.4 ? 'medium' : 'low');

/**
 * One fact: a headline with its author and time. `bare` leaves out the topic, which is shown above;
 * `when` comes before it.
 */
export function MemoryCard({ memory, wanted, bare, when }: { memory: Memory; wanted?: boolean; bare?: boolean; when?: ComponentChildren }) {
  const toggled = useSignal<boolean | null>(null);
  const open = toggled.value ?? wanted === true;
  useEffect(() => {
    if (open) void readNeighbours(memory.id).catch(() => undefined);
  }, [open, memory.id]);
  return (
    <li class={`memory ${open ? 'memory-open' : ''} ${when ? 'memory-dated' : ''}`} data-wanted={wanted || undefined}>
      {when}
      <div class="memory-line">
        <button type="button" class="memory-head" aria-expanded={open} onClick={() => (toggled.value = !open)}>
          <span class="memory-icon" title={named('category', memory.category)}>
            <Icon name={memory.category} size={18} />
            <span class="unseen">{named('category', memory.category)}: </span>
          </span>
          <span class="memory-text">
            <HeadlineText memory={memory} bare={bare ?? false} />
          </span>
          <span class="entry-chevron">
            <Icon name="chevron" size={16} />
          </span>
        </button>
        <p class="memory-meta">
          <StateBadge memory={memory} />
          <SaidBy memory={memory} />
          {memory.sourceType !== 'realtime' && <span>{named('source', memory.sourceType)}</span>}
          {memory.version > 1 && <span class="memory-earlier">{t('memory.earlier', { n: memory.version - 1 })}</span>}
        </p>
      </div>
      {open && (
        <Sheet label={topicOf(memory)} line={<HeadlineText memory={memory} bare />} onClose={() => (toggled.value = false)}>
          <MemoryDetail memory={memory} />
        </Sheet>
      )}
    </li>
  );
}

/** The current value of each property; earlier values are collapsed. */
function Values({ memory }: { memory: Memory }) {
  const now = new Map<string, { name: string; value: string }>();
  for (const { name, value } of memory.properties) if (!now.has(name.toLowerCase())) now.set(name.toLowerCase(), { name, value });
  const earlier = new Map<string, string[]>();
  for (const version of chainOf(memory).slice(0, -1).reverse()) {
    for (const { name, value } of version.properties) {
      const key = name.toLowerCase();
      const known = earlier.get(key) ?? [];
      if (now.has(key) && now.get(key)?.value !== value && !known.includes(value)) earlier.set(key, [...known, value]);
    }
  }
  return (
    <>
      {[...now].map(([key, { name, value }]) => (
        <Fact key={key} label={name}>
          <Said text={value} />
          {earlier.has(key) && (
            <details class="more">
              <summary>{t('memory.earlier', { n: earlier.get(key)?.length ?? 0 })}</summary>
              <s>
                <Said text={earlier.get(key)?.join(' · ') ?? ''} />
              </s>
            </details>
          )}
        </Fact>
      ))}
    </>
  );
}

function MemoryDetail({ memory }: { memory: Memory }) {
  const made = madeBy(memory.id);
  const asksWhy = useSignal(false);
  return (
    <div class="memory-detail">
      <div>
        <Reported memory={memory} settle />
        <Doubts memory={memory} />
        {memory.version > 1 ? <Timeline memory={memory} /> : <Statements memory={memory} />}
        {memory.evidence && !statementsOf(memory).some((s) => s.text === memory.evidence?.text) && (
          <section>
            <h3>{t('memory.evidence')}</h3>
            <blockquote>
              <Said text={memory.evidence.text} />
            </blockquote>
          </section>
        )}
        <From memory={memory} />
        <LinkedMemories memory={memory} />
      </div>
      <div>
        <section>
          <h3>{t('memory.facts')}</h3>
          <dl class="facts">
            <Values memory={memory} />
            {memory.occurredAt !== (memory.statedAt ?? memory.createdAt) && <Fact label={t('memory.occurred')}>{moment(memory.occurredAt)}</Fact>}
            {memory.validUntil && <Fact label={t('memory.until')}>{moment(memory.validUntil)}</Fact>}
            {memory.subject && (
              <Fact label={t('memory.subject')}>
                <Said text={memory.subject} />
              </Fact>
            )}
            {memory.people.length > 0 && (
              <Fact label={t('memory.people')}>
                <Said text={memory.people.map(nameOf).join(', ')} />
              </Fact>
            )}
            {memory.entities.length > 0 && (
              <Fact label={t('memory.about')}>
                <Said text={memory.entities.join(', ')} />
              </Fact>
            )}
            <Fact label={t('memory.state')}>{t(`state.${stateOf(memory)}`)}</Fact>
            {memory.statedAt && <Fact label={t('memory.stated')}>{moment(memory.statedAt)}</Fact>}
            <Fact label={t('memory.source')}>{named('source', memory.sourceType)}</Fact>
          </dl>
        </section>
        <Actions memory={memory} />
        {made && (
          <details class="more" onToggle={(e) => (asksWhy.value = e.currentTarget.open)}>
            <summary>{t('memory.why')}</summary>
            {asksWhy.value && <Explanation entry={made} />}
          </details>
        )}
        <details class="more">
          <summary>{t('explain.details')}</summary>
          <p class="importance">
            {t('importance.label')}: {t(`importance.${tierOf(memory.importance)}`)}
            <Bar value={memory.importance} />
            <span class="figure">{percent(memory.importance)}</span>
          </p>
          {memory.importanceFactors.length > 0 && (
            <ul class="reasons">
              {memory.importanceFactors.map((f, i) => (
                <li key={i}>
                  {named('importance', f.factor)}
                  {f.evidence && (
                    <q class="quiet">
                      <Said text={f.evidence} />
                    </q>
                  )}
                </li>
              ))}
            </ul>
          )}
        </details>
      </div>
    </div>
  );
}

/** The actions for a memory: correct, restore the last version, delete. */
function Actions({ memory }: { memory: Memory }) {
  const asked = useSignal<'correct' | 'delete' | null>(null);
  const problem = useSignal<Fault | null>(null);
  const made = madeBy(memory.id);
  const shared = asked.value === 'delete' ? sourceMailsOf(memory.id).shared.length : 0;
  const go = (deed: Promise<unknown>) =>
    void deed.then(
      () => (asked.value = problem.value = null),
      (reason) => (problem.value = faultOf(reason)),
    );
  const close = () => (asked.value = problem.value = null);
  return (
    <section>
      {asked.value === 'correct' ? (
        <Correct memory={memory} onSave={(content) => go(correct(memory.id, content))} onNo={close} />
      ) : asked.value === 'delete' ? (
        <Confirm
          label={t('memory.delete')}
          ask={
            <>
              {t('memory.delete.sure')} {shared > 0 && t('memory.forget.shared', { n: shared })}
            </>
          }
          yes={t('memory.delete.yes')}
          onNo={close}
          onYes={() => go(remove(memory.id))}
        >
          <button type="button" class="button button-danger-quiet" onClick={() => go(forget(memory.id))}>
            {t('memory.forget')}
          </button>
        </Confirm>
      ) : (
        <div class="form-row">
          <button type="button" class="button" onClick={() => (asked.value = 'correct')}>
            {t('memory.correct')}
          </button>
          {made && (
            <button type="button" class="button" onClick={() => go(undo(made.id))}>
              {t(chainOf(memory).length > 1 ? 'memory.putBack' : 'explain.undo')}
            </button>
          )}
          <button type="button" class="button button-danger-quiet" onClick={() => (asked.value = 'delete')}>
            {t('memory.delete')}
          </button>
        </div>
      )}
      {problem.value && <Problem fault={problem.value} />}
    </section>
  );
}

/** The form for the owner's correction. */
function Correct({ memory, onSave, onNo }: { memory: Memory; onSave(content: string): void; onNo(): void }) {
  const text = useSignal(memory.content);
  const form = useRef<HTMLFormElement>(null);
  useFocusBack(form);
  const words = text.value.trim();
  return (
    <form
      class="form"
      aria-label={t('memory.correct')}
      ref={form}
      onSubmit={(e) => {
        e.preventDefault();
        if (words && words !== memory.content) onSave(words);
      }}
    >
      <label class="field">
        <span>{t('memory.correct.label')}</span>
        <textarea
          rows={3}
          maxLength={8000}
          lang={langOf(text.value)}
          ref={focused}
          aria-describedby={`correct-${memory.id}`}
          value={text.value}
          onInput={(e) => (text.value = e.currentTarget.value)}
        />
      </label>
      <p class="quiet" id={`correct-${memory.id}`}>
        {t('memory.correct.detail')}
      </p>
      <div class="form-row">
        <button type="submit" class="button button-primary" disabled={!words || words === memory.content}>
          {t('memory.correct.save')}
        </button>
        <button type="button" class="button" onClick={onNo}>
          {t('common.cancel')}
        </button>
      </div>
    </form>
  );
}

/** The source mails. */
function From({ memory }: { memory: Memory }) {
  const mails = saidOf(memory).filter((s) => s.source || s.author);
  if (mails.length === 0) return null;
  const seen = new Map(mails.map((s) => [s.source ?? s.key, s]));
  return (
    <section>
      <h3>{t('memory.from')}</h3>
      <ul class="from">
        {[...seen.values()].map((s) => (
          <li key={s.key}>
            <Byline
              author={s.author}
              at={s.at}
              source={s.source}
              isNote={s.isNote}
              marks={[...(s.evidence ? [s.evidence] : []), s.parts.map((p) => p.text).join('')]}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function LinkedMemories({ memory }: { memory: Memory }) {
  const links = linksAt(memory);
  return (
    <section>
      <h3>
        {t('memory.links')}{' '}
        {links.length > 0 && (
          <a class="quiet" href={`#/links/${memory.id}`}>
            {t('memory.picture')}
          </a>
        )}
      </h3>
      {links.length === 0 ? (
        <p class="quiet">{t('memory.noLinks')}</p>
      ) : (
        <ul class="linked">
          {links.map(({ edge, other }) => (
            <li key={edge.id}>
              <span class={`relation relation-${kindOf(edge)}`}>{named('relation', kindOf(edge))}</span>
              <a href={`#/memories/${other.id}`}>
                <HeadlineText memory={other} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
