// The files that a reader chose, as mailboxes: an archive is opened, single mails are put together, and what is no mail is named as
// such before anything is read.
import { Unzip, UnzipInflate, UnzipPassThrough } from 'fflate';
import { glance } from '../../shared/mailbox';
import { Unpacked } from './unpacked';

export type Refusal = { name: string; why: 'empty' | 'not_mail' | 'locked' | 'no_mail_in_zip' | 'broken_zip' | 'too_large' };
export type Chosen = { mailboxes: File[]; refused: Refusal[] };

const MAIL = /\.(mbox|mbx|eml)$/i;
const isZip = async (file: Blob): Promise<boolean> => (await head(file, 4)).join() === '80,75,3,4';
const head = async (file: Blob, n: number): Promise<number[]> => [...new Uint8Array(await file.slice(0, n).arrayBuffer())];
/** The first entry of an archive says whether it wants a password. */
const isLocked = async (file: Blob): Promise<boolean> => (((await head(file, 8))[6] ?? 0) & 1) === 1;

/** The mails of an archive, such as Google Takeout makes, entry by entry as it is read. */
async function unpacked(file: File): Promise<File[] | Refusal['why']> {
  if (await isLocked(file)) return 'locked';
  const found: Unpacked[] = [];
  let fault: unknown;
  const unzip = new Unzip((entry) => {
    if (!MAIL.test(entry.name) || entry.name.startsWith('__MACOSX/')) return;
    const one = new Unpacked(entry.name.split('/').at(-1) ?? entry.name);
    found.push(one);
    entry.ondata = (error, chunk) => {
      fault ??= error;
      if (chunk) one.add(chunk);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  unzip.register(UnzipPassThrough);
  const refuse = async (why: Refusal['why']): Promise<Refusal['why']> => {
    for (const one of found) await one.drop();
    return why;
  };
  try {
    const reader = file.stream().getReader();
    for (let next = await reader.read(); !fault; next = await reader.read()) {
      if (next.done) {
        unzip.push(new Uint8Array(0), true);
        break;
      }
      unzip.push(next.value);
      // What was unpacked is put away before more is.
      for (const one of found) {
        if (await one.settle()) continue;
        await reader.cancel();
        return refuse('too_large');
      }
    }
  } catch {
    return refuse('broken_zip');
  }
  if (fault) return refuse('broken_zip');
  if (found.length === 0) return 'no_mail_in_zip';
  const files: File[] = [];
  for (const one of found) files.push(await one.file(file.lastModified));
  return files;
}

/** Several single mails as one mailbox. */
async function together(mails: readonly File[], name: string): Promise<File> {
  const parts = await Promise.all(
    mails.map(async (mail) => {
      // Each byte as one letter of its own, whatever the charset.
      const text = new TextDecoder('x-user-defined').decode(await mail.arrayBuffer());
      const quoted = text.replace(/^(>*From )/gm, '>$1');
      return [`From eml@localhost ${new Date().toUTCString().replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT$/, '$1 $3 $2 $5 +0000 $4')}\r\n`, Uint8Array.from(quoted, (c) => c.charCodeAt(0) & 0xff), '\r\n\r\n'];
    }),
  );
  return new File(parts.flat(), name, { lastModified: Math.max(...mails.map((m) => m.lastModified)) });
}

/** What can be read of these files, and why the others cannot; `name` is for several single mails that were put together. */
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
