// The model settings: which model, its permissions and budget, a test, and the list of sent
// requests.
import { signal, useSignal, useSignalEffect } from '@preact/signals';
import type { EndpointReport, Usage } from 'memfold';
import { faultOf } from '../../../shared/actions';
import { builtInState, downloadBuiltIn, hasBuiltIn, loadedShare } from '../../../shared/builtin';
import { wantsKey } from '../../../shared/endpoints';
import { engine } from '../../../shared/engine';
import { count, known, millis, percent, t, timeOf } from '../../../shared/i18n';
import { Advanced } from '../../../shared/parts/advanced';
import { Bar, Problem, ViewHead } from '../../../shared/parts/basics';
import { Icon } from '../../../shared/parts/icon';
import { BuiltInLoading } from '../../../shared/parts/loading';
import { NeverCard } from '../../../shared/parts/never';
import { SentList } from '../../../shared/parts/sent';
import { announce, entries, type Fault } from '../../../shared/state';
import { dropKey, keep, keyFor, named, originOf, PRESETS, testIsDue, testTarget, type Named, type PresetName } from '../model';
import { MeaningCard } from '../parts/meaning';
import { ReadAgainCard } from '../parts/reread';
import { isReading, reopen } from '../run';

type Form = { preset: PresetName | ''; url: string; model: string; key: string; lasting: boolean; mask: boolean; budget: string };

/** Counts saved settings with which the store was reopened. */
const saves = signal(0);

const NOBODY: Form = { preset: '', url: '', model: '', key: '', lasting: false, mask: true, budget: '' };

function formOf(model: Named | undefined): Form {
  if (!model) return NOBODY;
  const { preset, url, model: name, mask, dailyTokens } = model;
  const key = keyFor(url);
  return { preset, url, model: name, key: key?.key ?? '', lasting: key?.lasting ?? false, mask, budget: dailyTokens === undefined ? '' : String(dailyTokens) };
}

function modelOf({ preset, url, model, mask, budget }: Form): Named | undefined {
  if (preset === '') return undefined;
  return { preset, url: url.trim(), model: model.trim(), mask, ...(budget === '' ? {} : { dailyTokens: Number(budget) }) };
}

export function SettingsView() {
  const report = useSignal<EndpointReport | null>(null);
  const testing = useSignal<AbortController | null>(null);
  const said = useSignal('');
  const problem = useSignal<Fault | null>(null);
  const test = async (model: Named) => {
    const stop = new AbortController();
    testing.value = stop;
    report.value = null;
    try {
      const { testEndpoint } = await import('memfold');
      report.value = await testEndpoint(testTarget(model), { signal: stop.signal });
      if (report.value.code === 'aborted') report.value = null;
    } catch (reason) {
      problem.value = faultOf(reason);
    } finally {
      testing.value = null;
    }
    if (report.value) announce(verdictOf(report.value));
  };
  /** Messages are about the saved settings, so they are cleared when the form changes. */
  const clearMessages = () => {
    said.value = '';
    problem.value = null;
    report.value = null;
  };
  const save = async (form: Form, andTest: boolean) => {
    clearMessages();
    const next = modelOf(form);
    if (next?.preset === 'builtin') {
      try {
        await downloadBuiltIn();
      } catch (reason) {
        problem.value = faultOf(reason);
        return;
      }
    }
    if (keep(next, form.key.trim(), form.lasting, andTest)) return;
    await reopen();
    saves.value++;
    said.value = t(next ? 'model.saved' : 'model.savedNone');
    announce(said.value);
    if (next && andTest) await test(next);
  };
  // The test was requested before the page was reloaded for its new policy.
  useSignalEffect(() => {
    if (named.peek() && testIsDue()) void test(named.peek() as Named);
  });
  return (
    <>
      <ViewHead title={t('settings.title')} lead={t('settings.lead')} />
      <div class="settings">
        <section class="card" aria-labelledby="model-title">
          <h2 id="model-title">{t('model.title')}</h2>
          <ModelForm busy={testing.value !== null || loadedShare.value !== null} onSave={(form, andTest) => void save(form, andTest)} onEdit={clearMessages} />
          <div class="data-note">
            {problem.value && <Problem fault={problem.value} />}
            <BuiltInLoading />
            {testing.value && (
              <div class="testing">
                <p role="status">{t('test.running')}</p>
                <button type="button" class="button" onClick={() => testing.value?.abort()}>
                  {t('common.cancel')}
                </button>
              </div>
            )}
            {report.value && named.value ? <Report report={report.value} model={named.value} /> : said.value && <p class="done">{said.value}</p>}
          </div>
        </section>
        <NeverCard />
        <MeaningCard />
        <ReadAgainCard />
        {named.value && <UsageToday />}
        <Sees />
        <SentList />
        <Advanced card views={['data', 'inbox', 'log', 'links', 'rest', 'evaluate']} />
      </div>
    </>
  );
}

