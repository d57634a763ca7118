// A memory in a list: what it says in a line, and unfolded what was said, where from, what it belongs to and what can be done.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Memory } from 'memfold';
import { correct, faultOf, forget, mailsBehind, remove, undo } from '../actions';
import { count, day, langOf, moment, percent, t } from '../i18n';
import { linksAt } from '../links';
import { nameOf } from '../mails';
import { chainOf, doubtAt, latest, madeBy, saidOf, suspects } from '../matters';
import type { Fault } from '../state';
import { saidAt, statementsOf } from '../statements';
import { kindOf, named } from '../words';
import { Bar, CategoryTag, Confirm, focused, Problem, Said, useFocusBack } from './basics';
import { Doubts } from './doubts';
import { Fact } from './explanation';
import { Icon } from './icon';
import { Byline } from './mail';
import { Reported, Unconfirmed } from './reported';
import { MemoryText, Statements } from './statements';
import { Timeline } from './timeline';

const tierOf = (importance: number) =>
  importance >= 0.9 ? 'critical' : importance >= 0.7 ? 'high' : importance >= 0.4 ? 'medium' : 'low';

export function MemoryCard({ memory, wanted }: { memory: Memory; wanted?: boolean }) {
  const toggled = useSignal<boolean | null>(null);
  const open = toggled.value ?? wanted === true;
  const links = linksAt(memory).length;
  const author = latest(memory)?.author;
  return (
    <li class={`memory ${open ? 'memory-open' : ''}`} data-wanted={wanted || undefined}>
      <button type="button" class="memory-head" aria-expanded={open} onClick={() => (toggled.value = !open)}>
        <span class="memory-text">
          <MemoryText memory={memory} />
        </span>
        <span class="memory-meta">
          <CategoryTag category={memory.category} />
          {author && <span>{nameOf(author)}</span>}
          <time dateTime={saidAt(memory)}>{day(saidAt(memory))}</time>
          {memory.version > 1 && <span class="badge decision-UPDATE">{t('memory.versions', { n: memory.version })}</span>}
          {links > 0 && (
            <span class="with-icon">
              <Icon name="CREATE_AND_LINK" size={14} />
              <span class="unseen">{t('memory.links')} </span>
              {count(links)}
            </span>
          )}
          <Unconfirmed memory={memory} />
          {suspects.value.has(memory.id) && <span class="badge badge-error">{t('review.kind.fraud')}</span>}
          {doubtAt(memory) === 'older' && <span class="badge badge-doubt">{t('doubt.badge')}</span>}
          {doubtAt(memory) === 'newer' && <span class="badge badge-review">{t('matter.doubt')}</span>}
          {memory.sourceType !== 'realtime' && <span class="badge">{named('source', memory.sourceType)}</span>}
        </span>
        <span class="entry-chevron">
          <Icon name="chevron" size={16} />
        </span>
      </button>
      {open && <MemoryDetail memory={memory} />}
    </li>
  );
}

function MemoryDetail({ memory }: { memory: Memory }) {
  return (
    <div class="memory-detail">
      <div>
        <Reported memory={memory} settle />
        <Doubts memory={memory} />
        <From memory={memory} />
        {memory.version > 1 ? <Timeline memory={memory} /> : <Statements memory={memory} />}
        <LinkedMemories memory={memory} />
        {memory.evidence && !statementsOf(memory).some((s) => s.text === memory.evidence?.text) && (
          <section>
            <h3>{t('memory.evidence')}</h3>
            <blockquote>
              <Said text={memory.evidence.text} />
            </blockquote>
          </section>
        )}
      </div>
      <div>
        <section>
          <h3>{t('memory.facts')}</h3>
          <dl class="facts">
            {memory.subject && (
              <Fact label={t('memory.subject')}>
                <Said text={memory.subject} />
              </Fact>
            )}
            {memory.people.length > 0 && (
              <Fact label={t('memory.people')}>
                <Said text={memory.people.join(', ')} />
              </Fact>
            )}
            {memory.entities.length > 0 && (
              <Fact label={t('memory.about')}>
                <Said text={memory.entities.join(', ')} />
              </Fact>
            )}
            {memory.properties.map((p, i) => (
              <Fact key={i} label={p.name}>
                <Said text={p.value} />
              </Fact>
            ))}
            {memory.occurredAt !== (memory.statedAt ?? memory.createdAt) && <Fact label={t('memory.occurred')}>{moment(memory.occurredAt)}</Fact>}
            {memory.statedAt && <Fact label={t('memory.stated')}>{moment(memory.statedAt)}</Fact>}
            {memory.validUntil && <Fact label={t('memory.until')}>{moment(memory.validUntil)}</Fact>}
            <Fact label={t('memory.source')}>{named('source', memory.sourceType)}</Fact>
          </dl>
        </section>
        <Deeds memory={memory} />
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

/** What can be done about it: said better, the version before put back, or all of it taken away. */
function Deeds({ memory }: { memory: Memory }) {
  const asked = useSignal<'correct' | 'delete' | null>(null);
  const problem = useSignal<Fault | null>(null);
  const made = madeBy(memory.id);
  const shared = asked.value === 'delete' ? mailsBehind(memory.id).shared.length : 0;
  const go = (deed: Promise<unknown>) => void deed.then(() => (asked.value = problem.value = null), (reason) => (problem.value = faultOf(reason)));
  const close = () => (asked.value = problem.value = null);
  return (
    <section>
      {asked.value === 'correct' ? (
        <Correct memory={memory} onSave={(content) => go(correct(memory.id, content))} onNo={close} />
      ) : asked.value === 'delete' ? (
        <Confirm label={t('memory.delete')} ask={<>{t('memory.delete.sure')} {shared > 0 && t('memory.forget.shared', { n: shared })}</>} yes={t('memory.delete.yes')} onNo={close} onYes={() => go(remove(memory.id))}>
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

/** The owner's own words for what a memory says. */
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

/** The mails that it rests on. */
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
            <Byline author={s.author} at={s.at} source={s.source} marks={[...(s.evidence ? [s.evidence] : []), s.parts.map((p) => p.text).join('')]} />
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
                <MemoryText memory={other} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
