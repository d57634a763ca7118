// The open mail's text in the panel, requested from Gmail's page. Only words that the owner selects
// are stored.
import { useSignal } from '@preact/signals';
import { day, t } from '../../../shared/i18n';
import { Who } from '../../../shared/parts/mail';
import { MailText } from '../../../shared/parts/mail-text';
import { isTextReply, type AskText, type TextReply, type Thread } from '../messages';
import type { OpenTab } from './alone';
import { w } from './words';

export function MailShown({ tab, thread }: { tab: OpenTab; thread: Thread }) {
  const found = useSignal<TextReply | null | undefined>(undefined);
  const ask = async () => {
    found.value = undefined;
    const reply: unknown = await chrome.tabs.sendMessage(tab.id, { say: 'text' } satisfies AskText, { frameId: 0 }).catch(() => undefined);
    found.value = isTextReply(reply) && reply.thread === tab.thread ? reply : null;
  };
  return (
    <details class="card mail-shown" onToggle={(e) => e.currentTarget.open && void ask()}>
      <summary>{t('mail.text')}</summary>
      {found.value === undefined && <p role="status">{t('mail.reading')}</p>}
      {found.value === null && <p class="quiet">{w('text.gone')}</p>}
      {found.value?.mails.map(({ id, from, name, at, text }) => (
        <article key={id}>
          <p class="byline">
            <Who address={from} />
            {at && <time dateTime={at}>{day(at)}</time>}
          </p>
          <MailText
            mail={{ id: thread.sources[id] ?? `<gmail-${id}@mail.gmail.com>`, thread: tab.thread, from, name, to: '', subject: tab.subject, at, text }}
          />
        </article>
      ))}
    </details>
  );
}
