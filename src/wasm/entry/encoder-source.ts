// Sources of the encoder's files: a URL, a file, bytes or a stream. Also their cache in the browser.
import { invalid } from './arguments.js';
import type { Pair } from './embeddings.js';
import files, { type Released } from './encoder-files.js';
import { MemfoldError } from './error.js';
import type { BlobLike, ByteStream, Signal } from './host.js';
import { strides } from './source.js';

/** The weights or a head: a URL, bytes, or a response of `fetch` or an R2 bucket. */
export type WeightsSource = string | { readonly href: string } | Uint8Array | ArrayBuffer | BlobLike | ByteStream | { readonly body: ByteStream | null };

export type { Pair };

/**
 * The name of an encoder file.
 * @internal
 */
export type Name = 'weights' | 'head';

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
/**
 * Reads a file from disk, if the host has one.
 * @internal
 */
export type ReadFile = (address: string) => Promise<Chunks>;

/** The encoder files cached in this browser, and their size in bytes. */
export interface StoredWeights {
  weights: boolean;
  head: boolean;
  bytes: number;
}

/**
 * The URL of a source, if it has one.
 * @internal
 */
export function addressOf(source: WeightsSource): string | undefined {
  if (typeof source === 'string') return source;
  return 'href' in source ? source.href : undefined;
}

/**
 * The size of a source, if known in advance.
 * @internal
 */
export function sizeOf(name: Name, source: WeightsSource): number {
  const bytes = source as { byteLength?: number; size?: number };
  return bytes.byteLength ?? bytes.size ?? files[name]?.bytes ?? 0;
}

async function fetchFile(address: string, signal: Signal | undefined): Promise<ByteStream> {
  let response: Response;
  try {
    response = await fetch(address, signal ? { signal: signal as AbortSignal } : {});
  } catch (error) {
    throw unreachable(address, (error as Error)?.message, error);
  }
  if (!response.ok || !response.body) throw unreachable(address, `the response has status ${response.status}`);
  return response.body as ByteStream;
}

const unreachable = (address: string, why: string, cause?: unknown): MemfoldError =>
  new MemfoldError('connection_lost', `the file ${address} could not be fetched: ${why}`, { retryable: true, cause });

/** Opens a source as a stream or an iterable of bytes. */
async function openSource(source: WeightsSource, signal: Signal | undefined, readFile?: ReadFile): Promise<ByteStream | Chunks> {
  const address = addressOf(source);
  if (address !== undefined) return readFile && !/^(https?|data|blob):/.test(address) ? readFile(address) : fetchFile(address, signal);
  if (source instanceof Uint8Array) return strides(source);
  if (source instanceof ArrayBuffer) return strides(new Uint8Array(source));
  if ('body' in (source as object)) {
    const { body, ok = true, status, url } = source as { body: ByteStream | null; ok?: boolean; status?: number; url?: string };
    if (!ok) throw unreachable(url || 'of the weights', `the response has status ${status}`);
    if (body) return body;
  } else if (typeof (source as BlobLike).stream === 'function') return (source as BlobLike).stream();
  else if (typeof (source as ByteStream).getReader === 'function') return source as ByteStream;
  throw invalid('source', 'is not a URL, bytes, a Blob, a stream or a response');
}

async function* chunksOf(stream: ByteStream | Chunks): AsyncGenerator<Uint8Array> {
  if (!('getReader' in stream)) return yield* stream;
  const reader = stream.getReader();
  let done = false;
  try {
    while (!done) {
      const next = await reader.read();
      done = next.done;
      if (next.value) yield next.value;
    }
  } catch (error) {
    throw new MemfoldError('connection_lost', `the download broke off: ${(error as Error)?.message ?? error}`, { retryable: true, cause: error });
  } finally {
    // Not awaited, since the stream may never end.
    if (!done) void reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

/**
 * The chunks of a source; calls `seen` with each.
 * @internal
 */
export async function* readChunks(source: WeightsSource, seen: (chunk: Uint8Array) => void, signal?: Signal, readFile?: ReadFile): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunksOf(await openSource(source, signal, readFile))) {
    if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
    seen(chunk);
    yield chunk;
  }
}

