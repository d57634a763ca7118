// The pieces in which an archive is read. It cuts bytes and knows nothing of mails but the word that one may begin with.

/** Bytes after which the engine tells its place: no more than this is read twice after a stop. */
const PIECE = 8 * 1024;
/** Bytes that are looked through for the beginning of a mail. */
const LOOK = 64 * 1024;

/** The file from a place on, in small pieces. */
export function pieces(file: Blob, from: number): ReadableStream<Uint8Array> {
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      for (let at = 0; at < chunk.length; at += PIECE) out.enqueue(chunk.subarray(at, at + PIECE));
    },
  });
  return file.slice(from).stream().pipeThrough(cut as ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>>);
}

const FROM = [...'\nFrom '].map((c) => c.charCodeAt(0));
const LF = FROM[0]!;

/** Where the next line begins that starts as a mail of an archive does, or -1. The first line is not looked at. */
function nextFrom(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (FROM.every((byte, n) => bytes[at + n] === byte)) return at + 1;
  }
  return -1;
}

/**
 * The file in pieces of which some begin where a mail may begin, so that with one of those the engine reads the mail before it
 * and no more. `before` is told where that mail ends, and awaited before the piece is handed over.
 */
export function bySuspicion(file: Blob, from: number, before: (upto: number) => Promise<void>): ReadableStream<Uint8Array> {
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
        // The word may stand half in this look and half in the next.
        const end = next > 0 ? next : at + look.length >= file.size ? look.length : look.length - FROM.length;
        begins = next > 0;
        at += end;
        out.enqueue(look.subarray(0, end));
      },
    },
    // Nothing is cut ahead: what was told is what is read.
    { highWaterMark: 0 },
  );
}
