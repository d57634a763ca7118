// The options: what is read and kept, which model is used, and how to erase everything.
import { signal, useSignal } from '@preact/signals';
import { faultOf } from '../../../shared/actions';
import { engine } from '../../../shared/engine';
import { moment, t } from '../../../shared/i18n';
import { Choice, Confirm, FileButton, Problem } from '../../../shared/parts/basics';
import { NeverCard } from '../../../shared/parts/never';
import { SentList } from '../../../shared/parts/sent';
import { Look } from '../../../shared/parts/shell';
import { announce, type Fault } from '../../../shared/state';
import type { ReadWhat, Settings } from '../messages';
import { read, remove, write } from '../worker/files';
import { ArchiveForm } from './archive-form';
import { Asides } from './aside';
import { own } from './client';
import { Page, look, show, status, trouble } from './frame';
import { EncoderForm } from './encoder-form';
import { ModelForm } from './model-form';
import { PauseAll, Pauses } from './pause';
import { w } from './words';

const settings = signal<Settings | null>(null);
const problem = signal<Fault | null>(null);
/** Increases with each erasure, so that the forms are reset. */
const erased = signal(0);

const lines = (text: string): string[] =>
  text
    .split(/\n/)
    .map((l) => l.trim())
    .filter(Boolean);

function Reading({ now }: { now: Settings }) {
  const next = useSignal(now);
  const said = useSignal('');
  const denied = useSignal(false);
  const set = (change: Partial<Settings>) => {
    said.value = '';
    next.value = { ...next.value, ...change };
  };
  const many = (key: 'ignoreLabels' | 'owner' | 'important', label: string, detail?: string) => (
    <div class="field">
      <label class="field">
        <span>{label}</span>
        <textarea
          rows={2}
          spellcheck={false}
          aria-describedby={detail ? `${key}-detail` : undefined}
          defaultValue={now[key].join('\n')}
          onInput={(e) => set({ [key]: lines(e.currentTarget.value) })}
        />
      </label>
      {detail && (
        <p class="quiet" id={`${key}-detail`}>
          {detail}
        </p>
      )}
    </div>
  );
  const figure = (key: 'retentionDays' | 'dailyTokens', label: string, detail: string) => (
    <div class="field">
      <label class="field">
        <span>{label}</span>
        <input
          type="number"
          min={0}
          step={1}
          inputMode="numeric"
          aria-describedby={`${key}-detail`}
          value={next.value[key]}
          onInput={(e) => set({ [key]: Math.max(0, Math.trunc(e.currentTarget.valueAsNumber) || 0) })}
        />
      </label>
      <p class="quiet" id={`${key}-detail`}>
        {detail}
      </p>
    </div>
  );
  return (
    <form
      class="form"
      onSubmit={async (e) => {
        e.preventDefault();
        try {
          const { pauses, ignorePeople, ignoreTopics } = await own.settings();
          settings.value = await own.save({
            ...next.value,
            pauses,
            ignorePeople,
            ignoreTopics,
            endpoint: settings.value?.endpoint ?? null,
            builtIn: settings.value?.builtIn ?? false,
            mask: settings.value?.mask ?? true,
            encoder: settings.value?.encoder ?? true,
          });
          said.value = w('options.saved');
          announce(said.value);
        } catch (reason) {
          problem.value = faultOf(reason);
        }
      }}
    >
      <section class="card" aria-labelledby="read-title">
        <h2 id="read-title">{w('read.title')}</h2>
        <Choice
          legend={w('read.legend')}
          name="read"
          value={next.value.read}
          options={(['open', 'label', 'never'] as const).map((value) => ({ value, label: w(`read.${value}`) }))}
          onChange={(value: ReadWhat) => set({ read: value })}
        />
        {next.value.read === 'label' && (
          <div class="field">
            <label class="field">
              <span>{w('read.label.name')}</span>
              <input
                type="text"
                required
                maxLength={225}
                value={next.value.label}
                aria-describedby="label-detail"
                onInput={(e) => set({ label: e.currentTarget.value })}
              />
            </label>
            <p class="quiet" id="label-detail">
              {w('read.label.detail')}
            </p>
          </div>
        )}
        {many('ignoreLabels', w('ignore.labels'))}
        {many('owner', w('who.owner'), w('who.owner.detail'))}
        {many('important', w('who.important'))}
      </section>
      <section class="card" aria-labelledby="keeping-title">
        <h2 id="keeping-title">{w('keeping.title')}</h2>
        <div class="form-row">
          {figure('retentionDays', w('keeping.days'), w('keeping.days.detail'))}
          {figure('dailyTokens', w('budget.tokens'), w('budget.tokens.detail'))}
        </div>
      </section>
      <section class="card" aria-labelledby="digest-title">
        <h2 id="digest-title">{w('digest.title')}</h2>
        <label class="check">
          <input
            type="checkbox"
            checked={next.value.digest}
            onChange={async (e) => {
              const box = e.currentTarget;
              // Chrome requires a user gesture for this.
              const digest = box.checked && (await chrome.permissions.request({ permissions: ['notifications'] }).catch(() => false));
              denied.value = box.checked && !digest;
              box.checked = digest;
              set({ digest });
            }}
          />
          {w('digest.label')}
        </label>
        {denied.value && (
          <p class="problem" role="alert">
            {w('digest.denied')}
          </p>
        )}
      </section>
      <div class="button-row">
        <button type="submit" class="button button-primary" id="save">
          {w('model.save')}
        </button>
        {said.value && <p class="done">{said.value}</p>}
      </div>
    </form>
  );
}

