// What is known now, with the versions it went through.
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import type { Category, DeletePreview, Edge, Memory } from 'memfold';
import { faultOf, forget, remove, restore } from '../actions';
import { engine } from '../engine';
import { count, day, moment, percent, t } from '../i18n';
import { Bar, CategoryTag, Confirm, Empty, Problem, Said, ViewHead } from '../parts/basics';
import { Doubts } from '../parts/doubts';
import { Fact } from '../parts/explanation';
import { Icon } from '../parts/icon';
import { MemoryText, Statements } from '../parts/statements';
import { Timeline } from '../parts/timeline';
import { route } from '../router';
import { announce, current, deleted, edgesOf, headOf, memories, type Fault } from '../state';
import { saidAt, statementsOf } from '../statements';
import { CATEGORIES, kindOf, named } from '../words';

const STEP = 40;
type Order = 'recent' | 'important' | 'versions';

const ORDERS: Record<Order, (a: Memory, b: Memory) => number> = {
  recent: (a, b) => saidAt(b).localeCompare(saidAt(a)) || b.id.localeCompare(a.id),
  important: (a, b) => b.importance - a.importance || ORDERS.recent(a, b),
  versions: (a, b) => b.version - a.version || ORDERS.recent(a, b),
};

const tierOf = (importance: number) =>
  importance >= 0.9 ? 'critical' : importance >= 0.7 ? 'high' : importance >= 0.4 ? 'medium' : 'low';

