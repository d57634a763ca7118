// Stores the text of source mails in this browser, so that each memory can show its mail. Mails
// without memories or questions are not stored; erasing memories deletes their mails.
import { clear, createStore, delMany, entries, get, keys, set, setMany, values } from 'idb-keyval';
import { learnNames, setMailAccess, type Mail } from '../../shared/mails';
import { owner } from '../../shared/settings';
import { run } from '../../shared/state';

const kept = createStore('memfold-mails', 'mails');
/** The same mails as they came, for a model that reads them again. */
const raws = createStore('memfold-mails-raw', 'mails');
/** Most bytes of a mail that is stored as it came. */
const MOST_KEPT = 2 ** 18;
/** Most characters stored of a mail. */
const MOST = 60_000;
/** Most bytes examined of a mail; its text comes before its attachments. */
const MOST_RAW = 2 ** 21;
/** The start of the next mail in an mbox, and the most characters that it takes. */
const NEXT = /\r?\n\r?\n(?=From \S+.*\d{4}\s*\r?\n)/g;
const EDGE = 1_000;
/** Bytes in which a mail's header is searched. */
const HEAD = 2 ** 14;
/** Mails stored at once. */
const SOME = 50;

/** A mail with one character for each byte, up to the limit, and whether that is all of it. */
type Letters = { letters: string; isWhole: boolean; isMbox: boolean };

const bytesOf = (letters: string): Uint8Array<ArrayBuffer> => Uint8Array.from(letters, (c) => c.charCodeAt(0) & 0xff);

/** The mail alone, without what an mbox adds. */
const mailOf = ({ letters }: Letters): Uint8Array =>
  bytesOf(
    letters
      .slice(0, MOST_RAW)
      .replace(/^From .*\r?\n/, '')
      .replace(/^>(>*From )/gm, '$1'),
  );

/** The mail with its line of an mbox. */
const entryOf = ({ letters, isMbox }: Letters): string =>
  isMbox ? letters : `From memfold@localhost Thu Jan  1 00:00:00 1970\n${letters.replace(/^(>*From )/gm, '>$1')}`;

/** The raw mails of a mailbox in order, each cut at the limit. */
async function* mailsOf(source: Blob): AsyncGenerator<Letters> {
  // Decodes each byte as one character; no other web encoding does.
  const decoder = new TextDecoder('x-user-defined');
  // The start of a long mail is enough; then only the next mail is searched for.
  let [head, rest, from] = ['', '', 0];
  let isMbox: boolean | undefined;
  const mail = (letters: string): Letters => ({ letters, isWhole: !head, isMbox: isMbox === true });
  const reader = source.stream().getReader();
  for (let next = await reader.read(); ; next = await reader.read()) {
    rest += next.done ? '' : decoder.decode(next.value, { stream: true });
    isMbox ??= rest.length < 5 && !next.done ? undefined : /^\s*From /.test(rest);
    if (isMbox) {
      for (;;) {
        NEXT.lastIndex = from;
        const found = NEXT.exec(rest);
        if (!found) break;
        yield mail(head || rest.slice(0, found.index));
        [head, rest, from] = ['', rest.slice(NEXT.lastIndex), 0];
      }
    }
    if (next.done) break;
    if (rest.length > MOST_RAW) [head, rest] = [head || rest.slice(0, MOST_RAW), rest.slice(-EDGE)];
    from = Math.max(0, rest.length - EDGE);
  }
  if (head || rest.trim()) yield mail(head || rest);
}

/**
 * A mail's HTML as text. The parser converts it when a text part is next to it; nothing is run or
 * fetched.
 */
async function plain(html: string): Promise<string> {
  const { default: PostalMime } = await import('postal-mime');
  const edge = 'memfold-part';
  const part = (type: string, body: string): string =>
    `--${edge}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}\r\n`;
  const mail = `Content-Type: multipart/mixed; boundary=${edge}\r\n\r\n${part('text/plain', '')}${part('text/html', html.replaceAll(`--${edge}`, '').replace(/<(style|script)\b.*?<\/\1\s*>/gis, ''))}--${edge}--\r\n`;
  return ((await PostalMime.parse(mail)).text ?? '').trim();
}

