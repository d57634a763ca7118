// The form for a model endpoint. Chrome's permission for its URL is requested on saving.
import { useSignal } from '@preact/signals';
import type { EndpointReport } from 'memfold';
import { faultOf } from '../../../shared/actions';
import { wantsKey } from '../../../shared/endpoints';
import { t } from '../../../shared/i18n';
import { Problem } from '../../../shared/parts/basics';
import { announce, type Fault } from '../../../shared/state';
import type { Dialect, Settings } from '../messages';
import { BuiltIn } from './builtin';
import { own } from './client';
import { look, status } from './frame';
import { Unlock } from './notices';
import { testWords, w } from './words';

const DIALECTS: readonly Dialect[] = ['openai', 'anthropic', 'gemini'];
const BASES: Record<Dialect, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
};

/** Ollama's default URL. */
const LOCAL = 'http://localhost:11434/v1';

/** The URL, if it is allowed. */
function asked(url: string): URL | undefined {
  try {
    const at = new URL(url);
    const here = at.hostname === 'localhost' || at.hostname === '127.0.0.1';
    return at.protocol === 'https:' || (at.protocol === 'http:' && here) ? at : undefined;
  } catch {
    return undefined;
  }
}

const patternOf = (at: URL): string => `${at.protocol}//${at.hostname}/*`;
/** Revokes a permission that is no longer needed. */
const revokePermission = (at: URL): Promise<boolean> => chrome.permissions.remove({ origins: [patternOf(at)] }).catch(() => false);