function ModelForm({ busy, onSave, onEdit }: { busy: boolean; onSave(form: Form, andTest: boolean): void; onEdit(): void }) {
  const form = useSignal(formOf(named.value));
  const dropped = useSignal('');
  /** The URL that was not saved because its key is missing. */
  const refused = useSignal('');
  const { preset, url, model, key, lasting, mask, budget } = form.value;
  const set = (change: Partial<Form>) => (form.value = { ...form.value, ...change });
  // The key belongs to the origin that it was entered or stored for.
  const keyOrigin = useSignal(originOf(url));
  const move = (next: string) => {
    const origin = originOf(next);
    if (form.value.key && keyOrigin.value && origin !== keyOrigin.value) {
      dropKey();
      dropped.value = keyOrigin.value;
      set({ key: '' });
    }
    keyOrigin.value = origin;
  };
  const choose = (name: PresetName | '') => {
    const next = name === '' ? undefined : PRESETS[name];
    move(next?.url ?? '');
    set({ preset: name, url: next?.url ?? '', model: next?.model ?? '' });
  };
  const known = preset === '' ? undefined : PRESETS[preset];
  const remote = known !== undefined && preset !== 'builtin';
  const runs = isReading();
  const isMissing = key.trim() === '' && refused.value !== '' && refused.value === url;
  const submit = (andTest: boolean) => (e: Event) => {
    e.preventDefault();
    const place = (e.currentTarget as HTMLElement).closest('form') as HTMLFormElement;
    if (!place.reportValidity()) return;
    move(url);
    if (remote && form.value.key.trim() === '' && wantsKey(url) === 'yes') {
      refused.value = url;
      place.querySelector<HTMLInputElement>('[type=password]')?.focus();
      return;
    }
    onSave(form.value, andTest);
  };
  return (
    <form class="form model-form" onSubmit={submit(false)} onInput={onEdit}>
      <label class="field">
        <span>{t('model.preset')}</span>
        <select value={preset} onChange={(e) => choose(e.currentTarget.value as PresetName | '')}>
          <option value="">{t('model.none')}</option>
          {(Object.keys(PRESETS) as PresetName[])
            .filter((name) => name !== 'builtin' || hasBuiltIn || preset === 'builtin')
            .map((name) => (
              <option key={name} value={name}>
                {name === 'builtin' ? t('model.builtin') : PRESETS[name].label}
              </option>
            ))}
        </select>
      </label>
      {preset === '' && <p class="quiet">{t('model.none.detail')}</p>}
      {preset === 'builtin' && <BuiltIn />}
      {remote && (
        <>
          <div class="form-pair">
            <label class="field">
              <span>{t('model.url')}</span>
              <input
                type="url"
                required
                autocomplete="off"
                spellcheck={false}
                value={url}
                onInput={(e) => set({ url: e.currentTarget.value })}
                onChange={(e) => move(e.currentTarget.value)}
              />
            </label>
            <label class="field">
              <span>{t('model.name')}</span>
              <input type="text" required autocomplete="off" spellcheck={false} value={model} onInput={(e) => set({ model: e.currentTarget.value })} />
            </label>
          </div>
          <p class="quiet">{t('model.url.detail')}</p>
          <div class="form-pair">
            <label class="field">
              <span>{t('local' in known ? 'model.keyOptional' : 'model.key')}</span>
              <input
                type="password"
                autocomplete="off"
                spellcheck={false}
                aria-describedby="key-detail"
                aria-invalid={isMissing}
                value={key}
                onInput={(e) => {
                  dropped.value = '';
                  set({ key: e.currentTarget.value });
                }}
              />
            </label>
            <label class="check">
              <input type="checkbox" checked={lasting} onChange={(e) => set({ lasting: e.currentTarget.checked })} />
              {t('model.lasting')}
            </label>
          </div>
          <p class={isMissing ? 'problem' : 'quiet'} id="key-detail" role={isMissing ? 'alert' : dropped.value ? 'status' : undefined}>
            {isMissing
              ? t('model.key.needed', { origin: originOf(url) ?? url })
              : dropped.value
                ? t('model.dropped', { origin: dropped.value })
                : t(key.trim() === '' && wantsKey(url) === 'perhaps' ? 'model.key.none' : lasting ? 'model.key.lasting' : 'model.key.detail', {
                    origin: originOf(url) ?? t('model.thatAddress'),
                  })}
          </p>
        </>
      )}
      {known && (
        <>
          <label class="check">
            <input type="checkbox" checked={mask} aria-describedby="mask-detail" onChange={(e) => set({ mask: e.currentTarget.checked })} />
            {t('model.mask')}
          </label>
          <p class="quiet" id="mask-detail">
            {t('model.mask.detail')}
          </p>
          <label class="field field-narrow">
            <span>{t('model.budget')}</span>
            <input
              type="number"
              min="0"
              max="4000000000"
              step="1"
              inputMode="numeric"
              placeholder={t('model.budget.none')}
              value={budget}
              onInput={(e) => set({ budget: e.currentTarget.value })}
            />
          </label>
        </>
      )}
      {runs && <p class="quiet">{t('model.runs')}</p>}
      <div class="form-row">
        <button type="submit" class={known ? 'button' : 'button button-primary'} disabled={busy || runs}>
          {t('data.save')}
        </button>
        {known && (
          <button type="button" class="button button-primary" disabled={busy || runs} onClick={submit(true)}>
            {t('test.go')}
          </button>
        )}
      </div>
    </form>
  );
}

