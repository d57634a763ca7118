// Sender and day with a link to the source mail, and the mail itself.
import { useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Memory } from 'memfold';
import { day, langOf, moment, t } from '../i18n';
import { canRead, linkTo, nameOf, read, shown, type Mail } from '../mails';
import { latest, people, type Said } from '../matters';
import { owner } from '../settings';
import { ForgetPerson } from './forget';
import { Icon } from './icon';
import { MailText } from './mail-text';

const isOwner = (address: string): boolean => owner.value.some((own) => own.toLowerCase() === address.toLowerCase());

/** A person's display name, or "you". */
export const Who = ({ address }: { address: string }) => {
  const name = isOwner(address) ? t('said.you') : nameOf(address);
  return (
    <span class="who" {...(name === address ? {} : { title: address })} lang={langOf(name)}>
      {name}
    </span>
  );
};

/** Author and time with a link to the mail. `isNote`: the owner added it from that mail. */
export function Byline({
  author: known,
  at: told,
  source,
  marks = [],
  isNote = false,
}: {
  isNote?: boolean;
  author?: string | undefined;
  at?: string | undefined;
  source?: string | undefined;
  marks?: readonly string[];
}) {
  // For text without memories, the mail names its sender.
  const asked = useSignal<Mail | undefined>(undefined);
  useEffect(() => {
    if (known || isNote || !source || !canRead()) return;
    void read(source).then(
      (mail) => (asked.value = mail),
      () => undefined,
    );
  }, [known, isNote, source]);
  const author = known ?? asked.value?.from;
  const at = told ?? asked.value?.at;
  const link = source && linkTo(source);
  if (!author && !at && !link && !(source && canRead())) return null;
  const bare = !author && !isNote && !at;
  const words = (
    <>
      {isNote ? <span class="who">{t('said.you')}</span> : author && <Who address={author} />}
      {at && <time dateTime={at}>{day(at)}</time>}
    </>
  );
  if (link) {
    return (
      <a class="byline byline-mail" href={link} target="_blank" rel="noopener" title={t('mail.gmail')}>
        <Icon name="mail" size={13} />
        {words}
        {bare && t('mail.gmail')}
      </a>
    );
  }
  if (source && canRead()) {
    return (
      <button type="button" class="byline byline-mail" title={t('mail.open')} onClick={() => (shown.value = { source, marks })}>
        <Icon name="mail" size={13} />
        {words}
        {bare && t('mail.open')}
      </button>
    );
  }
  return <span class="byline">{words}</span>;
}

/** The words to highlight in the source mail of a statement. */
export const marksOf = (said: Said): string[] => [...(said.evidence ? [said.evidence] : []), said.parts.map((p) => p.text).join('')];

/** The author and source mail of a memory's latest statement. */
export function SaidBy({ memory }: { memory: Memory }) {
  const said = latest(memory);
  return said ? <Byline author={said.author} at={said.at} source={said.source} isNote={said.isNote} marks={marksOf(said)} /> : null;
}

function ForgetSender({ address, onDone }: { address: string; onDone(): void }) {
  const known = people.value.find((p) => p.address.toLowerCase() === address.toLowerCase());
  return known ? <ForgetPerson person={known} onDone={onDone} /> : null;
}

/** Milliseconds for which a step back in the history may take. */
const BACK = 500;

/** The open mail. It has its own history entry, so that Back closes it and keeps the view. */
export function MailDialog() {
  const frame = useRef<HTMLDialogElement>(null);
  const isPlace = useRef(false);
  // The view that going back leads to, and a view that the user has opened meanwhile.
  const leaving = useRef<{ to: string; on?: string } | undefined>(undefined);
  useEffect(() => {
    // A reload closes the mail.
    if ((history.state as { mail?: true } | null)?.mail) history.replaceState(null, '');
    const left = () => {
      const way = leaving.current;
      if (way && location.hash !== way.to) {
        way.on = location.hash;
        return;
      }
      leaving.current = undefined;
      if (way?.on) location.hash = way.on;
      if (way || !isPlace.current || (history.state as { mail?: true } | null)?.mail) return;
      isPlace.current = false;
      shown.value = null;
    };
    addEventListener('popstate', left);
    return () => removeEventListener('popstate', left);
  }, []);
  const closed = () => {
    shown.value = null;
    if (!isPlace.current) return;
    isPlace.current = false;
    leaving.current = { to: location.hash };
    setTimeout(() => (leaving.current = undefined), BACK);
    history.back();
  };
  const mail = useSignal<Mail | null | undefined>(null);
  useSignalEffect(() => {
    const now = shown.value;
    if (!now) return void frame.current?.close();
    mail.value = null;
    if (!frame.current?.open) frame.current?.showModal();
    if (!isPlace.current) history.pushState({ mail: true }, '');
    isPlace.current = true;
    read(now.source).then(
      (found) => (mail.value = found),
      () => (mail.value = undefined),
    );
  });
  const found = mail.value;
  return (
    <dialog class="mail" ref={frame} aria-labelledby="mail-title" onClose={closed} onClick={(e) => e.target === frame.current && frame.current?.close()}>
      {shown.value && (
        <div class="mail-inner">
          <header class="mail-head">
            <h2 id="mail-title" lang={found ? langOf(found.subject) : undefined}>
              {found ? found.subject || t('mail.noSubject') : t('mail.title')}
            </h2>
            <button type="button" class="button button-icon" aria-label={t('common.close')} onClick={() => frame.current?.close()}>
              <Icon name="DELETE" size={18} />
            </button>
          </header>
          {found === null && <p role="status">{t('mail.reading')}</p>}
          {found === undefined && <p>{t('mail.gone')}</p>}
          {found && (
            <>
              <p class="mail-who">
                <strong lang={langOf(found.name)}>{found.name || found.from}</strong> <span class="quiet">{found.from}</span>
                <time class="quiet" dateTime={found.at}>
                  {moment(found.at)}
                </time>
              </p>
              <MailText mail={found} marks={shown.value.marks} covers />
              <ForgetSender address={found.from} onDone={() => frame.current?.close()} />
            </>
          )}
        </div>
      )}
    </dialog>
  );
}