export function MemoriesView() {
  const only = useSignal<Category | ''>('');
  const words = useSignal('');
  const order = useSignal<Order>('recent');
  const shown = useSignal(STEP);
  const perCategory = useComputed(() => {
    const n = new Map<Category, number>();
    for (const m of current.value) n.set(m.category, (n.get(m.category) ?? 0) + 1);
    return n;
  });
  const found = useComputed(() => {
    const needles = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    return current.value
      .filter((m) => !only.value || m.category === only.value)
      .filter((m) => {
        const text = [m.content, m.subject ?? '', ...m.people, ...m.entities].join('\n').toLowerCase();
        return needles.every((n) => text.includes(n));
      })
      .sort(ORDERS[order.value]);
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
  const left = found.value.length - shown.value;
  const list = found.value.slice(0, shown.value);
  return (
    <>
      <ViewHead title={t('memories.title')} lead={t('memories.lead')} />
      <form class="filters" role="search" onSubmit={(e) => e.preventDefault()}>
        <label class="field">
          <span>{t('memories.filter')}</span>
          <input type="search" value={words.value} onInput={(e) => (words.value = e.currentTarget.value)} />
        </label>
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
        <fieldset class="chips">
          <legend class="unseen">{t('memories.byCategory')}</legend>
          <button type="button" class="chip" aria-pressed={only.value === ''} onClick={() => (only.value = '')}>
            {t('common.all')} <span class="count">{count(current.value.length)}</span>
          </button>
          {CATEGORIES.map((c) => (
            <button
              key={c}
              type="button"
              class={`chip category-${c}`}
              aria-pressed={only.value === c}
              onClick={() => (only.value = only.value === c ? '' : c)}
            >
              <i class="dot" aria-hidden="true" />
              {named('category', c)} <span class="count">{count(perCategory.value.get(c) ?? 0)}</span>
            </button>
          ))}
        </fieldset>
      </form>
      <div class="memory-tools">
        <DeleteInWords />
        <Deleted />
      </div>
      <h2 class="unseen">{t('memories.now')}</h2>
      <p class="result-count" role="status">
        {found.value.length > 0 ? t('memories.count', { n: found.value.length }) : t('memories.nothing')}
      </p>
      <ol class="memories">
        {wanted && !list.some((m) => m.id === wanted.id) && <MemoryCard memory={wanted} wanted />}
        {list.map((m) => (
          <MemoryCard key={m.id} memory={m} wanted={m.id === wanted?.id} />
        ))}
      </ol>
      {left > 0 && (
        <button type="button" class="button more-button" onClick={() => (shown.value += STEP)}>
          {t('common.more', { n: Math.min(left, STEP) })}
        </button>
      )}
    </>
  );
}

export function MemoryCard({ memory, wanted }: { memory: Memory; wanted?: boolean }) {
  const toggled = useSignal<boolean | null>(null);
  const open = toggled.value ?? wanted === true;
  const at = edgesOf.value.get(memory.id) ?? [];
  const links = at.length;
  return (
    <li class={`memory ${open ? 'memory-open' : ''}`} data-wanted={wanted || undefined}>
      <button type="button" class="memory-head" aria-expanded={open} onClick={() => (toggled.value = !open)}>
        <span class="memory-text">
          <MemoryText memory={memory} />
        </span>
        <span class="memory-meta">
          <CategoryTag category={memory.category} />
          <time dateTime={saidAt(memory)}>{day(saidAt(memory))}</time>
          {memory.version > 1 && <span class="badge decision-UPDATE">{t('memory.versions', { n: memory.version })}</span>}
          {links > 0 && (
            <span class="with-icon">
              <Icon name="CREATE_AND_LINK" size={14} />
              <span class="unseen">{t('memory.links')} </span>
              {count(links)}
            </span>
          )}
          {at.some((e) => e.from === memory.id && isOpenDoubt(e)) && <span class="badge badge-doubt">{t('doubt.badge')}</span>}
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

/** Whether a link is a doubt between two memories that hold now. */
const isOpenDoubt = ({ kind, from, to }: Edge): boolean =>
  kind === 'may_replace' && [from, to].map((id) => memories.value.get(id)).every((m) => m && !m.supersededBy && !m.deletedAt);

function MemoryDetail({ memory }: { memory: Memory }) {
  return (
    <div class="memory-detail">
      <div>
        <Doubts memory={memory} />
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
            <Fact label={t('memory.occurred')}>{day(memory.occurredAt)}</Fact>
            {memory.statedAt && <Fact label={t('memory.stated')}>{moment(memory.statedAt)}</Fact>}
            {memory.validUntil && <Fact label={t('memory.until')}>{moment(memory.validUntil)}</Fact>}
            <Fact label={t('memory.source')}>{named('source', memory.sourceType)}</Fact>
          </dl>
        </section>
        <section>
          <h3>
            {t('importance.label')}{' '}
            <span class="quiet">{t(`importance.${tierOf(memory.importance)}`)}</span>
          </h3>
          <p class="importance">
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
        </section>
        <Delete memory={memory} />
      </div>
    </div>
  );
}

/** "Delete everything about …": what that means first, and only then the deed. */
function DeleteInWords() {
  const request = useSignal('');
  const preview = useSignal<DeletePreview | null>(null);
  const problem = useSignal<Fault | null>(null);
  const look = async () => {
    problem.value = preview.value = null;
    try {
      preview.value = await engine.data.previewDelete(request.value);
      announce(t('words.found', { n: preview.value.memories.length }));
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const go = async (deed: typeof remove, said: string) => {
    const ids = preview.value?.memories.map((d) => d.memory.id) ?? [];
    try {
      await deed(ids, request.value);
      preview.value = null;
      request.value = '';
      announce(said);
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const found = preview.value?.memories ?? [];
  return (
    <details class="card words">
      <summary>{t('words.title')}</summary>
      <form
        class="form-row words-form"
        onSubmit={(e) => {
          e.preventDefault();
          void look();
        }}
      >
        <label class="field">
          <span>{t('words.request')}</span>
          <input
            type="text"
            required
            maxLength={998}
            placeholder={t('words.example')}
            value={request.value}
            onInput={(e) => (request.value = e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          {t('words.preview')}
        </button>
      </form>
      {problem.value && <Problem fault={problem.value} />}
      {preview.value && (
        <div role="group" aria-label={t('words.title')}>
          <p role="status">{t('words.found', { n: found.length })}</p>
          {found.length > 0 && (
            <>
              <ul class="words-found">
                {found.map((d) => (
                  <li key={d.memory.id}>
                    <MemoryText memory={d.memory} mark={d.matched} />{' '}
                    <span class="quiet">{t('words.with', { versions: d.versions, links: d.links })}</span>
                  </li>
                ))}
              </ul>
              <div class="form-row">
                <button type="button" class="button button-danger" onClick={() => void go(remove, t('memory.deleted'))}>
                  {t('words.delete', { n: found.length })}
                </button>
                <button type="button" class="button button-danger-quiet" onClick={() => void go((ids) => forget(ids), t('memory.forgotten'))}>
                  {t('memory.forget')}
                </button>
                <button type="button" class="button" onClick={() => (preview.value = null)}>
                  {t('common.cancel')}
                </button>
              </div>
            </>
          )}
        </div>
      )}
    </details>
  );
}

/** What was deleted and can come back. */
function Deleted() {
  const problem = useSignal<Fault | null>(null);
  const back = (id: string) =>
    void restore(id).then(
      () => announce(t('memory.restored')),
      (reason) => (problem.value = faultOf(reason)),
    );
  if (deleted.value.length === 0) return null;
  return (
    <details class="card words">
      <summary>{t('deleted.title', { n: deleted.value.length })}</summary>
      {problem.value && <Problem fault={problem.value} />}
      <ul class="words-found">
        {deleted.value.map((m) => (
          <li key={m.id}>
            <MemoryText memory={m} />{' '}
            <button type="button" class="button button-quiet" onClick={() => back(m.id)}>
              {t('memory.restore')}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Delete({ memory }: { memory: Memory }) {
  const asked = useSignal(false);
  const problem = useSignal<Fault | null>(null);
  const go = (deed: (id: string) => Promise<unknown>, said: string) =>
    void deed(memory.id).then(
      () => announce(said),
      (reason) => (problem.value = faultOf(reason)),
    );
  return (
    <section>
      {asked.value ? (
        <Confirm
          label={t('memory.delete')}
          ask={t('memory.delete.sure')}
          yes={t('memory.delete.yes')}
          onNo={() => (asked.value = false)}
          onYes={() => go(remove, t('memory.deleted'))}
        >
          <button type="button" class="button button-danger-quiet" onClick={() => go(forget, t('memory.forgotten'))}>
            {t('memory.forget')}
          </button>
        </Confirm>
      ) : (
        <button type="button" class="button button-danger-quiet" onClick={() => (asked.value = true)}>
          {t('memory.delete')}
        </button>
      )}
      {problem.value && <Problem fault={problem.value} />}
    </section>
  );
}

function LinkedMemories({ memory }: { memory: Memory }) {
  const edges = (edgesOf.value.get(memory.id) ?? []).filter((e) => !isOpenDoubt(e));
  const other = (e: Edge) => headOf(e.from === memory.id ? e.to : e.from);
  return (
    <section>
      <h3>{t('memory.links')}</h3>
      {edges.length === 0 ? (
        <p class="quiet">{t('memory.noLinks')}</p>
      ) : (
        <ul class="linked">
          {edges.map((e) => {
            const m = other(e);
            return (
              m && (
                <li key={e.id}>
                  <span class={`relation relation-${kindOf(e)}`}>{named('relation', kindOf(e))}</span>
                  <a href={`#/memories/${m.id}`}>
                    <MemoryText memory={m} />
                  </a>
                </li>
              )
            );
          })}
        </ul>
      )}
    </section>
  );
}
