// Basic components of all views.
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Category, Decision } from 'memfold';
import type { Highlight } from '../types';
import { known, langOf, percent, score, t } from '../i18n';
import { route, sectionOf } from '../router';
import type { Fault } from '../state';
import { CATEGORIES, faultWords, named } from '../words';
import { Icon, type IconName } from './icon';

/** Text from a mail, with its language marked. */
export const Said = ({ text, mark = [], at = [] }: { text: string; mark?: readonly string[]; at?: readonly Highlight[] }) => (
  <span lang={langOf(text)}>{mark.length > 0 || at.length > 0 ? <Marked text={text} words={mark} at={at} /> : text}</span>
);

/** A text with highlighted words and positions. */
export function Marked({ text, words, at }: { text: string; words: readonly string[]; at: readonly Highlight[] }) {
  const lower = text.toLowerCase();
  const hits = at.map(({ start, end }): [number, number] => [start, end]);
  for (const word of words) {
    const needle = word.trim().toLowerCase();
    // Lower case changes lengths in a few scripts; positions would then be wrong, so nothing is
    // marked.
    if (!needle || lower.length !== text.length) continue;
    for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, at + needle.length)) hits.push([at, at + needle.length]);
  }
  hits.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const out: ComponentChildren[] = [];
  let done = 0;
  for (const [from, to] of hits) {
    if (to <= done) continue;
    const start = Math.max(from, done);
    if (start > done) out.push(text.slice(done, start));
    out.push(<mark key={start}>{text.slice(start, to)}</mark>);
    done = to;
  }
  out.push(text.slice(done));
  return <>{out}</>;
}

export const DecisionBadge = ({ decision }: { decision: Decision }) => (
  <span class={`badge decision-${decision}`}>
    <Icon name={decision as IconName} size={13} />
    {named('decision', decision)}
  </span>
);

export const CategoryTag = ({ category }: { category: Category }) => (
  <span class="category">
    <Icon name={category} size={14} />
    {named('category', category)}
  </span>
);

/** A share from 0 to 1 as a bar, hidden from screen readers because the number is next to it. */
export const Bar = ({ value, tone = 'accent' }: { value: number; tone?: string }) => (
  <span class={`bar tone-${tone}`} aria-hidden="true">
    <span class="bar-fill" style={{ inlineSize: `${Math.max(0, Math.min(1, value)) * 100}%` }} />
  </span>
);

export const SignedBar = ({ value, most }: { value: number; most: number }) => {
  const share = most > 0 ? Math.min(1, Math.abs(value) / most) * 50 : 0;
  return (
    <span class="bar bar-signed" aria-hidden="true">
      <span
        class={value < 0 ? 'bar-fill bar-against' : 'bar-fill bar-for'}
        style={{ inlineSize: `${share}%`, insetInlineStart: `${value < 0 ? 50 - share : 50}%` }}
      />
    </span>
  );
};

export const Measure = ({
  label,
  value,
  tone,
  strong,
  as = 'score',
}: {
  label: string;
  value: number | undefined;
  tone?: string;
  strong?: boolean;
  as?: 'score' | 'percent';
}) => (
  <div class={strong ? 'measure measure-strong' : 'measure'}>
    <dt>{label}</dt>
    <dd>
      {value === undefined ? (
        <span class="quiet">{t('factor.absent')}</span>
      ) : (
        <>
          <Bar value={value} {...(tone ? { tone } : {})} />
          <span class="figure">{as === 'percent' ? percent(value) : score(value)}</span>
        </>
      )}
    </dd>
  </div>
);

export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <Icon name={icon} size={32} />
    <h2>{title}</h2>
    {children}
  </div>
);

/** An empty view before the first mail, with a link to the import. */
export const NothingYet = ({ view }: { view: 'links' | 'log' | 'search' }) => (
  <>
    <ViewHead title={t(`${view}.title`)} lead={t(`${view}.lead`)} />
    <Empty icon={view} title={t(`${view}.empty`)}>
      <p>{t(`${view}.empty.detail`)}</p>
      <a class="button button-primary" href="#/inbox">
        {t('drop.title')}
      </a>
    </Empty>
  </>
);

/** A constant function: a new one on each render would take the focus again. */
export const focused = (place: HTMLElement | null): void => place?.focus();