/** The message id in a raw mail's header. */
function idOf(raw: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(raw.subarray(0, HEAD)).split(/\r?\n\r?\n/, 1)[0] ?? '';
  return /^message-id:\s*(<[^>\s]+>)/im.exec(head)?.[1];
}

const spell = (who: { name?: string; address?: string } | undefined): string => who?.name || who?.address || '';

async function readable(raw: Uint8Array): Promise<Mail | undefined> {
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(raw as Uint8Array<ArrayBuffer>, { attachmentEncoding: 'arraybuffer' });
  if (!mail.messageId) return undefined;
  const from = mail.from && 'address' in mail.from ? mail.from : undefined;
  return {
    id: mail.messageId,
    from: (from?.address ?? '').toLowerCase(),
    name: from?.name ?? '',
    to: (mail.to ?? []).map(spell).filter(Boolean).join(', '),
    subject: mail.subject ?? '',
    at: mail.date ?? '',
    text: (mail.text?.trim() || (mail.html ? await plain(mail.html) : '')).slice(0, MOST),
  };
}

/** The running storage task. */
let storing: Promise<void> = Promise.resolve();

/** Stores the mails of a mailbox that yielded memories, one mailbox after another. */
export function storeMails(source: Blob, wanted: ReadonlySet<string>): Promise<void> {
  const work = storing.then(() => storeEach(source, wanted));
  storing = work.catch(() => undefined);
  return work;
}

async function storeEach(source: Blob, wanted: ReadonlySet<string>): Promise<void> {
  const there = new Set(wanted.size > 0 ? await keys<string>(kept) : []);
  const missing = new Set([...wanted].filter((id) => !there.has(id)));
  if (missing.size === 0) return;
  let some: [string, Mail][] = [];
  let asTheyCame: [string, RawMail][] = [];
  const put = async (): Promise<void> => {
    await setMany(some, kept);
    await setMany(asTheyCame, raws);
    learn(some.map(([, mail]) => mail));
    [some, asTheyCame] = [[], []];
  };
  for await (const letters of mailsOf(source)) {
    const raw = mailOf(letters);
    // Parsing a whole mail is slow; the header shows whether it is needed.
    const id = idOf(raw);
    if (id !== undefined && !missing.has(id)) continue;
    const mail = await readable(raw).catch(() => undefined);
    if (mail && missing.has(mail.id)) {
      some.push([mail.id, mail]);
      if (letters.isWhole && letters.letters.length <= MOST_KEPT)
        asTheyCame.push([mail.id, { at: Date.parse(mail.at) || 0, bytes: bytesOf(`${entryOf(letters)}\n\n`) }]);
    }
    if (some.length >= SOME) await put();
  }
  if (some.length > 0) await put();
}

const learn = (mails: readonly Mail[]): void => learnNames(mails.filter(({ from }) => !owner.value.includes(from)).map(({ from, name }) => [from, name]));

export const forgetMails = async (): Promise<void> => void (await Promise.all([clear(kept), clear(raws)]));

type RawMail = { at: number; bytes: Uint8Array<ArrayBuffer> };

export const hasKeptMails = async (): Promise<boolean> => (await keys(raws)).length > 0;

/** The kept mails as they came, oldest first, as one mailbox. */
export async function keptMails(): Promise<Blob> {
  const all = await values<RawMail>(raws);
  return new Blob(all.sort((a, b) => a.at - b.at).map(({ bytes }) => bytes));
}

/** Reads a mail without memories from the file of the import on screen. */
async function readAgain(id: string): Promise<Mail | undefined> {
  const source = run.value?.source;
  if (source === undefined) return undefined;
  for await (const letters of mailsOf(typeof source === 'string' ? new Blob([source]) : source)) {
    const raw = mailOf(letters);
    if (idOf(raw) === id) return readable(raw);
  }
  return undefined;
}

/** Lets the page open stored mails. */
export function begin(): void {
  setMailAccess({
    read: async (source) => {
      const found = await get<Mail>(source, kept);
      if (found) return found;
      await storing;
      return (await get<Mail>(source, kept)) ?? readAgain(source);
    },
    keep: (mail) => set(mail.id, mail, kept),
    drop: async (sources) => void (await Promise.all([delMany([...sources], kept), delMany([...sources], raws)])),
  });
  void entries<string, Mail>(kept).then(
    (all) => learn(all.map(([, mail]) => mail)),
    () => undefined,
  );
}