/** Downloads the export; a large one is passed through the private file system. */
async function exported(): Promise<void> {
  await own.exportFile();
  const file = await read('export');
  if (!file) return;
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = 'memories.jsonl';
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
    void remove('export');
  }, 30_000);
}

function Data() {
  const said = useSignal('');
  const sure = useSignal(false);
  const attempt = async (work: () => Promise<string>) => {
    said.value = '';
    problem.value = null;
    try {
      said.value = await work();
      if (said.value) announce(said.value);
      await look();
    } catch (reason) {
      problem.value = faultOf(reason);
    }
  };
  const copied = status.value?.copiedAt;
  return (
    <section class="card" aria-labelledby="data-title">
      <h2 id="data-title">{t('data.title')}</h2>
      <p>{w('data.export.lead')}</p>
      <div class="button-row">
        <button type="button" class="button" onClick={() => void attempt(async () => (await exported(), ''))}>
          {t('data.export')}
        </button>
        <FileButton
          label={t('data.import')}
          accept=".jsonl,.ndjson,application/jsonl,application/x-ndjson,text/plain"
          onFiles={([file]) =>
            void attempt(async () => {
              await write('given', (file as File).stream());
              const { memories, known } = await own.importFile();
              return t('data.imported', { n: memories, already: known });
            })
          }
        />
        <button
          type="button"
          class="button"
          onClick={() =>
            void attempt(async () => {
              const { problems, memories, edges, entries } = await engine.data.verify();
              return problems.length === 0
                ? t('data.check.well', { memories, edges, entries })
                : t('data.check.broken', { n: problems.length, rules: [...new Set(problems.map((p) => p.rule))].join(', ') });
            })
          }
        >
          {t('data.check')}
        </button>
      </div>
      <h3>{w('data.copy')}</h3>
      <p class="quiet">{w('data.copy.detail', { at: copied ? moment(new Date(copied).toISOString()) : w('data.copy.never') })}</p>
      <button type="button" class="button" onClick={() => void attempt(async () => (await own.copyNow(), w('data.copy.done')))}>
        {w('data.copy.now')}
      </button>
      <h3>{t('data.erase')}</h3>
      <p class="quiet">{w('data.erase.detail')}</p>
      {sure.value ? (
        <Confirm
          label={t('data.erase')}
          ask={<strong>{w('data.erase.sure')}</strong>}
          yes={t('data.erase.yes')}
          onNo={() => (sure.value = false)}
          onYes={() =>
            void attempt(async () => {
              sure.value = false;
              await own.eraseAll();
              settings.value = await own.settings();
              erased.value++;
              return t('data.erased');
            })
          }
        />
      ) : (
        <button type="button" class="button button-danger-quiet" onClick={() => (sure.value = true)}>
          {t('data.erase.go')}
        </button>
      )}
      {said.value && <p class="done">{said.value}</p>}
    </section>
  );
}

function Options() {
  const now = settings.value;
  return (
    <Page title={w('options.title')}>
      <header class="view-head">
        <h1 tabIndex={-1}>{w('options.title')}</h1>
        <p class="lead">{w('options.lead')}</p>
      </header>
      {trouble.value && <Problem fault={trouble.value} onRetry={() => void look()} />}
      {problem.value && <Problem fault={problem.value} />}
      <Asides />
      <Pauses />
      <PauseAll />
      {now && <Reading key={erased.value} now={now} />}
      <NeverCard />
      {now && <ModelForm settings={now} onSaved={(next) => (settings.value = next)} />}
      {now && <EncoderForm settings={now} onSaved={(next) => (settings.value = next)} />}
      <SentList />
      <ArchiveForm />
      <Data />
      <Look title={w('look.title')} />
      <section class="card" aria-labelledby="why-title">
        <h2 id="why-title">{w('why.title')}</h2>
        <ul class="plain">
          {(['gmail', 'storage', 'alarms', 'offscreen', 'notifications', 'panel', 'host'] as const).map((what) => (
            <li key={what}>{w(`why.${what}`)}</li>
          ))}
        </ul>
      </section>
    </Page>
  );
}

show(<Options />);
void own.settings().then(
  (found) => (settings.value = found),
  (reason) => (problem.value = faultOf(reason)),
);
