// The first run: one page that says what it does and where to look. Nothing on it is needed.
import { signal } from '@preact/signals';
import { Problem } from '../../../shared/parts/basics';
import type { Settings } from '../messages';
import { ArchiveForm } from './archive-form';
import { own } from './client';
import { Page, look, show, trouble } from './frame';
import { answerModel } from './model';
import { ModelForm } from './model-form';
import { w } from './words';

const settings = signal<Settings | null>(null);

function Welcome() {
  return (
    <Page title={w('welcome.title')}>
      <div class="hero">
        <header class="view-head">
          <h1 tabIndex={-1}>{w('welcome.title')}</h1>
          <p class="lead">{w('welcome.lead')}</p>
        </header>
        {trouble.value && <Problem fault={trouble.value} onRetry={() => void look()} />}
        <a class="button button-primary" href="https://mail.google.com/">
          {w('welcome.open')}
        </a>
        <p class="quiet">{w('welcome.reload')}</p>
      </div>
      <div class="points">
        {([1, 2, 3] as const).map((n) => (
          <section key={n}>
            <h2>{w(`welcome.${n}`)}</h2>
            <p>{w(`welcome.${n}.detail`)}</p>
          </section>
        ))}
      </div>
      <header class="view-head">
        <h2>{w('welcome.optional')}</h2>
        <p class="quiet">{w('welcome.none')}</p>
      </header>
      <ArchiveForm />
      {settings.value && <ModelForm settings={settings.value} onSaved={(next) => (settings.value = next)} />}
    </Page>
  );
}

answerModel();
show(<Welcome />);
void own.settings().then((found) => (settings.value = found), () => undefined);
