// All that is known of Gmail's page: what marks a thread, a message, its people, date and body. When Gmail changes, this
// file changes. It reads and never writes to the page; each selector has fallbacks, and `missing` names what found nothing.
import { MOST_TEXT, type Opened, type ShownText } from './messages';

/** First what Gmail names itself, then what it looks like. */
const SELECTORS = {
  thread: ['h2[data-legacy-thread-id]', 'h2[data-thread-perm-id]', 'h2.hP', '[role="main"] [data-thread-perm-id]', '[role="main"] h2[tabindex]'],
  message: ['[data-legacy-message-id]', '[data-message-id]'],
  body: ['div.a3s', 'div.ii.gt', '[data-message-body]', 'div[dir][class*="gmail"]'],
  sender: ['span.gD[email]', '[email][name]', '[data-hovercard-id*="@"]'],
  recipient: ['span.g2[email]', '.hb [email]'],
  date: ['span.g3[title]', '[title*=":"][alt]', 'span[title*=":"]'],
  label: ['.hN[name]', '.ahR [title]', '[data-label-name]'],
} as const;
type Part = keyof typeof SELECTORS;

const all = (root: ParentNode, part: Part): HTMLElement[] => {
  for (const selector of SELECTORS[part]) {
    const found = root.querySelectorAll<HTMLElement>(selector);
    if (found.length > 0) return [...found];
  }
  return [];
};
const first = (root: ParentNode, part: Part): HTMLElement | undefined => {
  for (const selector of SELECTORS[part]) {
    const found = root.querySelector<HTMLElement>(selector);
    if (found) return found;
  }
  return undefined;
};

/**
 * A message whose text is on the screen. `from` is what its own header says: Gmail draws a forged sender as it draws the
 * account's own, and marks no single message of a thread as sent. So nobody here can say that the account sent it.
 */
export type Message = { id: string; perm: string; from: string; name: string; node: HTMLElement; body: HTMLElement };
export type View = { opened: Opened; messages: Message[]; heading: HTMLElement };

const decimal = (hex: string | null): string => (hex && /^[0-9a-f]{8,16}$/i.test(hex) ? BigInt(`0x${hex}`).toString() : '');
const digits = (value: string | null): string => /(?:msg|thread)-f:(\d{5,20})$/.exec(value ?? '')?.[1] ?? '';
/** Where conversation view is off, the newer attribute holds what the older one does: the number, in hex. */
const numberOf = (node: Element, kind: 'message' | 'thread'): string => {
  const name = node.getAttribute(kind === 'message' ? 'data-message-id' : 'data-thread-perm-id');
  return decimal(node.getAttribute(`data-legacy-${kind}-id`)) || digits(name) || decimal(name);
};
/** The name by which Gmail gives an original: of what the account sent it is another than the number. */
const permOf = (node: Element, id: string): string => /msg-[af]:r?-?\d{1,20}$/.exec(node.getAttribute('data-message-id') ?? '')?.[0] ?? `msg-f:${id}`;

/** What is being written: a draft, an answer. It is nobody's mail yet, and is never read. */
const WRITTEN = '[contenteditable="true"], [contenteditable=""], [contenteditable="plaintext-only"], [role="textbox"]';
const isWritten = (body: HTMLElement): boolean => body.closest(WRITTEN) !== null || body.querySelector(WRITTEN) !== null;
const bodyOf = (node: HTMLElement): HTMLElement | undefined => all(node, 'body').find((body) => !isWritten(body));
const isDraft = (node: HTMLElement): boolean => bodyOf(node) === undefined && node.querySelector(WRITTEN) !== null;
/** A message of which only a line is shown. */
const isCollapsed = (node: HTMLElement): boolean => node.closest('.adf, .kv, .kQ, .kx') !== null;

/** The name that Gmail shows for a person, who is not named by their address alone. */
const nameOf = (node: Element | undefined): string => {
  const name = (node?.getAttribute('name') ?? '').trim().slice(0, 200);
  return name.includes('@') ? '' : name;
};

const addressOf = (node: Element | undefined): string =>
  node?.getAttribute('email') ?? node?.getAttribute('data-hovercard-id') ?? '';

/** What Gmail keeps of threads that were open before stays in the page, unseen. */
const seen = (node: HTMLElement): boolean => node.checkVisibility();

/** The heading of the thread that is on the screen, beside a list or alone. */
function heading(page: Document): HTMLElement | undefined {
  return all(page, 'thread').find(seen);
}

/** The part of the page that holds a thread: the nearest around its heading in which there are messages. */
function frame(of: HTMLElement): { root: Element; nodes: HTMLElement[] } | undefined {
  for (let root = of.parentElement; root && root !== root.ownerDocument.body; root = root.parentElement) {
    const nodes = all(root, 'message');
    if (nodes.length > 0) return { root, nodes };
  }
  return undefined;
}

