// The text of the mails that taught something, kept in this browser beside the memories, so that each of them can be shown where it is
// from. A mail that taught nothing and raised no question is not kept, and what is erased or forgotten for good goes here too.
import { clear, createStore, delMany, entries, get, keys, set, setMany } from 'idb-keyval';
import { learnNames, reach, type Mail } from '../../shared/mails';
import { owner } from '../../shared/settings';
import { run } from '../../shared/state';

const kept = createStore('memfold-mails', 'mails');
/** Characters of a mail that are kept. */
const MOST = 60_000;
/** Bytes of a mail that are looked at; its text stands before its attachments. */
const MOST_RAW = 2 ** 21;
/** What stands between two mails of an mbox, and the most characters that it takes with the line behind it. */
const NEXT = /\r?\n\r?\n(?=From \S+.*\d{4}\s*\r?\n)/g;
const EDGE = 1_000;
/** Bytes that a mail's head is looked for in. */
const HEAD = 2 ** 14;
/** Mails that are put away at once. */
const SOME = 50;

/** The raw mails of a mailbox in their order, as many bytes of each as are looked at. */
async function* mailsOf(source: Blob): AsyncGenerator<Uint8Array> {
  // Each byte as one letter of its own, whatever the charset; no encoding of the web does that but this one.
  const decoder = new TextDecoder('x-user-defined');
  // Of a long mail its beginning is enough; behind it only the place is looked for where the next begins.
  let [head, rest, from] = ['', '', 0];
  let isMbox: boolean | undefined;
  const bytes = (mail: string): Uint8Array => Uint8Array.from(mail.slice(0, MOST_RAW).replace(/^From .*\r?\n/, '').replace(/^>(>*From )/gm, '$1'), (c) => c.charCodeAt(0) & 0xff);
  const reader = source.stream().getReader();
  for (let next = await reader.read(); ; next = await reader.read()) {
    rest += next.done ? '' : decoder.decode(next.value, { stream: true });
    isMbox ??= rest.length < 5 && !next.done ? undefined : /^\s*From /.test(rest);
    if (isMbox) {
      for (;;) {
        NEXT.lastIndex = from;
        const found = NEXT.exec(rest);
        if (!found) break;
        yield bytes(head || rest.slice(0, found.index));
        [head, rest, from] = ['', rest.slice(NEXT.lastIndex), 0];
      }
    }
    if (next.done) break;
    if (rest.length > MOST_RAW) [head, rest] = [head || rest.slice(0, MOST_RAW), rest.slice(-EDGE)];
    from = Math.max(0, rest.length - EDGE);
  }
  if (head || rest.trim()) yield bytes(head || rest);
}

/** A mail's HTML as text. The parser makes one of the other where a text stands beside it; nothing is run or fetched. */
async function plain(html: string): Promise<string> {
  const { default: PostalMime } = await import('postal-mime');
  const edge = 'memfold-part';
  const part = (type: string, body: string): string => `--${edge}\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}\r\n`;
  const mail = `Content-Type: multipart/mixed; boundary=${edge}\r\n\r\n${part('text/plain', '')}${part('text/html', html.replaceAll(`--${edge}`, '').replace(/<(style|script)\b.*?<\/\1\s*>/gis, ''))}--${edge}--\r\n`;
  return ((await PostalMime.parse(mail)).text ?? '').trim();
}

/** What the head of a raw mail says its id is. */
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

/** What is still being put away. */
let putting: Promise<void> = Promise.resolve();

/** Puts away those mails of a mailbox that taught something, one mailbox after the other. */
export function putAway(source: Blob, wanted: ReadonlySet<string>): Promise<void> {
  const work = putting.then(() => putEach(source, wanted));
  putting = work.catch(() => undefined);
  return work;
}

async function putEach(source: Blob, wanted: ReadonlySet<string>): Promise<void> {
  const there = new Set(wanted.size > 0 ? await keys<string>(kept) : []);
  const missing = new Set([...wanted].filter((id) => !there.has(id)));
  if (missing.size === 0) return;
  let some: [string, Mail][] = [];
  const put = async (): Promise<void> => {
    await setMany(some, kept);
    learn(some.map(([, mail]) => mail));
    some = [];
  };
  for await (const raw of mailsOf(source)) {
    // To read a mail whole is work: of the many that taught nothing, the head tells.
    const id = idOf(raw);
    if (id !== undefined && !missing.has(id)) continue;
    const mail = await readable(raw).catch(() => undefined);
    if (mail && missing.has(mail.id)) some.push([mail.id, mail]);
    if (some.length >= SOME) await put();
  }
  if (some.length > 0) await put();
}

const learn = (mails: readonly Mail[]): void => learnNames(mails.filter(({ from }) => !owner.value.includes(from)).map(({ from, name }) => [from, name]));

export const forgetMails = (): Promise<void> => clear(kept);

/** A mail of the import on screen that taught nothing: its file is still at hand. */
async function readAgain(id: string): Promise<Mail | undefined> {
  const source = run.value?.source;
  if (source === undefined) return undefined;
  for await (const raw of mailsOf(typeof source === 'string' ? new Blob([source]) : source)) if (idOf(raw) === id) return readable(raw);
  return undefined;
}

/** Lets the page lead to the mails that are kept. */
export function begin(): void {
  reach({
    read: async (source) => {
      const found = await get<Mail>(source, kept);
      if (found) return found;
      await putting;
      return (await get<Mail>(source, kept)) ?? readAgain(source);
    },
    keep: (mail) => set(mail.id, mail, kept),
    drop: (sources) => delMany([...sources], kept),
  });
  void entries<string, Mail>(kept).then((all) => learn(all.map(([, mail]) => mail)), () => undefined);
}
