// Reads Gmail's page: threads, messages, people, dates and bodies. Only this file depends on
// Gmail's markup. Each selector has fallbacks; `missing` names those that find nothing.
import { MOST_TEXT, type Opened, type ShownText } from './messages';

/** Selectors by Gmail's own attributes first, then by appearance. */
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
 * A visible message. `from` is the claimed sender: Gmail's page does not show whether it is
 * authenticated or sent by the account.
 */
export type Message = { id: string; perm: string; from: string; name: string; node: HTMLElement; body: HTMLElement };
export type View = { opened: Opened; messages: Message[]; heading: HTMLElement };

const decimal = (hex: string | null): string => (hex && /^[0-9a-f]{8,16}$/i.test(hex) ? BigInt(`0x${hex}`).toString() : '');
const digits = (value: string | null): string => /(?:msg|thread)-f:(\d{5,20})$/.exec(value ?? '')?.[1] ?? '';
/** Without conversation view, the newer attribute has the hexadecimal id too. */
const numberOf = (node: Element, kind: 'message' | 'thread'): string => {
  const name = node.getAttribute(kind === 'message' ? 'data-message-id' : 'data-thread-perm-id');
  return decimal(node.getAttribute(`data-legacy-${kind}-id`)) || digits(name) || decimal(name);
};
/** The id by which Gmail serves the original; for sent mail it differs from the message id. */
const permOf = (node: Element, id: string): string => /msg-[af]:r?-?\d{1,20}$/.exec(node.getAttribute('data-message-id') ?? '')?.[0] ?? `msg-f:${id}`;

/** Editors with drafts and replies, which are never read. */
const WRITTEN = '[contenteditable="true"], [contenteditable=""], [contenteditable="plaintext-only"], [role="textbox"]';
const isWritten = (body: HTMLElement): boolean => body.closest(WRITTEN) !== null || body.querySelector(WRITTEN) !== null;
const bodyOf = (node: HTMLElement): HTMLElement | undefined => all(node, 'body').find((body) => !isWritten(body));
const isDraft = (node: HTMLElement): boolean => bodyOf(node) === undefined && node.querySelector(WRITTEN) !== null;
/** A collapsed message. */
const isCollapsed = (node: HTMLElement): boolean => node.closest('.adf, .kv, .kQ, .kx') !== null;

/** The name that Gmail shows for a person; empty if it is only the address. */
const nameOf = (node: Element | undefined): string => {
  const name = (node?.getAttribute('name') ?? '').trim().slice(0, 200);
  return name.includes('@') ? '' : name;
};

const addressOf = (node: Element | undefined): string => node?.getAttribute('email') ?? node?.getAttribute('data-hovercard-id') ?? '';

/** Earlier threads stay in the page, hidden. */
const seen = (node: HTMLElement): boolean => node.checkVisibility();

/** The heading of the visible thread. */
function heading(page: Document): HTMLElement | undefined {
  return all(page, 'thread').find(seen);
}

/** The smallest part of the page around the heading that contains messages. */
function frame(of: HTMLElement): { root: Element; nodes: HTMLElement[] } | undefined {
  for (let root = of.parentElement; root && root !== root.ownerDocument.body; root = root.parentElement) {
    const nodes = all(root, 'message');
    if (nodes.length > 0) return { root, nodes };
  }
  return undefined;
}

/** The open thread, if any, without collapsed messages. */
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

/** Gmail's tab names in the options' languages. */
const TABS: Record<string, string> = { promotions: '프로모션', social: '소셜', updates: '업데이트', forums: '포럼', primary: '기본' };
/** The label or tab in the URL; Gmail does not show a tab's name above a mail. */
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

/** The account's address from the account button, else the title, else the number in the URL. */
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
 * Whether the URL names an open thread: its last part is a thread id, whose alphabet has no vowels
 * and no Y, unlike label names.
 */
export const shouldBeOpen = ({ hash, pathname, search }: Location): boolean =>
  /\/(?:[b-df-hj-np-tv-xz]{24,}|[0-9a-f]{16})(?:\?.*)?$/i.test(hash) ||
  // A separate window names the thread in its query.
  ((/\/popout$/.test(pathname) || /[?&]view=btop\b/.test(search)) && /[?&]th=/.test(search));