/** `preset`: start with a local model's URL, or an empty one. */
export function ModelForm({ settings, onSaved, preset }: { settings: Settings; onSaved(next: Settings): void; preset?: 'local' | 'endpoint' }) {
  const dialect = useSignal<Dialect>(settings.endpoint?.dialect ?? 'openai');
  const url = useSignal(settings.endpoint?.url ?? (preset === 'local' ? LOCAL : ''));
  const model = useSignal(settings.endpoint?.model ?? '');
  const mask = useSignal(settings.mask);
  const secret = useSignal('');
  const passphrase = useSignal('');
  const said = useSignal('');
  const bad = useSignal('');
  const fault = useSignal<Fault | null>(null);
  const report = useSignal<EndpointReport | null>(null);
  const testing = useSignal(false);
  /** Whether the stored key belongs to the form's origin and API. */
  const isKept = () => {
    const [was, is] = [settings.endpoint && asked(settings.endpoint.url), asked(url.value.trim())];
    return status.value?.key !== 'none' && was?.origin === is?.origin && settings.endpoint?.dialect === dialect.value;
  };
  const isMissing = useSignal(false);
  /** Messages are about the saved settings, so they are cleared when the form changes. */
  const clearMessages = () => {
    said.value = bad.value = '';
    isMissing.value = false;
    report.value = null;
    fault.value = null;
  };
  const attempt = async (work: () => Promise<string>) => {
    clearMessages();
    try {
      said.value = await work();
      if (said.value) announce(said.value);
      await look();
    } catch (reason) {
      fault.value = faultOf(reason);
    }
  };
  const test = () =>
    attempt(async () => {
      testing.value = true;
      report.value = null;
      try {
        report.value = await own.testModel();
        announce(testWords(report.value.code, report.value.ms));
        return '';
      } finally {
        testing.value = false;
      }
    });
  const save = () =>
    attempt(async () => {
      const at = asked(url.value.trim());
      if (!at) return ((bad.value = w('model.bad')), '');
      isMissing.value = secret.value.trim() === '' && wantsKey(at.href) === 'yes' && !isKept();
      if (isMissing.value) return '';
      // Chrome requires a user gesture for this.
      if (!(await chrome.permissions.request({ origins: [patternOf(at)] }))) return ((bad.value = w('model.denied', { origin: at.origin })), '');
      const before = settings.endpoint && asked(settings.endpoint.url);
      const next = await own.save({ ...settings, mask: mask.value, endpoint: { dialect: dialect.value, url: url.value.trim(), model: model.value.trim() } });
      if (before && before.hostname !== at.hostname) await revokePermission(before);
      if (secret.value) await own.saveKey(secret.value.trim(), passphrase.value);
      secret.value = passphrase.value = '';
      onSaved(next);
      return w('model.saved', { origin: at.origin });
    });
  const remove = () =>
    attempt(async () => {
      const before = settings.endpoint && asked(settings.endpoint.url);
      const next = await own.save({ ...settings, endpoint: null });
      await own.dropKey();
      if (before) await revokePermission(before);
      url.value = model.value = secret.value = '';
      onSaved(next);
      return w('model.removed');
    });
  return (
    <section class="card" aria-labelledby="model-title">
      <h2 id="model-title">{w('model.title')}</h2>
      <p>{w('model.lead')}</p>
      {!preset && <BuiltIn settings={settings} onSaved={onSaved} />}
      <form
        class="form"
        onInput={clearMessages}
        onSubmit={(e) => {
          e.preventDefault();
          void save();
        }}
      >
        <div class="form-row">
          <label class="field">
            <span>{w('model.dialect')}</span>
            <select value={dialect.value} onChange={(e) => (dialect.value = e.currentTarget.value as Dialect)}>
              {DIALECTS.map((d) => (
                <option key={d} value={d}>
                  {w(`model.${d}`)}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            <span>{w('model.name')}</span>
            <input type="text" required maxLength={200} autocomplete="off" value={model.value} onInput={(e) => (model.value = e.currentTarget.value)} />
          </label>
        </div>
        <label class="field">
          <span>{w('model.url')}</span>
          <input
            type="url"
            required
            maxLength={2000}
            autocomplete="off"
            placeholder={BASES[dialect.value]}
            value={url.value}
            aria-describedby="model-local"
            onInput={(e) => (url.value = e.currentTarget.value)}
          />
        </label>
        <p class="quiet" id="model-local">
          {w('model.local')}
        </p>
        <label class="field">
          <span>{w('model.key')}</span>
          <input
            type="password"
            maxLength={4000}
            autocomplete="off"
            value={secret.value}
            aria-describedby="model-key"
            aria-invalid={isMissing.value}
            onInput={(e) => (secret.value = e.currentTarget.value)}
          />
        </label>
        {isMissing.value && (
          <p class="problem" role="alert">
            {t('model.key.needed', { origin: asked(url.value.trim())?.origin ?? '' })}
          </p>
        )}
        <p class="quiet" id="model-key">
          {status.value?.key === 'here' ? `${w('model.key.kept')} ` : ''}
          {!secret.value && !isKept() && wantsKey(url.value) === 'perhaps' && asked(url.value.trim())
            ? `${t('model.key.none', { origin: asked(url.value.trim())?.origin ?? '' })} `
            : ''}
          {w('model.key.detail')}
        </p>
        {secret.value && (
          <>
            <label class="field">
              <span>{w('model.passphrase')}</span>
              <input
                type="password"
                autocomplete="new-password"
                value={passphrase.value}
                aria-describedby="model-pass"
                onInput={(e) => (passphrase.value = e.currentTarget.value)}
              />
            </label>
            <p class="quiet" id="model-pass">
              {w('model.passphrase.detail')}
            </p>
          </>
        )}
        <label class="check">
          <input type="checkbox" checked={mask.value} aria-describedby="model-mask" onChange={(e) => (mask.value = e.currentTarget.checked)} />
          {t('model.mask')}
        </label>
        <p class="quiet" id="model-mask">
          {t('model.mask.detail')}
        </p>
        <div class="button-row">
          <button type="submit" class="button button-primary">
            {w('model.save')}
          </button>
          {settings.endpoint && (
            <button type="button" class="button" disabled={testing.value} onClick={() => void test()}>
              {w('model.test')}
            </button>
          )}
          {settings.endpoint && (
            <button type="button" class="button button-danger-quiet" onClick={() => void remove()}>
              {w('model.remove')}
            </button>
          )}
        </div>
      </form>
      {status.value?.key === 'locked' && settings.endpoint && <Unlock />}
      {bad.value && (
        <p class="problem" role="alert">
          {bad.value}
        </p>
      )}
      {fault.value && <Problem fault={fault.value} />}
      {said.value && <p class="done">{said.value}</p>}
      {testing.value && <p role="status">{t('test.running')}</p>}
      {report.value && (
        <div class={report.value.ok ? 'done' : 'problem'} data-code={report.value.code}>
          <p>
            {testWords(report.value.code, report.value.ms)}
            {report.value.detail && <span class="quiet"> {report.value.detail}</span>}
          </p>
        </div>
      )}
    </section>
  );
}
