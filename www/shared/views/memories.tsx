// What is known, by matter, by person, or as a flat list.
import { signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Category, Memory } from 'memfold';
import { inOrder } from '../days';
import { count, t } from '../i18n';
import { links } from '../links';
import { nameOf } from '../mails';
import { matterOf, matters, people } from '../matters';
import { Empty, ViewHead } from '../parts/basics';
import { MailboxChanges } from '../parts/changes';
import { DeleteInWords, Deleted } from '../parts/delete';
import { useGradually } from '../parts/gradually';
import { Icon } from '../parts/icon';
import { MatterCard, PersonCard } from '../parts/matter';
import { MemoryCard } from '../parts/memory';
import { route } from '../router';
import { current, headOf } from '../state';
import { saidAt } from '../statements';
import { CATEGORIES, named } from '../words';

/** Cards rendered at a time. */
const AT_A_TIME = 4;
/** From this many memories on, grouping is too slow for a click. */
const MANY = 2000;
const STEP = { matters: 12, people: 20, list: 40 } as const;
type Order = 'recent' | 'important' | 'versions';
const WAYS = ['matters', 'people', 'list'] as const;
type Grouping = (typeof WAYS)[number];

/** The chosen grouping, kept while the page is open. */
const grouping = signal<Grouping>('matters');

const ORDERS: Record<Order, (a: Memory, b: Memory) => number> = {
  recent: (a, b) => inOrder(saidAt(b), saidAt(a)) || inOrder(b.id, a.id),
  important: (a, b) => b.importance - a.importance || ORDERS.recent(a, b),
  versions: (a, b) => b.version - a.version || ORDERS.recent(a, b),
};

const textOf = (m: Memory): string => [m.content, m.subject ?? '', ...m.people, ...m.people.map(nameOf), ...m.entities].join('\n').toLowerCase();