/** The open thread, or nothing. Collapsed messages have no body and are not in it. */
export function openThread(page: Document): View | undefined {
  const head = heading(page);
  const found = head && frame(head);
  if (!found) return undefined;
  const messages: Message[] = [];
  for (const node of found.nodes) {
    const id = numberOf(node, 'message');
    const body = bodyOf(node);
    if (!id || !body || messages.some((m) => m.id === id) || !seen(body)) continue;
    messages.push({ id, perm: permOf(node, id), from: addressOf(first(node, 'sender')), name: nameOf(first(node, 'sender')), node, body });
  }
  const thread = numberOf(head, 'thread') || numberOf(found.nodes[0]!, 'message');
  if (!thread || messages.length === 0) return undefined;
  return {
    opened: {
      account: account(page),
      thread,
      subject: subjectOf(head),
      labels: [...new Set([...labels(found.root, head), ...place(page.location.hash)])],
      messages: messages.map(({ id, from, name }) => ({ id, from, name })),
    },
    messages,
    heading: head,
  };
}

const subjectOf = (head: HTMLElement): string => (head.textContent ?? '').trim().slice(0, 2_000);

function labels(root: Element, head: HTMLElement): string[] {
  const near = head.parentElement ?? root;
  const name = (node: HTMLElement) =>
    node.getAttribute('data-label-name') ?? node.getAttribute('name')?.replace(/^\^.*/, '') ?? node.getAttribute('title') ?? '';
  return [...new Set(all(near, 'label').flatMap((node) => [name(node), (node.textContent ?? '').trim()]))].filter(Boolean).slice(0, 50);
}

/** What Gmail calls its tabs, in the languages of the options. */
const TABS: Record<string, string> = { promotions: '프로모션', social: '소셜', updates: '업데이트', forums: '포럼', primary: '기본' };
/** The label or tab that the address bar says the thread was opened in; Gmail draws no tab's name above a mail. */
function place(hash: string): string[] {
  const [, kind, name] = /^#(label|category)\/([^/?]+)\/./.exec(hash) ?? [];
  if (!kind || !name) return [];
  try {
    const plain = decodeURIComponent(name.replace(/\+/g, ' '));
    return kind === 'label' ? [plain] : [plain, TABS[plain] ?? ''].filter(Boolean);
  } catch {
    return [];
  }
}

const ADDRESS = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/;
const accounts = new WeakMap<Document, string>();

/** Whose mailbox it is: the address on the account's button, else in the title, else the number in the address bar. */
export function account(page: Document): string {
  const known = accounts.get(page);
  if (known) return known;
  const button = page.querySelector('a[href^="https://accounts.google.com/SignOutOptions"]')?.getAttribute('aria-label');
  const address = ADDRESS.exec(button ?? '')?.[0] ?? / - ([\w.+-]+@[\w-]+(?:\.[\w-]+)+) - /.exec(page.title)?.[1];
  if (!address) return `gmail/${mailbox(page.location.pathname)}`;
  accounts.set(page, address.toLowerCase());
  return address.toLowerCase();
}

const mailbox = (path: string): string => /\/mail\/u\/(\d+)/.exec(path)?.[1] ?? '0';

/**
 * Whether the address bar says that a thread is open: the last part of its path is a thread's name, written in letters that
 * are neither vowel nor Y, which no label of a person's own is.
 */
export const shouldBeOpen = ({ hash, pathname, search }: Location): boolean =>
  /\/(?:[b-df-hj-np-tv-xz]{24,}|[0-9a-f]{16})(?:\?.*)?$/i.test(hash) ||
  // A window of its own names the thread in its query.
  ((/\/popout$/.test(pathname) || /[?&]view=btop\b/.test(search)) && /[?&]th=/.test(search));

/** The page that Gmail makes for a printer: it says of no message which it is. */
export const isPrinted = ({ search }: Location): boolean => /[?&]view=(?:pt|lg)\b/.test(search);

/** The parts of an open thread that nothing was found for; empty where the reader understands the page. */
export function missing(page: Document): Part[] {
  const head = heading(page);
  if (!head) return ['thread'];
  const nodes = frame(head)?.nodes ?? [];
  if (!nodes.some((node) => numberOf(node, 'message'))) return ['message'];
  const shown = nodes.filter((node) => !isDraft(node) && !isCollapsed(node));
  if (shown.length === 0) return [];
  return (['body', 'sender'] as const).filter((part) => !shown.some((node) => (part === 'body' ? bodyOf(node) : first(node, part))));
}

/** The key that some of Gmail's addresses carry; it stands in the page's own script. */
function interfaceKey(page: Document): string {
  for (const script of page.scripts) {
    const text = script.src ? '' : script.text;
    const key = text.includes('GLOBALS') ? /GLOBALS\s*=\s*\[(?:[^,[\]]*,){9}"([0-9a-f]{6,16})"/.exec(text)?.[1] : undefined;
    if (key) return `&ik=${key}`;
  }
  return '';
}

/** Bytes of an original that are read; what is cut off behind is attachments. */
const MOST = 512 * 1024;
const OPENING = '<pre class="raw_message_text" id="raw_message_text">';
let key: string | undefined;

/** The original message, or nothing where Gmail does not offer it. */
export async function original(page: Document, perm: string): Promise<string | undefined> {
  key ??= interfaceKey(page);
  const url = `${page.location.origin}/mail/u/${mailbox(page.location.pathname)}/?ui=2${key}&view=om&permmsgid=${perm}`;
  const answer = await fetch(url, { credentials: 'include' });
  const reader = answer.ok ? answer.body?.getReader() : undefined;
  if (!reader) return undefined;
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    text += decoder.decode(next.value, { stream: true });
    if (size > MOST) {
      void reader.cancel();
      break;
    }
  }
  const from = text.indexOf(OPENING);
  if (from < 0) return undefined;
  const to = text.indexOf('</pre>', from);
  const raw = plain(text.slice(from + OPENING.length, to < 0 ? undefined : to));
  return /^[\w-]+:/m.test(raw) ? raw : undefined;
}

