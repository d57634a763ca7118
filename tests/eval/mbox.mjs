// Takes messages out of an mbox as bytes, for control runs: what would be stored had a message never come?

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

/** The value of the Message-ID header of a raw message, with its angle brackets; the empty string if there is none. */
export function messageId(raw) {
  const head = latin1.decode(raw).split(/\r?\n\r?\n/, 1)[0].replace(/\r?\n[ \t]+/g, ' ');
  return /^message-id:[ \t]*(<[^>]*>|\S+)/im.exec(head)?.[1] ?? '';
}

/** The raw messages of a mailbox, in its order, each with the line before it. */
function messages(bytes) {
  const cuts = [...starts(bytes), bytes.length];
  return cuts.slice(0, -1).map((from, i) => bytes.subarray(from, cuts[i + 1]));
}

/** The message ids of a mailbox, in its order; one for each delivery. */
export const messageIds = (bytes) => messages(bytes).map(messageId);

/** The mailbox without the messages of this id. */
export const without = (bytes, id) => Buffer.concat(messages(bytes).filter((raw) => messageId(raw) !== id));
