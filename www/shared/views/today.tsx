// The home view: search box, what is due, changes since the last visit, and the most important
// questions.
import { batch, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { longDay, t } from '../i18n';
import { dayOf } from '../due';
import { prepare } from '../matters';
import { AskBox } from '../parts/ask';
import { WhatChanged } from '../parts/changed';
import { ComingUp } from '../parts/due';
import { Questions } from '../parts/questions';
import { goTo } from '../router';
import { wanted } from '../searched';
import { current } from '../state';

/**
 * `deeds`: buttons next to the heading; `news`: notices at the top; `children`: shown instead if
 * nothing is known.
 */
export function TodayView({
  deeds,
  news,
  isRead = true,
  known = current.value.length,
  children,
}: {
  deeds?: ComponentChildren;
  news?: ComponentChildren;
  isRead?: boolean;
  known?: number;
  children?: ComponentChildren;
}) {
  // Precomputes what the other views need.
  useSignalEffect(() => prepare(current.value));
  const ask = (question: string) => {
    batch(() => {
      wanted.value = question;
      goTo('search');
    });
  };
  return (
    <div class="today">
      <header class="view-head today-head">
        <h1 tabIndex={-1}>{t('today.title')}</h1>
        <p class="lead">
          <time dateTime={dayOf(new Date())}>{longDay(dayOf(new Date()))}</time>
        </p>
        {deeds && <div class="today-deeds">{deeds}</div>}
      </header>
      {known > 0 && <AskBox onAsk={ask} />}
      {news}
      {known === 0 ? (
        children
      ) : isRead ? (
        <div class="today-columns">
          <div>
            <ComingUp />
            <WhatChanged />
          </div>
          <Questions />
        </div>
      ) : (
        <p class="opening" role="status">
          {t('app.opening')}
        </p>
      )}
    </div>
  );
}
