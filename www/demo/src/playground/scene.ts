// What the playground is given: two things that were written, one after the other, each a note or a mail.

export type Kind = 'note' | 'mail';

/** One of the two, as it is typed. Of a note its sender, subject line and answer count for nothing. */
export type Written = { kind: Kind; text: string; from: string; subject: string; day: string; answers: boolean };

export type Scene = { first: Written; next: Written; mode: 'balanced' | 'fast' };

/** Whose mailbox it is in the playground. */
export const OWNER = 'you@example.org';

/** Whether a text has a mail's own header, so that nothing need be told of it. */
export function isRaw(text: string): boolean {
  const [head = ''] = text.trimStart().split(/\r?\n\r?\n/, 1);
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/).filter((line) => !/^>?From /.test(line));
  return lines.length > 1 && lines.every((line) => /^[\w-]+:/.test(line)) && lines.some((line) => /^(from|subject|date|message-id):/i.test(line));
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
/** A header's words, none of which can end it. */
const header = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return /^[ -~]*$/.test(line) ? line : (line.match(/.{1,12}/gsu) ?? []).map((some) => `=?UTF-8?B?${base64(some)}?=`).join('\r\n ');
};

/** A sender as a header names one; whoever is told by name alone gets an address that nobody has. */
function sender(from: string): string {
  const [, name = '', address = ''] = /^(.*?)<?([^\s<>"]+@[^\s<>"]+)>?\s*$/s.exec(from) ?? [, from, ''];
  const own = address || `${[...new TextEncoder().encode(from.trim() || '?')].map((byte) => byte.toString(36)).join('')}@people.example`;
  const said = name.replace(/["<>]/g, '').trim();
  return said ? `${/^[\w .-]+$/.test(said) ? `"${said}"` : header(said)} <${own}>` : own;
}

export const idOf = (which: 'first' | 'next'): string => `<${which}@playground.example>`;

/** When it was written: at nine of its day, or now. */
export function writtenAt(day: string): Date {
  const at = new Date(`${day}T09:00:00`);
  return Number.isNaN(at.getTime()) ? new Date() : at;
}

/** A mail as it would have come, of what was typed about it. */
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

/** By what id a mail can be answered. */
export function answerable(first: Written): string | undefined {
  if (first.kind !== 'mail') return undefined;
  return isRaw(first.text) ? /^message-id:\s*(<[^>\s]+>)/im.exec(first.text)?.[1] : idOf('first');
}
