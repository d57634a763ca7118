// The first run in three steps: what to read, a model, and where to look. Answers are saved
// immediately; every step is optional.
import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { faultOf } from '../../../shared/actions';
import { Choice, Problem } from '../../../shared/parts/basics';
import type { Fault } from '../../../shared/state';
import type { ReadWhat, Settings } from '../messages';
import { ArchiveForm } from './archive-form';
import { BuiltIn } from './builtin';
import { own } from './client';
import { Page, look, show, trouble } from './frame';
import { ModelForm } from './model-form';
import { w } from './words';

const STEPS = [1, 2, 3] as const;
type Step = (typeof STEPS)[number];
const MODELS = ['none', 'builtIn', 'local', 'endpoint'] as const;
type Model = (typeof MODELS)[number];

const settings = signal<Settings | null>(null);
const step = signal<Step>(1);

function Reads({ now }: { now: Settings }) {
  const label = useSignal(now.label);
  const fault = useSignal<Fault | null>(null);
  const save = (change: Partial<Settings>) =>
    void own.save({ ...now, ...change }).then(
      (next) => (settings.value = next),
      (reason) => (fault.value = faultOf(reason)),
    );
  return (
    <>
      <Choice
        legend={w('read.legend')}
        name="read"
        value={now.read}
        options={(['open', 'label', 'never'] as const).map((value) => ({ value, label: w(`read.${value}`) }))}
        onChange={(read: ReadWhat) => save({ read })}
      />
      {now.read === 'label' && (
        <label class="field">
          <span>{w('read.label.name')}</span>
          <input
            type="text"
            maxLength={225}
            value={label.value}
            onInput={(e) => (label.value = e.currentTarget.value)}
            onChange={() => save({ label: label.value })}
          />
        </label>
      )}
      {fault.value && <Problem fault={fault.value} />}
    </>
  );
}

const modelOf = ({ endpoint, builtIn }: Settings): Model =>
  endpoint ? (/^https?:\/\/(localhost|127\.0\.0\.1)\b/.test(endpoint.url) ? 'local' : 'endpoint') : builtIn ? 'builtIn' : 'none';

function Helps({ now }: { now: Settings }) {
  const chosen = useSignal<Model>(modelOf(now));
  const fault = useSignal<Fault | null>(null);
  const choose = async (next: Model): Promise<void> => {
    chosen.value = next;
    fault.value = null;
    if (next !== 'none') return;
    try {
      settings.value = await own.save({ ...now, endpoint: null, builtIn: false });
    } catch (reason) {
      fault.value = faultOf(reason);
    }
  };
  const saved = (next: Settings) => (settings.value = next);
  return (
    <>
      <fieldset class="models">
        <legend class="unseen">{w('welcome.2')}</legend>
        {MODELS.map((model) => (
          <label key={model} class="check">
            <input type="radio" name="model" checked={chosen.value === model} onChange={() => void choose(model)} />
            {w(`welcome.2.${model}`)}
          </label>
        ))}
      </fieldset>
      {chosen.value === 'builtIn' && <BuiltIn settings={now} onSaved={saved} />}
      {(chosen.value === 'local' || chosen.value === 'endpoint') && <ModelForm key={chosen.value} settings={now} onSaved={saved} preset={chosen.value} />}
      {fault.value && <Problem fault={fault.value} />}
    </>
  );
}

function Welcome() {
  const head = useRef<HTMLHeadingElement>(null);
  const at = step.value;
  const now = settings.value;
  const moved = useRef(false);
  useLayoutEffect(() => {
    if (moved.current) head.current?.focus();
    moved.current = true;
  }, [at]);
  return (
    <Page title={w('welcome.title')}>
      <header class="view-head">
        <h1 tabIndex={-1}>{w('welcome.title')}</h1>
        <p class="lead">{w('welcome.lead')}</p>
      </header>
      {trouble.value && <Problem fault={trouble.value} onRetry={() => void look()} />}
      <section class="card steps" aria-labelledby="step-title">
        <p class="quiet">{w('welcome.step', { n: at, of: STEPS.length })}</p>
        <progress max={STEPS.length} value={at} aria-hidden="true" />
        <h2 id="step-title" tabIndex={-1} ref={head}>
          {w(`welcome.${at}`)}
        </h2>
        <p>{w(`welcome.${at}.detail`)}</p>
        {at === 1 && now && <Reads now={now} />}
        {at === 2 && now && <Helps now={now} />}
        {at === 3 && <p class="quiet">{w('welcome.reload')}</p>}
        <div class="button-row">
          {at > 1 && (
            <button type="button" class="button" onClick={() => (step.value = (at - 1) as Step)}>
              {w('welcome.back')}
            </button>
          )}
          {at < 3 ? (
            <button type="button" class="button button-primary" onClick={() => (step.value = (at + 1) as Step)}>
              {w('welcome.next')}
            </button>
          ) : (
            <a class="button button-primary" href="https://mail.google.com/">
              {w('welcome.open')}
            </a>
          )}
        </div>
      </section>
      {at === 3 && (
        <>
          <h2>{w('welcome.optional')}</h2>
          <ArchiveForm />
        </>
      )}
    </Page>
  );
}

show(<Welcome />);
void own.settings().then(
  (found) => (settings.value = found),
  () => undefined,
);
