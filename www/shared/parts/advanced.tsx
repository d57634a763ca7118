// Links to rarely used views, each with a description.
import { t } from '../i18n';
import type { View } from '../router';
import { Icon } from './icon';

type AdvancedView = Extract<View, 'data' | 'inbox' | 'log' | 'links' | 'rest' | 'evaluate'>;

export const Advanced = ({ views, card = false }: { views: readonly AdvancedView[]; card?: boolean }) => (
  <section class={card ? 'card advanced' : 'advanced'} aria-labelledby="advanced-title">
    <h2 id="advanced-title">{t('advanced.title')}</h2>
    <ul>
      {views.map((view) => (
        <li key={view}>
          <a href={`#/${view}`}>
            <Icon name={view} />
            <span>
              <strong>{t(`nav.${view}`)}</strong>
              <span class="quiet">{t(`advanced.${view}`)}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  </section>
);
