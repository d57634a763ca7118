// Reads untrusted bodies: type, size and nesting are checked before anything is parsed.
import type { Context, MiddlewareHandler } from 'hono';
import { Refusal } from './errors';
import type { App } from './routes';

const KB = 1_024;
export const MAIL = 25 * KB * KB;
/** Bytes read of a rejected body, because a sender that is cut off may not read the answer. */
const MAX_REJECTED_BODY = 2 * MAIL;
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

/** Reads a body of at most `most` bytes. */
async function bytesOf(request: Request, most: number): Promise<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_REJECTED_BODY) break;
    if (size > most) chunks = [];
    else chunks.push(chunk);
  }
  if (size > most) throw new Refusal('too_large', `the body is larger than ${most} bytes`);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

/** The text of a JSON body, which the validator of the route parses. */
function jsonOf(bytes: Uint8Array): string {
  if (isTooDeep(bytes)) throw new Refusal('invalid_input', `the body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new Refusal('invalid_input', 'the body is not JSON');
  }
}

/** Reads a body of this type: JSON for the validator, other types as `bytes`. */
export function bodyOf(type: string, kilobytes: number): MiddlewareHandler<App> {
  return async (c: Context<App>, next) => {
    const [sent = ''] = (c.req.header('content-type') ?? '').split(';');
    if (sent.trim().toLowerCase() !== type) throw new Refusal('unsupported_media_type', `the body must be ${type}`);
    const bytes = await bytesOf(c.req.raw, kilobytes * KB);
    if (type === 'application/json') Object.assign(c.req.bodyCache, { text: Promise.resolve(jsonOf(bytes)) });
    else c.set('bytes', bytes);
    await next();
  };
}