/** A field of a header, with its folded lines. */
const fieldOf = (name: string): RegExp => new RegExp(`^${name}:.*(?:\\r?\\n[ \\t].*)*`, 'im');
const BODY_FIELDS = /^(?:content-[\w-]+|mime-version):.*(?:\r?\n[ \t].*)*(?:\r?\n|$)/gim;

/** A message as its header and its body. */
function parted(raw: string): [header: string, body: string] {
  const end = /\r?\n\r?\n/.exec(raw);
  return end ? [raw.slice(0, end.index), raw.slice(end.index + end[0].length)] : [raw, ''];
}

/**
 * The original, with what the page shows in the place of what came in a charset that Gmail could not write down. Its header stays:
 * the host's checks of the sender stand in it.
 */
export function legible(raw: string, shown: string): string {
  if (!raw.includes('\ufffd')) return raw;
  let [header, body] = parted(raw);
  const [ours, page] = parted(shown);
  const subject = fieldOf('Subject').exec(ours)?.[0];
  if (subject && fieldOf('Subject').exec(header)?.[0].includes('\ufffd')) header = header.replace(fieldOf('Subject'), () => subject);
  if (body.includes('\ufffd')) {
    const types = ours.match(BODY_FIELDS)?.join('').trimEnd() ?? '';
    [header, body] = [`${header.replace(BODY_FIELDS, '').trimEnd()}\r\n${types}`, page];
  }
  return `${header}\r\n\r\n${body}`;
}

const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0' };
const plain = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, dec?: string, hex?: string, name?: string) => {
    if (name) return NAMED[name.toLowerCase()] ?? whole;
    const code = dec ? Number(dec) : parseInt(hex ?? '', 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

const bytesOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));
/** A header's words, safe for any text: nothing in it can begin another header. */
const encoded = (text: string): string => {
  const words = text.replace(/\s+/g, ' ').trim().match(/[^]{1,12}/gu) ?? [];
  return words.map((word) => `=?utf-8?B?${btoa(bytesOf(word))}?=`).join(' ');
};
const mailbox822 = (node: Element | undefined): string => {
  const address = ADDRESS.exec(addressOf(node))?.[0];
  const name = node?.getAttribute('name') ?? node?.textContent ?? '';
  return address ? `${name ? `${encoded(name)} ` : ''}<${address}>` : '';
};

/** The hours of a Korean "오전" or "오후". */
const KOREAN = /(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일[^\d]*?(오전|오후)?\s*(\d{1,2}):(\d{2})/;

/** When a message says it was sent: as the page words it, else by its number, whose upper part counts milliseconds. */
export function sentAt(words: string, id: string): Date | undefined {
  const [, year, month, day, half, hour, minute] = KOREAN.exec(words) ?? [];
  if (year) return new Date(Number(year), Number(month) - 1, Number(day), (Number(hour) % 12) + hoursOf(half, Number(hour)), Number(minute));
  const said = Date.parse(words.replace(/[\u202f\u00a0]/g, ' ').replace(/\bat\b|\(.*?\)/g, ' '));
  if (!Number.isNaN(said)) return new Date(said);
  const counted = Number(BigInt(id) >> 20n);
  return counted > Date.UTC(2004, 3, 1) && counted < Date.now() + 172_800_000 ? new Date(counted) : undefined;
}
const hoursOf = (half: string | undefined, hour: number): number => (half === '오후' || (!half && hour >= 12) ? 12 : 0);

/** A mail made from what the page shows of it. */
export function asShown({ opened }: View, { id, node, body }: Message): string {
  const date = sentAt(first(node, 'date')?.getAttribute('title') ?? '', id);
  const to = all(node, 'recipient').slice(0, 50).map(mailbox822).filter(Boolean).join(', ');
  const header = [
    `From: ${mailbox822(first(node, 'sender')) || '<unknown@unknown.invalid>'}`,
    to && `To: ${to}`,
    `Subject: ${encoded(opened.subject)}`,
    date && `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <gmail-${id}@mail.gmail.com>`,
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  return `${header.filter(Boolean).join('\r\n')}\r\n\r\n${body.innerHTML.slice(0, MOST)}`;
}

/** The text of a message as it is read on the screen. */
export function textOf({ id, from, name, node, body }: Message): ShownText {
  const at = sentAt(first(node, 'date')?.getAttribute('title') ?? '', id);
  return { id, from, name, at: at?.toISOString() ?? '', text: body.innerText.trim().slice(0, MOST_TEXT) };
}
