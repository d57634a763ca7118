// JSON of somebody else: read as text first, so that what is nested without end is refused before anything walks down it.
import { Refusal } from './errors.js';

/** Arrays and objects within each other; what this Worker gives out stays below it by far. */
const DEEPEST = 64;

const [QUOTE, BACKSLASH, OPEN, SHUT] = [0x22, 0x5c, new Set([0x5b, 0x7b]), new Set([0x5d, 0x7d])];

/** Whether any bracket outside of a string lies deeper. */
function isTooDeep(bytes) {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (OPEN.has(byte) && (depth += 1) > DEEPEST) return true;
    else if (SHUT.has(byte)) depth -= 1;
  }
  return false;
}

/** The object that these bytes are. */
export function objectOf(bytes) {
  if (isTooDeep(bytes)) throw new Refusal('invalid_input', `the body is nested deeper than ${DEEPEST} levels`);
  let body;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Refusal('invalid_input', 'the body is not JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal('invalid_input', 'the body is not a JSON object');
  return body;
}
