// Turns the chosen files into mailboxes: unpacks archives, joins single mails, and reports files
// without mail.
import { glance } from './mailbox';
import { Unpacked } from './unpacked';
import { ZipFault, bytesOf, entriesOf } from './zip';

export type Refusal = { name: string; why: 'empty' | 'not_mail' | 'no_mail_in_zip' | 'too_large' | ZipFault['code'] };
export type Chosen = { mailboxes: File[]; refused: Refusal[] };

const MAIL = /\.(mbox|mbx|eml)$/i;
const isZip = async (file: Blob): Promise<boolean> => [...new Uint8Array(await file.slice(0, 4).arrayBuffer())].join() === '80,75,3,4';

/** The mails of an archive, such as Google Takeout's, one entry after another. */
async function unpacked(file: File): Promise<File[] | Refusal['why']> {
  const found: Unpacked[] = [];
  const refuse = async (why: Refusal['why']): Promise<Refusal['why']> => {
    for (const one of found) await one.drop();
    return why;
  };
  try {
    for (const entry of await entriesOf(file)) {
      if (!MAIL.test(entry.name) || entry.name.startsWith('__MACOSX/')) continue;
      const reader = (await bytesOf(file, entry)).getReader();
      const one = new Unpacked(entry.name.split('/').at(-1) ?? entry.name);
      found.push(one);
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        one.add(next.value);
        // Store what is unpacked before reading more.
        if (await one.settle()) continue;
        await reader.cancel();
        return refuse('too_large');
      }
    }
  } catch (reason) {
    return refuse(reason instanceof ZipFault ? reason.code : 'broken_zip');
  }
  if (found.length === 0) return 'no_mail_in_zip';
  const files: File[] = [];
  for (const one of found) files.push(await one.file(file.lastModified));
  return files;
}

/** A mailbox's `From ` line, for a mail without one. */
const opening = (): string => `From eml@localhost ${new Date().toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1 $3 $2 $5 +0000 $4')}\r\n`;

/** Joins single mails to a mailbox. */
async function together(mails: readonly File[], name: string): Promise<File> {
  const parts = await Promise.all(
    mails.map(async (mail) => {
      // Decodes each byte as one character, whatever the charset.
      const text = new TextDecoder('x-user-defined').decode(await mail.arrayBuffer());
      const quoted = text.replace(/^(>*From )/gm, '>$1');
      return [opening(), Uint8Array.from(quoted, (c) => c.charCodeAt(0) & 0xff), '\r\n\r\n'];
    }),
  );
  return new File(parts.flat(), name, { lastModified: Math.max(...mails.map((m) => m.lastModified)) });
}

/**
 * The mailboxes in these files, and the refused files with the reason. `name` names joined single
 * mails.
 */
export async function opened(files: readonly File[], name: (n: number) => string): Promise<Chosen> {
  const chosen: Chosen = { mailboxes: [], refused: [] };
  const single: File[] = [];
  const take = async (file: File): Promise<void> => {
    if (file.size === 0) chosen.refused.push({ name: file.name, why: 'empty' });
    else if (!(await glance(file)).isMail) chosen.refused.push({ name: file.name, why: 'not_mail' });
    else if (/\.eml$/i.test(file.name)) single.push(file);
    else chosen.mailboxes.push(file);
  };
  for (const file of files) {
    if (!(await isZip(file))) {
      await take(file);
      continue;
    }
    const found = await unpacked(file);
    if (typeof found === 'string') chosen.refused.push({ name: file.name, why: found });
    else for (const one of found) await take(one);
  }
  if (single.length === 1) chosen.mailboxes.push(single[0]!);
  else if (single.length > 1) chosen.mailboxes.push(await together(single, name(single.length)));
  return chosen;
}

/** Several mailboxes as one stream. */
export function joined(mailboxes: readonly File[]): ReadableStream<Uint8Array> {
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    for (const [i, file] of mailboxes.entries()) {
      if (i > 0) yield new TextEncoder().encode('\r\n\r\n');
      if (mailboxes.length > 1 && !/^\ufeff?\s*From /.test(await file.slice(0, 64).text())) yield new TextEncoder().encode(opening());
      const reader = file.stream().getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    }
  };
  const all = parts();
  return new ReadableStream({
    async pull(to) {
      const { done, value } = await all.next();
      if (done) to.close();
      else to.enqueue(value);
    },
  });
}
