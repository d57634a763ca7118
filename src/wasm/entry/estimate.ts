// Samples a large mailbox by bytes: whole mails, spread over the file.
import type { Source } from './source.js';

/** A mailbox of up to this many bytes is read in full. */
const WHOLE = 4 * 1024 * 1024;
/** The number and size in bytes of the samples of a larger one. */
const [PIECES, PIECE] = [16, 192 * 1024] as const;
/** The start of a mail in an mbox file, with the preceding line break. */
const MARK = [0x0a, 0x46, 0x72, 0x6f, 0x6d, 0x20] as const;

const marked = (bytes: Uint8Array, at: number) => MARK.every((byte, n) => bytes[at + n] === byte);

/** The whole mails in a sample: from its first mark (or the file's start) to its last mark. */
function mails(bytes: Uint8Array, first: boolean): Uint8Array {
  let from = first ? 0 : -1;
  let to = -1;
  for (let at = bytes.indexOf(MARK[0]); at >= 0; at = bytes.indexOf(MARK[0], at + 1)) {
    if (!marked(bytes, at)) continue;
    if (from < 0) from = at + 1;
    else to = at + 1;
  }
  return from < 0 || to < 0 ? bytes.subarray(0, 0) : bytes.subarray(from, to);
}

/** The source or a sample of it, and the factor to scale results by. Only a Blob or bytes can be sampled. */
export async function sample(source: Source): Promise<{ source: Source; times: number }> {
  if (typeof source === 'string') source = new TextEncoder().encode(source);
  if (source instanceof ArrayBuffer) source = new Uint8Array(source);
  const blob = typeof Blob !== 'undefined' && source instanceof Blob ? source : undefined;
  const bytes = source instanceof Uint8Array ? source : undefined;
  const size = blob?.size ?? bytes?.length ?? 0;
  if (size <= WHOLE) return { source, times: 1 };
  const cut = async (at: number) => (blob ? new Uint8Array(await blob.slice(at, at + PIECE).arrayBuffer()) : bytes!.subarray(at, at + PIECE));
  const parts: Uint8Array[] = [];
  for (let n = 0; n < PIECES; n += 1) {
    const at = Math.floor((n * (size - PIECE)) / (PIECES - 1));
    parts.push(mails(await cut(at), at === 0));
  }
  const read = parts.reduce((sum, part) => sum + part.length, 0);
  // No complete mail in any sample, so read everything.
  if (read === 0) return { source, times: 1 };
  const whole = new Uint8Array(read);
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return { source: whole, times: size / read };
}