/** Gmail's print view, which has no message ids. */
export const isPrinted = ({ search }: Location): boolean => /[?&]view=(?:pt|lg)\b/.test(search);

/** The parts of an open thread that were not found. */
export function missing(page: Document): Part[] {
  const head = heading(page);
  if (!head) return ['thread'];
  const nodes = frame(head)?.nodes ?? [];
  if (!nodes.some((node) => numberOf(node, 'message'))) return ['message'];
  const shown = nodes.filter((node) => !isDraft(node) && !isCollapsed(node));
  if (shown.length === 0) return [];
  return (['body', 'sender'] as const).filter((part) => !shown.some((node) => (part === 'body' ? bodyOf(node) : first(node, part))));
}

/** The key that some Gmail URLs need, from the page's script. */
function interfaceKey(page: Document): string {
  for (const script of page.scripts) {
    const text = script.src ? '' : script.text;
    const key = text.includes('GLOBALS') ? /GLOBALS\s*=\s*\[(?:[^,[\]]*,){9}"([0-9a-f]{6,16})"/.exec(text)?.[1] : undefined;
    if (key) return `&ik=${key}`;
  }
  return '';
}

/** Bytes read of an original; attachments come later. */
const MOST = 512 * 1024;
const OPENING = '<pre class="raw_message_text" id="raw_message_text">';
let key: string | undefined;

/** The original message; undefined if Gmail does not provide it. */
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

/** A header field with its folded lines. */
const fieldOf = (name: string): RegExp => new RegExp(`^${name}:.*(?:\\r?\\n[ \\t].*)*`, 'im');
const BODY_FIELDS = /^(?:content-[\w-]+|mime-version):.*(?:\r?\n[ \t].*)*(?:\r?\n|$)/gim;

/** Splits a message into header and body. */
function parted(raw: string): [header: string, body: string] {
  const end = /\r?\n\r?\n/.exec(raw);
  return end ? [raw.slice(0, end.index), raw.slice(end.index + end[0].length)] : [raw, ''];
}

/**
 * Replaces undecodable text of the original by the visible text. The header stays, because it has
 * the authentication results.
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
/** Encodes a header value so that it cannot start another field. */
const encoded = (text: string): string => {
  const words =
    text
      .replace(/\s+/g, ' ')
      .trim()
      .match(/[^]{1,12}/gu) ?? [];
  return words.map((word) => `=?utf-8?B?${btoa(bytesOf(word))}?=`).join(' ');
};
const mailbox822 = (node: Element | undefined): string => {
  const address = ADDRESS.exec(addressOf(node))?.[0];
  const name = node?.getAttribute('name') ?? node?.textContent ?? '';
  return address ? `${name ? `${encoded(name)} ` : ''}<${address}>` : '';
};

/** Dates with "오전" or "오후". */
const KOREAN = /(\d{4})년\s*(\d{1,2})월\s*(\d{1,2})일[^\d]*?(오전|오후)?\s*(\d{1,2}):(\d{2})/;

/**
 * When a message was sent, from the page's date or else the id, whose upper part is a time in
 * milliseconds.
 */
export function sentAt(words: string, id: string): Date | undefined {
  const [, year, month, day, half, hour, minute] = KOREAN.exec(words) ?? [];
  if (year) return new Date(Number(year), Number(month) - 1, Number(day), (Number(hour) % 12) + hoursOf(half, Number(hour)), Number(minute));
  const said = Date.parse(words.replace(/[\u202f\u00a0]/g, ' ').replace(/\bat\b|\(.*?\)/g, ' '));
  if (!Number.isNaN(said)) return new Date(said);
  const counted = Number(BigInt(id) >> 20n);
  return counted > Date.UTC(2004, 3, 1) && counted < Date.now() + 172_800_000 ? new Date(counted) : undefined;
}
const hoursOf = (half: string | undefined, hour: number): number => (half === '오후' || (!half && hour >= 12) ? 12 : 0);

/** Builds a mail from the visible text. */
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

/** The visible text of a message. */
export function textOf({ id, from, name, node, body }: Message): ShownText {
  const at = sentAt(first(node, 'date')?.getAttribute('title') ?? '', id);
  return { id, from, name, at: at?.toISOString() ?? '', text: body.innerText.trim().slice(0, MOST_TEXT) };
}
