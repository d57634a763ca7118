// Reads mail sources in chunks.
import { invalid } from './arguments.js';
import { MemfoldError } from './error.js';
import type { BlobLike, ByteStream, Signal } from './host.js';

/** A raw mail or an mbox. */
export type Source = string | Uint8Array | ArrayBuffer | BlobLike | ByteStream;

/** Bytes of a chunk: small enough to stay responsive and to stop quickly. */
const STRIDE = 64 * 1024;

/** @internal */
export function* strides(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += STRIDE) yield bytes.subarray(at, at + STRIDE);
}

/** The signals that stop the reading of a source. */
export interface Ends {
  signal?: Signal | undefined;
  /** Fires when the memory closes. */
  closing: Signal;
}

/** Waits for a stream, but stops on abort or close, since a stream may never continue. */
function unlessEnded<T>(work: Promise<T>, { signal, closing }: Ends): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new MemfoldError('aborted', 'the caller aborted', { cause: signal!.reason }));
    const onClose = () => reject(new MemfoldError('closed', 'the memory was closed'));
    const over = () => {
      signal?.removeEventListener('abort', onAbort);
      closing.removeEventListener('abort', onClose);
    };
    signal?.addEventListener('abort', onAbort);
    closing.addEventListener('abort', onClose);
    if (signal?.aborted) onAbort();
    if (closing.aborted) onClose();
    work.then(resolve, reject).finally(over);
  });
}

async function* readStream(stream: ReadableStream<Uint8Array>, ends: Ends): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  let done = false;
  try {
    while (!done) {
      const next = await unlessEnded(reader.read(), ends);
      done = next.done;
      if (next.done) return;
      if (!(next.value instanceof Uint8Array)) throw invalid('source', 'is not a stream of bytes');
      yield* strides(next.value);
    }
  } finally {
    // Not awaited, since the stream may never end.
    if (!done) void reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

/**
 * The chunks of a source from a byte offset on (a stream must start there), and its total bytes if known.
 * @internal
 */
export function readPieces(
  source: Source,
  from: number,
  ends: Ends,
): { chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>; totalBytes: number | undefined } {
  if (typeof source === 'string') source = new TextEncoder().encode(source);
  if (source instanceof ArrayBuffer) source = new Uint8Array(source);
  if (source instanceof Uint8Array) return { chunks: strides(source.subarray(from)), totalBytes: source.length };
  if (typeof Blob !== 'undefined' && source instanceof Blob) {
    return { chunks: readStream(source.slice(from).stream(), ends), totalBytes: source.size };
  }
  const stream = source as ReadableStream<Uint8Array>;
  if (typeof stream?.getReader === 'function') return { chunks: readStream(stream, ends), totalBytes: undefined };
  throw invalid('source', 'is not a string, bytes, a Blob or a ReadableStream');
}

/**
 * Yields to the event loop.
 * @internal
 */
export function turn(): Promise<void> {
  const { scheduler } = globalThis as { scheduler?: { yield?(): Promise<void> } };
  return scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));
}
