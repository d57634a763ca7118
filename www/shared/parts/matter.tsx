// A matter: its current memories and, expanded, its statements over time, with struck-out parts.
import { useSignal } from '@preact/signals';
import { faultOf, undo } from '../actions';
import { dueFrom, today } from '../due';
import { stateOf } from '../facts';
import { topicOf } from '../headline';
import { day, langOf, monthDay, t } from '../i18n';
import { nameOf } from '../mails';
import { lineOf, suspects, type Matter, type Person } from '../matters';
import type { Fault } from '../state';
import { Problem, Said } from './basics';
import { ForgetPerson } from './forget';
import { Icon } from './icon';
import { Byline, marksOf, Who } from './mail';
import { MemoryCard } from './memory';
import { Parts } from './statements';

/** Memories in a collapsed card. */
const FIRST = 3;

export function MatterCard({ matter, wanted }: { matter: Matter; wanted?: string | undefined }) {
  const toggled = useSignal<boolean | null>(null);
  const open = toggled.value ?? wanted !== undefined;
  const due = dueFrom(today(), matter.memories)[0];
  const left = matter.memories.length - FIRST;
  const title = matter.title || (matter.memories.every((m) => m.sourceType === 'user_input') ? t('matter.note') : topicOf(matter.memories[0]!));
  return (
    <section class={`matter card ${open ? 'matter-open' : ''}`} aria-label={title}>
      <h3>
        <button type="button" class="matter-head" aria-expanded={open} onClick={() => (toggled.value = !open)}>
          <span class="matter-title" lang={langOf(title)}>
            {title}
          </span>
          <span class="matter-meta">
            {due && <span class="badge badge-due">{t(due.kind === 'until' ? 'due.until' : 'due.on', { day: monthDay(due.at) })}</span>}
            {matter.memories.some((m) => suspects.value.has(m.id)) ? (
              <span class="badge badge-error">{t('review.kind.fraud')}</span>
            ) : (
              matter.memories.some((m) => stateOf(m) === 'unconfirmed') && <span class="badge badge-unconfirmed">{t('state.unconfirmed')}</span>
            )}
            <span class="quiet">{t('matter.last', { day: day(matter.last) })}</span>
          </span>
          <span class="entry-chevron">
            <Icon name="chevron" size={16} />
          </span>
        </button>
      </h3>
      <ol class="memories" aria-label={t('matter.now')}>
        {(open ? matter.memories : matter.memories.slice(0, FIRST)).map((m) => (
          <MemoryCard key={m.id} memory={m} wanted={m.id === wanted} bare={m.subject === matter.title} />
        ))}
      </ol>
      {open && <Line matter={matter} />}
      {!open && left > 0 && (
        <button type="button" class="linklike matter-more" onClick={() => (toggled.value = true)}>
          {t('common.more', { n: left })}
        </button>
      )}
    </section>
  );
}

/** The statements, oldest first. */
function Line({ matter }: { matter: Matter }) {
  const problem = useSignal<Fault | null>(null);
  return (
    <div class="matter-line">
      <h4>{t('matter.line')}</h4>
      <ol class="line">
        {lineOf(matter).map((s) => (
          <li key={s.key} class={`line-${s.state}`}>
            <p class="line-when">
              <Byline author={s.author} at={s.at} source={s.source} isNote={s.isNote} marks={marksOf(s)} />
              {s.state === 'struck' && <span class="badge">{t('state.outdated')}</span>}
            </p>
            <p>
              <Parts parts={s.parts} />
            </p>
            {s.by && (
              <button
                type="button"
                class="button button-quiet button-small"
                onClick={() =>
                  void undo(s.by!.id).then(
                    () => (problem.value = null),
                    (reason) => (problem.value = faultOf(reason)),
                  )
                }
              >
                {t('line.putBack')}
              </button>
            )}
          </li>
        ))}
      </ol>
      {problem.value && <Problem fault={problem.value} />}
    </div>
  );
}

/** What one person has said. */
export function PersonCard({ person }: { person: Person }) {
  const open = useSignal(false);
  const left = person.memories.length - FIRST;
  return (
    <section class="matter card person" aria-label={nameOf(person.address)}>
      <h3>
        <button type="button" class="matter-head" aria-expanded={open.value} onClick={() => (open.value = !open.value)}>
          <span class="matter-title">
            <Who address={person.address} />
          </span>
          <span class="matter-meta">
            <span class="quiet">
              <Said text={person.address} />
            </span>
            <span class="quiet">{t('memories.count', { n: person.memories.length })}</span>
          </span>
          <span class="entry-chevron">
            <Icon name="chevron" size={16} />
          </span>
        </button>
      </h3>
      <ol class="memories">
        {(open.value ? person.memories : person.memories.slice(0, FIRST)).map((m) => (
          <MemoryCard key={m.id} memory={m} />
        ))}
      </ol>
      {!open.value && left > 0 && (
        <button type="button" class="linklike matter-more" onClick={() => (open.value = true)}>
          {t('common.more', { n: left })}
        </button>
      )}
      <ForgetPerson person={person} />
    </section>
  );
}