export function MemoriesView() {
  const only = useSignal<Category | ''>('');
  const words = useSignal('');
  const order = useSignal<Order>('recent');
  const more = useSignal(0);
  const perCategory = useComputed(() => {
    const n = new Map<Category, number>();
    for (const m of current.value) n.set(m.category, (n.get(m.category) ?? 0) + 1);
    return n;
  });
  const found = useComputed(() => {
    const needles = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    return current.value
      .filter((m) => !only.value || m.category === only.value)
      .filter((m) => needles.length === 0 || needles.every((n) => textOf(m).includes(n)))
      .sort(grouping.value === 'list' ? ORDERS[order.value] : () => 0);
  });
  const groups = useComputed(() => {
    const isAll = found.value.length === current.value.length;
    const kept = isAll ? undefined : new Set(found.value.map((m) => m.id));
    const within = <G extends { memories: Memory[] }>(all: readonly G[]) => (kept ? all.filter((g) => g.memories.some((m) => kept.has(m.id))) : all);
    // Only the visible grouping is computed.
    return { matters: grouping.value === 'matters' ? within(matters.value) : [], people: grouping.value === 'people' ? within(people.value) : [] };
  });
  const wanted = route.value.id ? headOf(route.value.id) : undefined;
  useSignalEffect(() => {
    if (!route.value.id) return;
    requestAnimationFrame(() => {
      const open = document.querySelector<HTMLElement>('.memory[data-wanted]');
      open?.scrollIntoView({ block: 'start' });
      open?.querySelector('button')?.focus({ preventScroll: true });
    });
  });
  // Many memories are grouped in a separate task after the first frame.
  const ready = useSignal(current.peek().length < MANY);
  useEffect(() => {
    const timer = setTimeout(() => (ready.value = true));
    return () => clearTimeout(timer);
  }, []);
  const now = grouping.value;
  const shown = STEP[now] * (more.value + 1);
  const total = !ready.value ? 0 : now === 'list' ? found.value.length : groups.value[now].length;
  const drawn = useGradually(Math.min(total, shown), AT_A_TIME);
  if (current.value.length === 0) {
    return (
      <>
        <ViewHead title={t('memories.title')} lead={t('memories.lead')} />
        <Empty icon="memories" title={t('memories.empty')}>
          <p>{t('memories.empty.detail')}</p>
          <a class="button button-primary" href="#/inbox">
            {t('drop.title')}
          </a>
        </Empty>
        <Deleted />
      </>
    );
  }
  // A requested memory is shown whatever the filters.
  const list = ready.value ? found.value.slice(0, Math.min(shown, drawn)) : [];
  const asked = wanted && ready.value && now === 'matters' ? matterOf(wanted.id) : undefined;
  const cards = ready.value ? groups.value.matters.slice(0, Math.min(shown, drawn)) : [];
  const filtered = words.value.trim() !== '' || only.value !== '';
  return (
    <>
      <ViewHead title={t('memories.title')} lead={t('memories.lead')} />
      <form class="filters" role="search" onSubmit={(e) => e.preventDefault()}>
        <label class="field">
          <span>{t('memories.filter')}</span>
          <input type="search" value={words.value} placeholder={t('memories.filter.example')} onInput={(e) => (words.value = e.currentTarget.value)} />
        </label>
        {now === 'list' && (
          <label class="field">
            <span>{t('memories.sort')}</span>
            <select value={order.value} onChange={(e) => (order.value = e.currentTarget.value as Order)}>
              {(['recent', 'important', 'versions'] as const).map((o) => (
                <option key={o} value={o}>
                  {t(`memories.sort.${o}`)}
                </option>
              ))}
            </select>
          </label>
        )}
        <fieldset class="chips ways">
          <legend class="unseen">{t('memories.way')}</legend>
          {WAYS.map((one) => (
            <button
              key={one}
              type="button"
              class="chip"
              aria-pressed={now === one}
              onClick={() => {
                grouping.value = one;
                more.value = 0;
              }}
            >
              {t(`memories.way.${one}`)}
            </button>
          ))}
        </fieldset>
        {now === 'list' && (
          <fieldset class="chips">
            <legend class="unseen">{t('memories.byCategory')}</legend>
            <button type="button" class="chip" aria-pressed={only.value === ''} onClick={() => (only.value = '')}>
              {t('common.all')} <span class="count">{count(current.value.length)}</span>
            </button>
            {CATEGORIES.map((c) => (
              <button key={c} type="button" class="chip" aria-pressed={only.value === c} onClick={() => (only.value = only.value === c ? '' : c)}>
                <Icon name={c} size={15} />
                {named('category', c)} <span class="count">{count(perCategory.value.get(c) ?? 0)}</span>
              </button>
            ))}
          </fieldset>
        )}
      </form>
      <h2 class="unseen">{t('memories.now')}</h2>
      <p class="result-count" role="status">
        {!ready.value
          ? ''
          : found.value.length === 0
            ? t('memories.nothing')
            : now === 'matters'
              ? t('memories.matters', { n: total, memories: found.value.length })
              : now === 'people'
                ? t('memories.people', { n: total })
                : t('memories.count', { n: total })}
      </p>
      {now === 'list' && (
        <ol class="memories">
          {wanted && !list.some((m) => m.id === wanted.id) && <MemoryCard memory={wanted} wanted />}
          {list.map((m) => (
            <MemoryCard key={m.id} memory={m} wanted={m.id === wanted?.id} />
          ))}
        </ol>
      )}
      {now === 'matters' && (
        <div class="matters">
          {asked && !cards.includes(asked) && <MatterCard matter={asked} wanted={wanted?.id} />}
          {wanted && !asked && (
            <ol class="memories">
              <MemoryCard memory={wanted} wanted />
            </ol>
          )}
          {cards.map((m) => (
            <MatterCard key={m.id} matter={m} wanted={m === asked ? wanted?.id : undefined} />
          ))}
        </div>
      )}
      {now === 'people' && (
        <div class="matters">
          {(ready.value ? groups.value.people : []).slice(0, Math.min(shown, drawn)).map((p) => (
            <PersonCard key={p.address} person={p} />
          ))}
        </div>
      )}
      {total > shown && (
        <button type="button" class="button more-button" onClick={() => more.value++}>
          {t('common.more', { n: Math.min(total - shown, STEP[now]) })}
        </button>
      )}
      {ready.value && now === 'matters' && !filtered && !wanted && <MailboxChanges />}
      <div class="memory-tools">
        {links.value.length > 0 && (
          <a class="button" href="#/links">
            <Icon name="links" size={16} /> {t('memories.picture')}
          </a>
        )}
        <DeleteInWords />
        <Deleted />
      </div>
    </>
  );
}
