// Guesses from the headers of a file whether it is mail, and whose mailbox it is.

/** File types that can be chosen: mailboxes, mails and archives. */
export const ACCEPTED = '.mbox,.mbx,.eml,.zip,message/rfc822,application/mbox,application/zip';

/** Bytes of a file that are examined. */
const HEAD = 2 ** 20;
/** With fewer mails, no owner is guessed. */
const FEW = 5;
const ADDRESS = /[^\s<>,;:"()]+@[^\s<>,;:"()]+/g;
const FIELD = /^(from|to|subject|date|received|message-id|delivered-to|mime-version):/im;
const HEADER = /^(>?From |[!-9;-~]+:|[ \t])/;

export type Glance = { isMail: boolean; owner?: string | undefined };

/**
 * Whether a file looks like mail, and its likely owner: the most frequent delivery address or,
 * without one, the address in nearly all mails.
 */
export async function glance(file: Blob): Promise<Glance> {
  const text = await file.slice(0, HEAD).text();
  const mails = text.split(/^From .*\r?\n/m).slice(1);
  return { isMail: isMail(text), owner: ownerOf(mails) };
}

/** Whether a text starts like a mail: with header lines, one of them a typical mail field. */
function isMail(text: string): boolean {
  const head = text.replace(/^\ufeff?\s*/, '').split(/\r?\n\r?\n/, 1)[0] ?? '';
  return FIELD.test(head) && head.split(/\r?\n/).every((line) => HEADER.test(line));
}

function ownerOf(mails: readonly string[]): string | undefined {
  const counts = { delivered: new Map<string, number>(), named: new Map<string, number>() };
  for (const mail of mails) {
    const lines = (mail.split(/\r?\n\r?\n/, 1)[0] ?? '').replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
    const of = (field: RegExp) => lines.filter((line) => field.test(line)).flatMap((line) => line.toLowerCase().match(ADDRESS) ?? []);
    const count = (kind: keyof typeof counts, addresses: readonly string[]) =>
      new Set(addresses).forEach((address) => counts[kind].set(address, (counts[kind].get(address) ?? 0) + 1));
    // The receiving server's own line comes first.
    count('delivered', of(/^delivered-to:/i).slice(0, 1));
    count('named', of(/^(from|to|cc):/i));
  }
  const most = (kind: keyof typeof counts, share: number) => {
    const [first, second] = [...counts[kind]].sort((a, b) => b[1] - a[1]);
    const told = first && mails.length >= FEW && first[1] >= share * mails.length && first[1] > (second?.[1] ?? 0);
    return told ? first[0] : undefined;
  };
  return most('delivered', 0.5) ?? most('named', 0.8);
}
