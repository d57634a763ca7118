// The input of the playground: two texts in order, each a note or a mail.

export type Kind = 'note' | 'mail';

/** One of the texts. A note has no sender, subject or reply. */
export type Written = { kind: Kind; text: string; from: string; subject: string; day: string; answers: boolean };

export type Scene = { first: Written; next: Written; mode: 'balanced' | 'fast' };

/** The mailbox owner in the playground. */
export const OWNER = 'you@example.org';

/** Whether a text has its own mail header, so that nothing else is asked. */
export function isRaw(text: string): boolean {
  const [head = ''] = text.trimStart().split(/\r?\n\r?\n/, 1);
  const lines = head
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
    .filter((line) => !/^>?From /.test(line));
  return lines.length > 1 && lines.every((line) => /^[\w-]+:/.test(line)) && lines.some((line) => /^(from|subject|date|message-id):/i.test(line));
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
/** A header value that cannot end the header. */
const header = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return /^[ -~]*$/.test(line) ? line : (line.match(/.{1,12}/gsu) ?? []).map((some) => `=?UTF-8?B?${base64(some)}?=`).join('\r\n ');
};

/** A sender as a header value; a name without an address gets an unused one. */
function sender(from: string): string {
  const [, name = '', address = ''] = /^(.*?)<?([^\s<>"]+@[^\s<>"]+)>?\s*$/s.exec(from) ?? [, from, ''];
  const own = address || `${[...new TextEncoder().encode(from.trim() || '?')].map((byte) => byte.toString(36)).join('')}@people.example`;
  const said = name.replace(/["<>]/g, '').trim();
  return said ? `${/^[\w .-]+$/.test(said) ? `"${said}"` : header(said)} <${own}>` : own;
}

export const idOf = (which: 'first' | 'next'): string => `<${which}@playground.example>`;

/** The time of writing: nine o'clock on its day, or now. */
export function writtenAt(day: string): Date {
  const at = new Date(`${day}T09:00:00`);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}

/** Builds a mail from the form. */
export function mailOf(which: 'first' | 'next', { text, from, subject, day, answers }: Written, answered: string | undefined): string {
  if (isRaw(text)) return text.trimStart();
  const lines = [
    `From: ${sender(from)}`,
    `To: ${OWNER}`,
    `Date: ${writtenAt(day).toUTCString().replace('GMT', '+0000')}`,
    `Subject: ${header(subject)}`,
    `Message-ID: ${idOf(which)}`,
    ...(answers && answered ? [`In-Reply-To: ${answered}`, `References: ${answered}`] : []),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text.trim()}\r\n`;
}

/** The message id that a reply can refer to. */
export function answerable(first: Written): string | undefined {
  if (first.kind !== 'mail') return undefined;
  return isRaw(first.text) ? /^message-id:\s*(<[^>\s]+>)/im.exec(first.text)?.[1] : idOf('first');
}
