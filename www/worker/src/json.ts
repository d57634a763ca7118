// Parses untrusted JSON; too deep nesting is rejected before parsing.
import { Refusal } from './errors';

/** Maximum nesting; the Worker's own answers are far below it. */
const MAX_DEPTH = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set<number | undefined>([0x5b, 0x7b]);
const SHUT = new Set<number | undefined>([0x5d, 0x7d]);

/** Whether brackets outside of strings are nested too deeply. */
function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (quoted) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) quoted = false;
    } else if (byte === QUOTE) quoted = true;
    else if (OPEN.has(byte) && (depth += 1) > MAX_DEPTH) return true;
    else if (SHUT.has(byte)) depth -= 1;
  }
  return false;
}

/** Parses a JSON object. */
export function objectOf(bytes: Uint8Array): Record<string, any> {
  if (isTooDeep(bytes)) throw new Refusal('invalid_input', `the body is nested deeper than ${MAX_DEPTH} levels`);
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new Refusal('invalid_input', 'the body is not JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new Refusal('invalid_input', 'the body is not a JSON object');
  return body;
}
