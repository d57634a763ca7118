// New and changed memories over time, by the date of the mails, without the owner's own texts. The
// chart is hidden from screen readers; a line and a table repeat its content.
import { count, day, monthDay, t } from '../i18n';
import { dateOf, dayOf, daysAfter, weekOf } from '../due';
import { memories } from '../state';
import { saidAt } from '../statements';

type Bin = { from: string; fresh: number; changed: number };

const DAYS = 45;
const WEEKS = 60;
const monthOf = (day: string): string => `${day.slice(0, 7)}-01`;
const nextMonth = (day: string): string => {
  const date = dateOf(day);
  date.setMonth(date.getMonth() + 1, 1);
  return dayOf(date);
};

/** New and changed memories by day, week or month, without gaps. */
function bins(): Bin[] {
  // The owner's own versions do not count.
  const mailed = [...memories.value.values()].filter((m) => m.nodeType === 'memory' && !m.deletedAt && m.sourceId);
  const made = mailed.map((m) => ({ day: dayOf(new Date(saidAt(m))), isNew: m.version === 1 }));
  const days = made.map((m) => m.day).sort();
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  const span = (dateOf(last).getTime() - dateOf(first).getTime()) / 86_400_000;
  const [begin, next] =
    span <= DAYS ? [(d: string) => d, (d: string) => daysAfter(d, 1)] : span <= WEEKS * 7 ? [weekOf, (d: string) => daysAfter(d, 7)] : [monthOf, nextMonth];
  const by = new Map<string, Bin>();
  for (let at = begin(first); at <= last; at = next(at)) by.set(at, { from: at, fresh: 0, changed: 0 });
  for (const { day, isNew } of made) {
    const bin = by.get(begin(day));
    if (bin) bin[isNew ? 'fresh' : 'changed']++;
  }
  return [...by.values()];
}

const [WIDTH, HEIGHT] = [600, 72];

export function MailboxChanges() {
  const all = bins();
  if (all.length < 2) return null;
  const most = Math.max(...all.map((b) => b.fresh + b.changed), 1);
  const step = WIDTH / all.length;
  const wide = Math.min(step * 0.72, 28);
  const tall = (n: number): number => (n / most) * (HEIGHT - 4);
  const sum = (of: 'fresh' | 'changed') => all.reduce((n, b) => n + b[of], 0);
  return (
    <section class="mailbox-changes card" aria-labelledby="mailbox-changes">
      <div class="section-head">
        <h2 id="mailbox-changes">{t('changes.title')}</h2>
        <ul class="plot-legend">
          <li class="plot-create">
            <i class="dot" aria-hidden="true" /> {t('changes.fresh')} <strong>{count(sum('fresh'))}</strong>
          </li>
          <li class="plot-update">
            <i class="dot" aria-hidden="true" /> {t('changes.changed')} <strong>{count(sum('changed'))}</strong>
          </li>
        </ul>
      </div>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false" preserveAspectRatio="none">
        <path class="plot-ground" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
        {all.map((b, i) => {
          const x = i * step + (step - wide) / 2;
          return (
            <g key={b.from}>
              <rect class="bar-create" x={x} width={wide} y={HEIGHT - tall(b.fresh)} height={tall(b.fresh)} />
              <rect class="bar-update" x={x} width={wide} y={HEIGHT - tall(b.fresh + b.changed)} height={tall(b.changed)} />
            </g>
          );
        })}
      </svg>
      <p class="axis quiet" aria-hidden="true">
        <span>{monthDay(all[0]!.from)}</span>
        <span>{monthDay(all.at(-1)!.from)}</span>
      </p>
      <details class="more">
        <summary>{t('rest.table')}</summary>
        <div class="plot-table" tabIndex={0} role="region" aria-label={t('changes.title')}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('rest.day')}</th>
                <th scope="col">{t('changes.fresh')}</th>
                <th scope="col">{t('changes.changed')}</th>
              </tr>
            </thead>
            <tbody>
              {all
                .filter((b) => b.fresh + b.changed > 0)
                .map((b) => (
                  <tr key={b.from}>
                    <th scope="row">{day(b.from)}</th>
                    <td>{count(b.fresh)}</td>
                    <td>{count(b.changed)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
