// Where the messages of a mailbox begin, so that each can be read by itself. The engine cuts again by its own rule, so this one
// only has to be no finer than that: a line that it does not know leaves two messages together, and never one in two.

const FROM = [0x46, 0x72, 0x6f, 0x6d, 0x20];
const LF = 0x0a;
const LONGEST = 512;
const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === LF || byte === 0x0c || byte === 0x0d;
const beginsFrom = (bytes: Uint8Array, at: number): boolean => FROM.every((byte, n) => bytes[at + n] === byte);

const DAYS = new Set(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
const MONTHS = new Set(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']);
const WORDS: ((w: string) => boolean)[] = [(w) => DAYS.has(w), (w) => MONTHS.has(w), (w) => w.length >= 5 && /^[\d:]*:[\d:]*$/.test(w), (w) => /^\d{4}$/.test(w)];

/** Whether the line that begins there is `From somebody Mon Jan 12 09:00:00 2026`. */
function isSeparator(bytes: Uint8Array, at: number): boolean {
  const end = bytes.indexOf(LF, at);
  if (end < 0 || end - at > LONGEST) return false;
  const words = new TextDecoder('latin1').decode(bytes.subarray(at, end)).split(/[ \t\f\r]+/);
  return WORDS.every((fits) => words.some(fits));
}

/** A message, and where it begins. */
export type Message = { start: number; bytes: Uint8Array };

/** The messages of a mailbox with their places, or the one message that these bytes are. */
export function messagesOf(bytes: Uint8Array): Message[] {
  const whole = (from: number, to: number): Message => ({ start: from, bytes: bytes.subarray(from, to) });
  // A mark of the encoding may stand before the first word, and empty lines before the first line.
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  let at = marked ? 3 : 0;
  while (!marked && at < bytes.length && isBlank(bytes[at])) at += 1;
  if (at >= bytes.length) return marked ? [whole(0, bytes.length)] : [];
  const opens = at === 0 || marked || bytes[at - 1] === LF;
  if (!opens || !beginsFrom(bytes, at)) return [whole(0, bytes.length)];
  const messages: Message[] = [];
  let start = 0;
  let blank = false;
  for (let line = bytes.indexOf(LF, at) + 1; line > 0 && line < bytes.length; ) {
    if (blank && beginsFrom(bytes, line) && isSeparator(bytes, line)) {
      messages.push(whole(start, line));
      start = line;
    }
    const next = bytes.indexOf(LF, line) + 1;
    blank = next > 0 && bytes.subarray(line, next).every(isBlank);
    line = next;
  }
  return [...messages, whole(start, bytes.length)];
}

/** As much of a mailbox as is read in one stretch. */
const MAILS = 64;
const BYTES = 1 << 20;

/** Its messages in stretches, in their order. */
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
