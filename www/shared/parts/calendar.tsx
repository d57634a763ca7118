// What is due: two weeks as a strip of days, and beneath it what falls on them.
import { useSignal } from '@preact/signals';
import { dateOf, dayOf, daysAfter, dueFrom, today, weekOf, type Due } from '../due';
import { dayNumber, longDay, monthDay, t, timeOf, weekday } from '../i18n';
import { SaidBy } from './mail';
import { MemoryText } from './statements';

const WEEK = 7;

export function Calendar() {
  const now = today();
  const moved = useSignal(0);
  const start = daysAfter(weekOf(now), moved.value * WEEK);
  const days = Array.from({ length: 2 * WEEK }, (_, i) => daysAfter(start, i));
  const due = dueFrom(now);
  if (due.length === 0) return null;
  const on = (day: string): Due[] => due.filter((d) => d.day === day);
  const weeks = [0, 1].map((n) => ({ n, due: due.filter((d) => d.day >= days[n * WEEK]! && d.day <= days[n * WEEK + WEEK - 1]!) }));
  const later = due.filter((d) => d.day > days.at(-1)!).length;
  const archive = now !== dayOf(new Date());
  const title = (n: number): string =>
    moved.value === 0 ? t(n === 0 ? 'calendar.thisWeek' : 'calendar.nextWeek') : t('calendar.week', { day: monthDay(days[n * WEEK]) });
  return (
    <section class="calendar card" aria-labelledby="calendar-title">
      <div class="section-head">
        <h2 id="calendar-title">{t('calendar.title')}</h2>
        <div class="calendar-turn">
          <button type="button" class="button button-icon" aria-label={t('calendar.back')} disabled={moved.value <= 0} onClick={() => (moved.value -= 1)}>
            ‹
          </button>
          <button type="button" class="button button-icon" aria-label={t('calendar.on')} onClick={() => (moved.value += 1)}>
            ›
          </button>
        </div>
      </div>
      {archive && <p class="quiet">{t('calendar.asOf', { day: longDay(now) })}</p>}
      <ol class="strip" aria-hidden="true">
        {days.map((day) => {
          const here = on(day);
          return (
            <li key={day} class={`strip-day ${day === now ? 'strip-today' : ''} ${day < now ? 'strip-past' : ''} ${here.length > 0 ? 'strip-due' : ''}`}>
              <span class="strip-week">{weekday(day)}</span>
              <span class="strip-number">{dayNumber(day)}</span>
              <span class="strip-dots">
                {here.slice(0, 4).map((d) => (
                  <i key={d.memory.id} class={`dot category-${d.memory.category}`} />
                ))}
              </span>
            </li>
          );
        })}
      </ol>
      {weeks.map(({ n, due: here }) => (
        <div key={n} class="week">
          <h3>{title(n)}</h3>
          {here.length === 0 ? (
            <p class="quiet">{t('calendar.nothing')}</p>
          ) : (
            <ol class="due">
              {here.map((d) => (
                <li key={d.memory.id} class={`category-${d.memory.category}`}>
                  <span class="due-day">
                    <time dateTime={d.at}>
                      {weekday(d.day)} {dayNumber(d.day)}
                    </time>
                    {d.hasTime && <span class="quiet">{timeOf(d.at)}</span>}
                  </span>
                  <i class="dot" aria-hidden="true" />
                  <span class="due-what">
                    <a href={`#/memories/${d.memory.id}`}>
                      <MemoryText memory={d.memory} />
                    </a>{' '}
                    <SaidBy memory={d.memory} />
                  </span>
                </li>
              ))}
            </ol>
          )}
        </div>
      ))}
      {later > 0 && (
        <button type="button" class="linklike" onClick={() => (moved.value = weeksTo(weekOf(now), due.find((d) => d.day > days.at(-1)!)!.day))}>
          {t('calendar.later', { n: later })}
        </button>
      )}
    </section>
  );
}

/** Whole weeks from the week of a day to the one that another day lies in. */
const weeksTo = (from: string, to: string): number => Math.round((dateOf(weekOf(to)).getTime() - dateOf(from).getTime()) / (WEEK * 86_400_000));