/**
 * Decompresses gzipped chunks; passes other chunks through.
 * @internal
 */
export async function* decompress(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first = await chunks.next();
  if (first.done) return;
  const [one, two] = first.value;
  if (one !== 0x1f || two !== 0x8b) {
    yield first.value;
    return yield* chunks;
  }
  const gzip = new DecompressionStream('gzip');
  const writer = gzip.writable.getWriter();
  const written = (async () => {
    await writer.write(first.value as Uint8Array<ArrayBuffer>);
    for await (const chunk of chunks) await writer.write(chunk as Uint8Array<ArrayBuffer>);
    await writer.close();
  })().catch(async (error) => {
    await writer.abort(error).catch(() => {});
    throw error;
  });
  written.catch(() => {});
  const reader = gzip.readable.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } catch (error) {
    // A failure of the source takes precedence over a decompression error.
    await written.catch((failed: unknown) => {
      if (failed instanceof MemfoldError) throw failed;
    });
    throw new MemfoldError('invalid_weights', 'the file is damaged: it cannot be decompressed', { cause: error });
  }
  await written;
}

const CACHE = 'memfold-encoder';
/** The cache key of a file. The Cache API needs an http(s) URL; nothing is fetched from it. */
const keyOf = ({ sha256 }: Released): string => `https://memfold.invalid/encoder/${sha256}`;
const hasCache = (): boolean => typeof caches === 'object' && typeof caches.open === 'function';

/**
 * The cached copy of a file of this release.
 * @internal
 */
export async function storedCopy(name: Name): Promise<BlobLike | undefined> {
  const file = files[name];
  if (!file || !hasCache()) return undefined;
  try {
    return (await (await (await caches.open(CACHE)).match(keyOf(file)))?.blob()) as BlobLike | undefined;
  } catch {
    // The browser may block all storage.
    return undefined;
  }
}

/**
 * Caches a file of this release, and deletes files of earlier releases.
 * @internal
 */
export async function store(name: Name, chunks: Uint8Array[]): Promise<void> {
  const file = files[name];
  if (!file) return;
  if (!hasCache()) throw new MemfoldError('unsupported', 'this host has no Cache API, or the page is not in a secure context');
  try {
    const cache = await caches.open(CACHE);
    await cache.put(keyOf(file), new Response(new Blob(chunks as Uint8Array<ArrayBuffer>[]), { headers: { 'content-length': String(file.bytes) } }));
    const current = Object.values(files).map((f) => keyOf(f as Released));
    for (const request of await cache.keys()) if (!current.includes(request.url)) await cache.delete(request);
  } catch (error) {
    const isFull = (error as Error)?.name === 'QuotaExceededError';
    throw new MemfoldError(
      isFull ? 'quota_exceeded' : 'storage',
      isFull ? 'there is no space to cache the weights' : `the weights could not be cached: ${(error as Error)?.message}`,
      { cause: error },
    );
  }
}

/**
 * Deletes a damaged file from the cache.
 * @internal
 */
export async function drop(name: Name): Promise<void> {
  const file = files[name];
  if (file)
    await caches
      .open(CACHE)
      .then((cache) => cache.delete(keyOf(file)))
      .catch(() => false);
}

/** @internal */
export async function stored(): Promise<StoredWeights> {
  const [weights, head] = [await storedCopy('weights'), await storedCopy('head')];
  return { weights: weights !== undefined, head: head !== undefined, bytes: (weights?.size ?? 0) + (head?.size ?? 0) };
}

/** @internal */
export async function remove(): Promise<void> {
  if (hasCache()) await caches.delete(CACHE);
}
