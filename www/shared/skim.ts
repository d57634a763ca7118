// Blanks the mails on the "Never remember" list in a stream, keeping its length.
import { addressParser, decodeWords } from 'postal-mime';
import { isPerson, isTopic, SKIPPED, type Never } from './never';

/** Bytes in which a mail's header is searched. */
const HEAD = 64 * 1024;
/** Bytes for a boundary that spans two chunks. */
const EDGE = 1_200;
/** Characters examined before a boundary. */
const LINE = 8;
const BOUNDARY = /(?<=\n[ \t]*\r?\n)From [^\n]{0,512}\d\d:\d\d[^\n]*\n(?=[!-9;-~]+:)/;
const MAIL = /^(?:from|to|subject|date|received|message-id|delivered-to):/im;

const latin = new TextDecoder('latin1');
const lettersOf = (bytes: Uint8Array): string => latin.decode(bytes);

/** An unfolded header field; the header may be UTF-8. */
function fieldOf(head: string, name: string): string {
  const found = new RegExp(`^${name}:[ \\t]*(.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(head)?.[1] ?? '';
  return found.replace(/\r?\n[ \t]+/g, ' ').trim();
}

function isSkipped(head: string, never: Never): boolean {
  const from = addressParser(fieldOf(head, 'from')).flatMap((one) => one.address ?? []);
  return from.some((address) => isPerson(address, never.people)) || isTopic(decodeWords(fieldOf(head, 'subject')), never.topics);
}

/** `length` bytes of blank lines. */
function blank(length: number): Uint8Array {
  const out = new Uint8Array(length).fill(32);
  for (let at = length - 1; at >= 0; at -= 900) out[at] = 10;
  return out;
}

/** A mail without content and as long as the skipped mail's header. */
function placeholderMail(head: Uint8Array): Uint8Array {
  const from = /^(?:ï»¿)?\s*From [^\n]*\n/.exec(lettersOf(head))?.[0] ?? '';
  const text = new TextEncoder().encode(`From: ${SKIPPED}\n\n`);
  const out = blank(head.length);
  if (from.length + text.length > head.length) return out;
  out.set(head.subarray(0, from.length));
  out.set(text, from.length);
  return out;
}


/**
 * Replaces listed mails by empty ones of the same length, so that an import can resume at the same
 * offset. The stream must start at a mail.
 */
export function skim(never: Never): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array = new Uint8Array();
  let isDropped = false;
  let isMailbox: boolean | undefined;
  let atHead = true;
  /** The last characters passed on; a boundary needs a blank line before it. */
  let before = '';
  const pass = (out: TransformStreamDefaultController<Uint8Array>, length: number, as?: Uint8Array): void => {
    if (length === 0) return;
    before = (before + lettersOf(held.subarray(Math.max(0, length - LINE), length))).slice(-LINE);
    out.enqueue(as ?? (isDropped ? blank(length) : held.slice(0, length)));
    held = held.subarray(length);
  };
  const head = (out: TransformStreamDefaultController<Uint8Array>, isEnd: boolean): boolean => {
    const text = lettersOf(held.subarray(0, HEAD));
    const end = /\n[ \t]*\r?\n/.exec(text.replace(/^\s+/, (lead) => 'x'.repeat(lead.length)));
    if (!end && held.length < HEAD && !isEnd) return false;
    const bytes = held.subarray(0, end ? end.index + end[0].length : Math.min(held.length, HEAD));
    isMailbox ??= /^(?:ï»¿)?\s*From /.test(text);
    // Text without a mail header belongs to the previous mail.
    const words = new TextDecoder().decode(bytes);
    if (MAIL.test(words)) isDropped = isSkipped(words, never);
    pass(out, bytes.length, isDropped && MAIL.test(words) ? placeholderMail(bytes) : undefined);
    return true;
  };
  const work = (out: TransformStreamDefaultController<Uint8Array>, isEnd: boolean): void => {
    while (held.length > 0) {
      if (atHead) {
        if (!head(out, isEnd)) return;
        atHead = false;
      }
      const found = isMailbox ? BOUNDARY.exec(before + lettersOf(held)) : null;
      const next = found ? found.index - before.length : isEnd ? held.length : Math.max(0, held.length - EDGE);
      pass(out, next);
      if (!found) return;
      atHead = true;
    }
  };
  return new TransformStream({
    transform(chunk, out) {
      const both = new Uint8Array(held.length + chunk.length);
      both.set(held);
      both.set(chunk, held.length);
      held = both;
      work(out, false);
    },
    flush(out) {
      work(out, true);
    },
  });
}
