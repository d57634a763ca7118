// Due and upcoming: two weeks as a strip of days, a list for each week, and later days collapsed.
import { useSignal } from '@preact/signals';
import type { Memory } from 'memfold';
import { dayAt, inOrder } from '../days';
import { dayOf, daysAfter, dueFrom, today, weekOf, type Due } from '../due';
import { saidAt } from '../statements';
import { dayNumber, longDay, monthDay, t, timeOf, weekday } from '../i18n';
import { useGradually } from './gradually';
import { MemoryCard } from './memory';

const WEEK = 7;
/** Lines of a week shown at first, and added at each press. */
const FIRST = 12;
const STEP = 24;
const AT_A_TIME = 6;

/** The due day, with its month if it is far away. */
const Day = ({ due, far }: { due: Due; far?: boolean }) => (
  <span class="due-day">
    <time dateTime={due.at}>{far ? monthDay(due.day) : `${weekday(due.day)} ${dayNumber(due.day)}`}</time>
    {due.hasTime && <span class="quiet">{timeOf(due.at)}</span>}
  </span>
);

function List({ due, far }: { due: readonly Due[]; far?: boolean }) {
  const most = useSignal(FIRST);
  const left = due.length - most.value;
  const drawn = useGradually(Math.min(due.length, most.value), AT_A_TIME);
  return (
    <>
      <ol class="due memories">
        {due.slice(0, drawn).map((d) => (
          <MemoryCard key={d.memory.id} memory={d.memory} when={<Day due={d} far={far ?? false} />} />
        ))}
      </ol>
      {left > 0 && (
        <button type="button" class="linklike" onClick={() => (most.value += STEP)}>
          {t('common.more', { n: Math.min(left, STEP) })}
        </button>
      )}
    </>
  );
}

/**
 * The memories of a time span by day. Without its own day, a memory appears on the day it was said.
 */
export function Agenda({ span, memories }: { span: { from: string; to: string }; memories: readonly Memory[] }) {
  const [first, last] = [dayAt(span.from), dayAt(new Date(Date.parse(span.to) - 1).toISOString())];
  const found = new Map(dueFrom(first, memories).map((d) => [d.memory.id, d]));
  const list = memories
    .map((memory): Due => {
      const due = found.get(memory.id);
      return due && due.day <= last ? due : { memory, at: saidAt(memory), day: dayAt(saidAt(memory)), kind: 'on', hasTime: false };
    })
    .sort((a, b) => inOrder(a.day, b.day));
  return (
    <section class="agenda" aria-labelledby="agenda-title">
      <h2 id="agenda-title">{first === last ? longDay(first) : t('agenda.span', { from: monthDay(first), to: monthDay(last) })}</h2>
      <List due={list} />
    </section>
  );
}

export function ComingUp() {
  const laterShown = useSignal(false);
  const now = today();
  const start = weekOf(now);
  const days = Array.from({ length: 2 * WEEK }, (_, i) => daysAfter(start, i));
  const due = dueFrom(now);
  const byDay = new Map<string, number>();
  for (const d of due) byDay.set(d.day, (byDay.get(d.day) ?? 0) + 1);
  const until = [days[WEEK - 1]!, days[2 * WEEK - 1]!] as const;
  const later = due.filter((d) => d.day > until[1]);
  const weeks = [
    { title: t('due.thisWeek'), list: due.filter((d) => d.day <= until[0]) },
    { title: t('due.nextWeek'), list: due.filter((d) => d.day > until[0] && d.day <= until[1]) },
  ];
  return (
    <section class="coming-up" aria-labelledby="due-title">
      <h2 id="due-title">{t('due.title')}</h2>
      {now !== dayOf(new Date()) && <p class="quiet">{t('due.asOf', { day: longDay(now) })}</p>}
      {due.length === 0 ? (
        <p class="quiet">{t('due.nothing')}</p>
      ) : (
        <>
          <ol class="strip" aria-hidden="true">
            {days.map((day) => {
              const n = byDay.get(day) ?? 0;
              return (
                <li key={day} class={`strip-day ${day === now ? 'strip-today' : ''} ${day < now ? 'strip-past' : ''} ${n > 0 ? 'strip-due' : ''}`}>
                  <span class="strip-week">{weekday(day)}</span>
                  <span class="strip-number">{dayNumber(day)}</span>
                  <span class="strip-dots">
                    {Array.from({ length: Math.min(n, 3) }, (_, i) => (
                      <i key={i} class="dot" />
                    ))}
                  </span>
                </li>
              );
            })}
          </ol>
          {weeks.map(({ title, list }) => (
            <div key={title} class="week">
              <h3>{title}</h3>
              {list.length === 0 ? <p class="quiet">{t('due.nothing')}</p> : <List due={list} />}
            </div>
          ))}
          {later.length > 0 && (
            <details class="more" onToggle={(e) => (laterShown.value = e.currentTarget.open)}>
              <summary>{t('due.later', { n: later.length })}</summary>
              {laterShown.value && <List due={later} far />}
            </details>
          )}
        </>
      )}
    </section>
  );
}