/** Moves the focus when the focused part disappears: to what replaces it, or to the heading. */
export function useFocusBack(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const own = part.current;
    const places: [Element, number][] = [];
    for (let at: Element | null = own; at?.parentElement && !at.matches('main'); at = at.parentElement)
      places.push([at.parentElement, [...at.parentElement.children].indexOf(at)]);
    return () => {
      const had = document.activeElement;
      // The focused element may be disabled or gone.
      if (had !== document.body && !own?.contains(had)) return;
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return;
        const [around, at] = places.find(([parent]) => parent.isConnected) ?? [];
        const next = around?.children[at ?? 0];
        const place = next?.matches('button') ? next : next?.querySelector('button');
        ((place ?? document.querySelector('main h1')) as HTMLElement | null)?.focus({ preventScroll: true });
      });
    };
  }, []);
}

/**
 * Asks for confirmation of an irreversible action; `children` are further buttons. Repeated Enter
 * does nothing.
 */
export function Confirm({
  label,
  ask,
  yes,
  disabled,
  onYes,
  onNo,
  children,
}: {
  label: string;
  ask: ComponentChildren;
  yes: string;
  disabled?: boolean;
  onYes(): void;
  onNo(): void;
  children?: ComponentChildren;
}) {
  const group = useRef<HTMLDivElement>(null);
  useFocusBack(group);
  return (
    <div class="confirm" role="group" aria-label={label} ref={group}>
      <p>{ask}</p>
      <div class="form-row">
        <button type="button" class="button button-danger" disabled={disabled ?? false} onClick={onYes}>
          {yes}
        </button>
        {children}
        <button type="button" class="button" ref={focused} onClick={onNo}>
          {t('common.cancel')}
        </button>
      </div>
    </div>
  );
}

export const Problem = ({ fault, onRetry }: { fault: Fault; onRetry?: () => void }) => (
  <div class="problem" role="alert">
    <Icon name="warning" />
    <div>
      <p>{faultWords(fault)}</p>
      {fault.field && <p class="quiet">{t('error.at', { field: fault.field })}</p>}
      {onRetry && (
        <button type="button" class="button" onClick={onRetry}>
          {t('common.retry')}
        </button>
      )}
    </div>
  </div>
);

/** Warns that mail was read without the configured model. */
export const Unreached = ({ why }: { why: string }) => (
  <div class="problem" role="alert">
    <Icon name="warning" />
    <p>{t('run.unreached', { why: known(`test.${why}`) ?? t('test.failed') })}</p>
  </div>
);

export function Choice<V extends string>({
  legend,
  name,
  value,
  options,
  disabled,
  onChange,
}: {
  legend: string;
  disabled?: boolean;
  name: string;
  value: V;
  options: readonly { value: V; label: string }[];
  onChange(value: V): void;
}) {
  return (
    <fieldset class="choice" disabled={disabled ?? false}>
      <legend>{legend}</legend>
      <div class="choice-options">
        {options.map((o) => (
          <label key={o.value}>
            <input type="radio" name={name} value={o.value} checked={o.value === value} onChange={() => onChange(o.value)} />
            <span>{o.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** A choice of category; `all` is the label for all of them. */
export const CategoryChoice = <V extends Category | ''>({ value, all, onChange }: { value: V; all?: string; onChange(next: V): void }) => (
  <select value={value} onChange={(e) => onChange(e.currentTarget.value as V)}>
    {all && <option value="">{all}</option>}
    {CATEGORIES.map((c) => (
      <option key={c} value={c}>
        {named('category', c)}
      </option>
    ))}
  </select>
);

/** The heading of a view, with a link back to its section. */
export const ViewHead = ({ title, lead }: { title: string; lead: string }) => {
  const section = sectionOf(route.value.view);
  return (
    <header class="view-head">
      {section !== route.value.view && (
        <a class="back" href={`#/${section}`}>
          <Icon name="chevron" size={14} /> {t(`nav.${section}`)}
        </a>
      )}
      <h1 tabIndex={-1}>{title}</h1>
      <p class="lead">{lead}</p>
    </header>
  );
};

/** A file input under a label that looks like a button, usable by keyboard. */
export const FileButton = ({
  label,
  accept,
  multiple,
  primary,
  disabled,
  onFiles,
}: {
  label: string;
  accept: string;
  multiple?: boolean;
  primary?: boolean;
  disabled?: boolean;
  onFiles(files: File[]): void;
}) => (
  <label class={`button file-button ${primary ? 'button-primary' : ''}`} data-disabled={disabled || undefined}>
    <input
      type="file"
      class="unseen"
      accept={accept}
      multiple={multiple ?? false}
      disabled={disabled ?? false}
      onChange={(e) => {
        const files = [...(e.currentTarget.files ?? [])];
        e.currentTarget.value = '';
        if (files.length > 0) onFiles(files);
      }}
    />
    <Icon name="file" size={16} />
    {label}
  </label>
);