/** The state of the browser's own model, read when shown. */
function BuiltIn() {
  const state = useSignal<Awaited<ReturnType<typeof builtInState>> | undefined>(undefined);
  useSignalEffect(() => void builtInState().then((now) => (state.value = now)));
  const now = state.value;
  return (
    <p class="quiet" role="status">
      {t('model.builtin.detail')}{' '}
      {now && now !== 'available' && <strong>{t(now === 'unavailable' ? 'model.builtin.unavailable' : 'model.builtin.later')}</strong>}
    </p>
  );
}

const verdictOf = ({ code }: EndpointReport): string => known(`test.${code}`) ?? t('test.failed');

/** Advice for a test result, if any. */
function hintOf({ code }: EndpointReport, { preset, url }: Named): string {
  const here = location.origin;
  if (code === 'cors' || code === 'unreachable' || code === 'mixed_content') {
    const own = known(`hint.${code === 'unreachable' ? 'start' : 'cors'}.${preset}`, { origin: here });
    if (own) return own;
  }
  return known(`hint.${code}`, { origin: here, url: originOf(url) ?? url }) ?? '';
}

function Report({ report, model }: { report: EndpointReport; model: Named }) {
  const { ok, code, detail, features, ms } = report;
  const hint = hintOf(report, model);
  return (
    <div class={ok ? 'report report-ok' : 'report report-bad'}>
      <Icon name={ok ? 'check' : 'warning'} />
      <div>
        <h3>{verdictOf(report)}</h3>
        {hint && <p>{hint}</p>}
        {detail && (
          <p class="quiet">
            {t('test.says')} <q>“{detail}”</q>
          </p>
        )}
        {ok && features && (
          <dl class="facts">
            <Fact label={t('test.took')} value={millis(ms)} />
            {features.schema && <Fact label={t('test.schema')} value={t(`test.schema.${features.schema}`)} />}
            <Fact label={t('test.tokens')} value={t(features.tokens ? 'test.yes' : 'test.no')} />
            <Fact label={t('test.right')} value={t(features.right ? 'test.right.yes' : 'test.right.no')} />
          </dl>
        )}
        {!ok && code === 'failed' && !detail && <p>{t('test.tryAgain')}</p>}
      </div>
    </div>
  );
}

const Fact = ({ label, value }: { label: string; value: string }) => (
  <div>
    <dt>{label}</dt>
    <dd>{value}</dd>
  </div>
);

/** Today's usage and the budget. */
function UsageToday() {
  const usage = useSignal<Usage | null>(null);
  const problem = useSignal<Fault | null>(null);
  useSignalEffect(() => {
    void entries.value;
    void saves.value;
    engine.model.usage().then(
      (now) => (usage.value = now),
      (reason) => (problem.value = faultOf(reason)),
    );
  });
  if (!usage.value) return problem.value && <Problem fault={problem.value} />;
  const { calls, tokens: used, dailyTokens: most, cached, restsUntil } = usage.value;
  const share = most ? Math.min(1, used / most) : most === 0 ? 1 : 0;
  return (
    <section class="card" aria-labelledby="today-title">
      <h2 id="today-title">{t('usage.title')}</h2>
      {most !== undefined && (
        <div class="meter" role="meter" aria-label={t('usage.tokens')} aria-valuemin={0} aria-valuemax={most} aria-valuenow={Math.min(used, most)}>
          <Bar value={share} tone={share >= 1 ? 'UPDATE' : 'accent'} />
          <span>{t('usage.share', { used, most, share: percent(share) })}</span>
        </div>
      )}
      <dl class="tiles">
        <Tile label={t('usage.tokens')} value={used} />
        <Tile label={t('usage.calls')} value={calls} />
        <Tile label={t('usage.cached')} value={cached} />
      </dl>
      <div class="today-note">
        {most !== undefined && share >= 1 && <p class="quiet">{t('usage.spent')}</p>}
        {restsUntil !== undefined && <p class="quiet">{t('usage.rests', { time: timeOf(restsUntil) })}</p>}
        {problem.value && <Problem fault={problem.value} />}
      </div>
    </section>
  );
}

const Tile = ({ label, value }: { label: string; value: number }) => (
  <div class="tile">
    <dt>{label}</dt>
    <dd>{count(value)}</dd>
  </div>
);

/** What a model receives, in words. */
function Sees() {
  return (
    <section class="card" aria-labelledby="sees-title">
      <h2 id="sees-title">{t('sees.title')}</h2>
      <ul class="plain">
        {(['mail', 'note', 'rest', 'never', 'mask'] as const).map((what) => (
          <li key={what}>{t(`sees.${what}`)}</li>
        ))}
      </ul>
    </section>
  );
}
