// Splits an archive into chunks at possible starts of mails.

/** Chunk size: at most this much is read again after a stop. */
const PIECE = 8 * 1024;
/** Bytes searched at a time for the start of a mail. */
const LOOK = 64 * 1024;

/** The file from an offset on, in small chunks. */
export function pieces(file: Blob, from: number): ReadableStream<Uint8Array> {
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      for (let at = 0; at < chunk.length; at += PIECE) out.enqueue(chunk.subarray(at, at + PIECE));
    },
  });
  return file
    .slice(from)
    .stream()
    .pipeThrough(cut as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>);
}

const FROM = [...'\nFrom '].map((c) => c.charCodeAt(0));
const LF = FROM[0]!;

/**
 * Offset of the next line that starts a mail in an archive, or -1; the first line does not count.
 */
function nextFrom(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (FROM.every((byte, n) => bytes[at + n] === byte)) return at + 1;
  }
  return -1;
}

/**
 * The file in chunks that end at possible mail starts, so that the engine reads one mail at a time.
 * `before` is called with the end of a mail and awaited before its chunk is passed on.
 */
export function splitAtMails(file: Blob, from: number, before: (upto: number) => Promise<void>): ReadableStream<Uint8Array> {
  let at = from;
  let begins = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        const ended = at >= file.size;
        if (begins || ended) await before(at);
        if (ended) return out.close();
        const look = new Uint8Array(await file.slice(at, at + LOOK).arrayBuffer());
        const next = nextFrom(look);
        // The mark may continue in the next search window.
        const end = next > 0 ? next : at + look.length >= file.size ? look.length : look.length - FROM.length;
        begins = next > 0;
        at += end;
        out.enqueue(look.subarray(0, end));
      },
    },
    // Nothing is read ahead, so that the stored end matches the mail being read.
    { highWaterMark: 0 },
  );
}
