// The home view: Today with the last import, or how to start.
import { t } from '../../../shared/i18n';
import { Icon } from '../../../shared/parts/icon';
import { current } from '../../../shared/state';
import { TodayView } from '../../../shared/views/today';
import { AddMail } from '../parts/add-mail';
import { ImportPanel } from '../parts/run-card';

const POINTS = ['due', 'changed', 'ask'] as const;

export const Home = () => (
  <TodayView
    news={<ImportPanel />}
    deeds={
      current.value.length > 0 && (
        <a class="button" href="#/inbox">
          <Icon name="CREATE" size={16} /> {t('today.add')}
        </a>
      )
    }
  >
    <section class="welcome" aria-labelledby="welcome-title">
      <div class="welcome-head">
        <h2 id="welcome-title">{t('today.empty')}</h2>
        <p class="lead">{t('today.empty.detail')}</p>
      </div>
      <AddMail heading="none" />
      <div class="welcome-more">
        <ul class="welcome-points">
          {POINTS.map((point) => (
            <li key={point}>
              <Icon name={({ due: 'meeting', changed: 'UPDATE', ask: 'search' } as const)[point]} size={20} />
              <p>
                <strong>{t(`today.empty.${point}`)}</strong> {t(`today.empty.${point}.detail`)}
              </p>
            </li>
          ))}
        </ul>
        <p class="quiet">
          <a href="#/inbox">{t('today.empty.note')}</a>
        </p>
      </div>
    </section>
  </TodayView>
);
