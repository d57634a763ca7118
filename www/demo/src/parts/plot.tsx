// Small plots of daily values, hidden from screen readers, with text and a table.
import { day as spell, t } from '../../../shared/i18n';

export type Series = { label: string; tone: 'accent' | 'create' | 'update' | 'link'; values: readonly (number | null)[] };

const [WIDTH, HEIGHT, PAD] = [320, 96, 6];

/** The path of a line, with gaps for missing values. */
function path(values: readonly (number | null)[], most: number): string {
  const step = values.length > 1 ? (WIDTH - 2 * PAD) / (values.length - 1) : 0;
  let drawn = '';
  values.forEach((value, i) => {
    if (value === null) return;
    const x = (PAD + i * step).toFixed(1);
    const y = (HEIGHT - PAD - (value / most) * (HEIGHT - 2 * PAD)).toFixed(1);
    drawn += `${drawn && values[i - 1] !== null && i > 0 ? 'L' : 'M'}${x} ${y}`;
  });
  return drawn;
}

export function Plot({ title, days, series, show }: { title: string; days: readonly string[]; series: readonly Series[]; show(value: number): string }) {
  const all = series.flatMap((s) => s.values.filter((v): v is number => v !== null));
  const most = Math.max(1e-9, ...all);
  const last = (s: Series) => s.values.findLast((v) => v !== null) ?? null;
  return (
    <figure class="plot card">
      <figcaption>
        <h2>{title}</h2>
        <ul class="plot-legend">
          {series.map((s) => (
            <li key={s.label} class={`plot-${s.tone}`}>
              {s.label} <strong>{last(s) === null ? t('common.none') : show(last(s) as number)}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false" preserveAspectRatio="none">
        <path class="plot-ground" d={`M0 ${HEIGHT - PAD}H${WIDTH}M0 ${PAD}H${WIDTH}`} />
        {series.map((s) => (
          <path key={s.label} class={`plot-line plot-${s.tone}`} d={path(s.values, most)} />
        ))}
      </svg>
      <details>
        <summary>{t('rest.table')}</summary>
        <div class="plot-table" tabIndex={0} role="region" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('rest.day')}</th>
                {series.map((s) => (
                  <th scope="col" key={s.label}>
                    {s.label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((name, i) => (
                <tr key={name}>
                  <th scope="row">{spell(`${name}T12:00:00`)}</th>
                  {series.map((s) => (
                    <td key={s.label}>{s.values[i] === null || s.values[i] === undefined ? '' : show(s.values[i] as number)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
