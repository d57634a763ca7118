// Splits a mailbox so that mails can be processed separately. The engine splits again, so this must
// not cut a message in two; messages left together are fine.

const FROM = [0x46, 0x72, 0x6f, 0x6d, 0x20];
const LF = 0x0a;
const LONGEST = 512;
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === LF || byte === 0x0c || byte === 0x0d;
const beginsFrom = (bytes: Uint8Array, at: number): boolean => FROM.every((byte, n) => bytes[at + n] === byte);

const LINE =
  /^From (?:.* )??\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s+(?:[+-]\d{4}|[A-Z]{1,5}|\d{4})){1,3}\s*$/;
const TAKEOUT = /^From \d+@xxx /;
const FIELD = /^[!-9;-~]+\s*:/;
const textAt = (bytes: Uint8Array, at: number): string => {
  const end = bytes.indexOf(LF, at);
  return new TextDecoder('latin1').decode(bytes.subarray(at, Math.min(end < 0 ? bytes.length : end, at + LONGEST)));
};

/** The closing boundary of the multipart message that starts here, if it is one. */
function closingOf(bytes: Uint8Array, from: number): string | undefined {
  const header = new TextDecoder('latin1').decode(bytes.subarray(from, from + (1 << 16))).split(/\r?\n\r?\n/, 1)[0]!;
  const type = /^content-type:(?:[^\n]|\n[ \t])*/im.exec(header)?.[0] ?? '';
  const boundary = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type);
  return boundary ? `--${boundary[1] ?? boundary[2]}--` : undefined;
}

/**
 * Whether a line like `From somebody Mon Jan 12 09:00:00 2026` starts here and a header follows.
 */
const isSeparator = (bytes: Uint8Array, at: number): boolean => {
  const end = bytes.indexOf(LF, at);
  return end >= 0 && end - at <= LONGEST && LINE.test(textAt(bytes, at)) && FIELD.test(textAt(bytes, end + 1));
};

/** A message and its offset. */
export type Message = { start: number; bytes: Uint8Array };

/** The messages of a mailbox with their offsets, or a single message. */
export function messagesOf(bytes: Uint8Array): Message[] {
  const whole = (from: number, to: number): Message => ({ start: from, bytes: bytes.subarray(from, to) });
  // A byte order mark or empty lines may come first.
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let at = marked ? 3 : 0;
  while (!marked && at < bytes.length && isBlank(bytes[at])) at += 1;
  if (at >= bytes.length) return marked ? [whole(0, bytes.length)] : [];
  const opens = at === 0 || marked || bytes[at - 1] === LF;
  if (!opens || !beginsFrom(bytes, at)) return [whole(0, bytes.length)];
  const messages: Message[] = [];
  const byTakeout = TAKEOUT.test(textAt(bytes, at));
  const begin = bytes.indexOf(LF, at) + 1;
  let start = 0;
  let blank = false;
  let closing = begin > 0 ? closingOf(bytes, begin) : undefined;
  for (let line = begin; line > 0 && line < bytes.length; ) {
    const next = bytes.indexOf(LF, line) + 1;
    if (beginsFrom(bytes, line)) {
      // Doubtful messages stay with the one before; the engine splits and marks them.
      const separates = blank && isSeparator(bytes, line);
      if (!separates && byTakeout) break;
      if (separates && closing === undefined && TAKEOUT.test(textAt(bytes, line)) === byTakeout) {
        messages.push(whole(start, line));
        start = line;
        closing = next > 0 ? closingOf(bytes, next) : undefined;
      }
    } else if (closing !== undefined && bytes[line] === 0x2d && textAt(bytes, line).trimEnd() === closing) closing = undefined;
    blank = next > 0 && bytes.subarray(line, next).every(isBlank);
    line = next;
  }
  return [...messages, whole(start, bytes.length)];
}

/** Most mails and bytes processed at once. */
const MAILS = 64;
const BYTES = 1 << 20;

/** The messages in batches, in order. */
export function* stretchesOf(bytes: Uint8Array): Generator<Message[]> {
  let some: Message[] = [];
  let size = 0;
  for (const message of messagesOf(bytes)) {
    if (some.length === MAILS || (some.length > 0 && size + message.bytes.length > BYTES)) {
      yield some;
      [some, size] = [[], 0];
    }
    some.push(message);
    size += message.bytes.length;
  }
  if (some.length > 0) yield some;
}
