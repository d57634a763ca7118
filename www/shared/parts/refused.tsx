// Files without mail, each with advice.
import type { Refusal } from '../files';
import { t } from '../i18n';
import { Icon } from './icon';

export const Refused = ({ files }: { files: readonly Refusal[] }) =>
  files.length === 0 ? null : (
    <div class="problem refused" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{t('files.refused', { n: files.length })}</strong>
        </p>
        <ul>
          {files.map(({ name, why }, i) => (
            <li key={i}>
              <strong>{name}</strong> {t(`files.${why}`)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
