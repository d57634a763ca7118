// Reads an mbox as bytes: who writes in it, and what is left of it without a message, for control runs.

const latin1 = new TextDecoder('latin1');

/** Where each message begins: a `From ` line at the start of the file or after a blank line. */
function starts(bytes) {
  const found = [];
  let blank = true;
  for (let at = 0; at < bytes.length; ) {
    let end = bytes.indexOf(10, at);
    end = end < 0 ? bytes.length : end + 1;
    if (blank && latin1.decode(bytes.subarray(at, at + 5)) === 'From ') found.push(at);
    blank = latin1.decode(bytes.subarray(at, end)).trim() === '';
    at = end;
  }
  return found;
}

/** The head of a raw message, each header on one line. */
const headOf = (raw) =>
  latin1
    .decode(raw)
    .split(/\r?\n\r?\n/, 1)[0]
    .replace(/\r?\n[ \t]+/g, ' ');

/** The value of the Message-ID header of a raw message, with its angle brackets; the empty string if there is none. */
export const messageId = (raw) => /^message-id:[ \t]*(<[^>]*>|\S+)/im.exec(headOf(raw))?.[1] ?? '';

/** The raw messages of a mailbox, in its order, each with the line before it. */
function messages(bytes) {
  const cuts = [...starts(bytes), bytes.length];
  return cuts.slice(0, -1).map((from, i) => bytes.subarray(from, cuts[i + 1]));
}

/** The message ids of a mailbox, in its order; one for each delivery. */
export const messageIds = (bytes) => messages(bytes).map(messageId);

/** The mailbox without the messages of this id. */
export const without = (bytes, id) => Buffer.concat(messages(bytes).filter((raw) => messageId(raw) !== id));

/** A header with its encoded words (RFC 2047) as text. */
function decoded(header) {
  const word = (_, charset, how, text) => {
    const bytes =
      how.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64')
        : Buffer.from(
            text.replaceAll('_', ' ').replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          );
    return new TextDecoder(charset).decode(bytes);
  };
  return header.replace(/\?=\s+=\?/g, '?==?').replace(/=\?([^?]+)\?([bq])\?([^?]*)\?=/gi, word);
}

/** Of each message of a mailbox its id, subject line, whom it names as writing and written to, and its date where that can be read. */
export function heads(bytes) {
  return messages(bytes).map((raw) => {
    const fields = (names) => [...headOf(raw).matchAll(new RegExp(`^(?:${names}):(.*)$`, 'gim'))].map(([, text]) => decoded(text).trim());
    const date = new Date(fields('date')[0] ?? '');
    return {
      id: messageId(raw),
      subject: fields('subject').join(' '),
      people: fields('from|to|cc').join(' '),
      ...(Number.isNaN(date.getTime()) ? {} : { date: date.toISOString() }),
    };
  });
}

/** Whether a name beside an address is a person's: three syllables of Hangul, or of several words one that the address repeats. */
function isPerson(name, address) {
  const [mailbox] = address.toLowerCase().split('@');
  const words = name.toLowerCase().split(/\s+/);
  return /^[가-힣]{3}$/.test(name) || (words.length > 1 && words.some((w) => w.length > 2 && mailbox.includes(w)));
}

/** The names of the people who write or are written to in a mailbox. */
export function people(bytes) {
  const found = new Set();
  for (const head of heads(bytes)) {
    for (const [, name, address] of head.people.matchAll(/"?([^",<>]+?)"?\s*<([^>]+)>/g)) {
      if (isPerson(name.trim(), address)) found.add(name.trim());
    }
  }
  return found;
}
