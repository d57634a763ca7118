// Reads the directory of a zip file and streams its entries. The browser decompresses them.

/** Why an archive cannot be read. */
export class ZipFault extends Error {
  readonly code: 'broken_zip' | 'strange_zip' | 'locked';

  constructor(code: ZipFault['code']) {
    super(code);
    this.code = code;
  }
}

/** A file in an archive: `at` is the offset of its header, `packed` its compressed size. */
export type Entry = { name: string; at: number; packed: number; bytes: number; method: number; isLocked: boolean };

const END = 0x06054b50;
const END_64 = 0x06064b50;
const PLACE_64 = 0x07064b50;
const LISTED = 0x02014b50;
const HEAD = 0x04034b50;
/**
 * Sizes in bytes of the end record, the zip64 locator, the zip64 end record, a directory entry and
 * a local header.
 */
const [END_BYTES, PLACE_BYTES, END_64_BYTES, LISTED_BYTES, HEAD_BYTES] = [22, 20, 56, 46, 30];
/** Largest directory that a mailbox archive can have. */
const MOST = 2 ** 26;
/** Marks a value that is in the zip64 field. */
const ELSEWHERE = 0xffff_ffff;
/** Id of the zip64 extra field. */
const LARGE = 1;

const broken = (): ZipFault => new ZipFault('broken_zip');

async function read(file: Blob, at: number, bytes: number): Promise<DataView> {
  if (at < 0 || at + bytes > file.size) throw broken();
  return new DataView(await file.slice(at, at + bytes).arrayBuffer());
}

function long(view: DataView, at: number): number {
  const value = view.getBigUint64(at, true);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw broken();
  return Number(value);
}

/** Offset and size of the directory. */
async function directory(file: Blob): Promise<{ at: number; bytes: number }> {
  const most = Math.min(file.size, END_BYTES + 0xffff);
  const tail = await read(file, file.size - most, most);
  for (let i = most - END_BYTES; i >= 0; i--) {
    if (tail.getUint32(i, true) !== END || tail.getUint16(i + 20, true) > most - i - END_BYTES) continue;
    const found = { at: tail.getUint32(i + 16, true), bytes: tail.getUint32(i + 12, true) };
    if (found.at !== ELSEWHERE && found.bytes !== ELSEWHERE) return found;
    const place = await read(file, file.size - most + i - PLACE_BYTES, PLACE_BYTES);
    if (place.getUint32(0, true) !== PLACE_64) throw broken();
    const end = await read(file, long(place, 8), END_64_BYTES);
    if (end.getUint32(0, true) !== END_64) throw broken();
    return { at: long(end, 48), bytes: long(end, 40) };
  }
  throw broken();
}

/** The files of an archive, in order. */
export async function entriesOf(file: Blob): Promise<Entry[]> {
  const { at, bytes } = await directory(file);
  if (bytes > MOST) throw broken();
  const view = await read(file, at, bytes);
  const entries: Entry[] = [];
  for (let i = 0; i < bytes; ) {
    if (i + LISTED_BYTES > bytes || view.getUint32(i, true) !== LISTED) throw broken();
    const [name, extra, comment] = [view.getUint16(i + 28, true), view.getUint16(i + 30, true), view.getUint16(i + 32, true)];
    const next = i + LISTED_BYTES + name + extra + comment;
    if (next > bytes) throw broken();
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(view.buffer, i + LISTED_BYTES, name)),
      ...sizes(view, i, i + LISTED_BYTES + name, extra),
      method: view.getUint16(i + 10, true),
      isLocked: (view.getUint16(i + 8, true) & 1) === 1,
    });
    i = next;
  }
  return entries;
}

/** Offset and sizes of an entry; large ones are in the zip64 field, in this order. */
function sizes(view: DataView, entry: number, from: number, length: number): Pick<Entry, 'at' | 'packed' | 'bytes'> {
  let [at, end] = [from, from];
  for (let next = from; next + 4 <= from + length; next += 4 + view.getUint16(next + 2, true)) {
    if (view.getUint16(next, true) === LARGE) [at, end] = [next + 4, Math.min(next + 4 + view.getUint16(next + 2, true), from + length)];
  }
  const figure = (place: number): number => {
    const short = view.getUint32(entry + place, true);
    if (short !== ELSEWHERE) return short;
    if (at + 8 > end) throw broken();
    at += 8;
    return long(view, at - 8);
  };
  const bytes = figure(24);
  const packed = figure(20);
  return { bytes, packed, at: figure(42) };
}

/** Streams the decompressed content of a file; fails if its size differs from the directory. */
export async function bytesOf(file: Blob, { at, packed, bytes, method, isLocked }: Entry): Promise<ReadableStream<Uint8Array>> {
  if (isLocked) throw new ZipFault('locked');
  if (method !== 0 && method !== 8) throw new ZipFault('strange_zip');
  const head = await read(file, at, HEAD_BYTES);
  if (head.getUint32(0, true) !== HEAD) throw broken();
  const from = at + HEAD_BYTES + head.getUint16(26, true) + head.getUint16(28, true);
  if (from + packed > file.size) throw broken();
  const stored = file.slice(from, from + packed).stream();
  let left = bytes;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      left -= piece.length;
      if (left < 0) throw broken();
      out.enqueue(piece);
    },
    flush() {
      if (left > 0) throw broken();
    },
  });
  const unpacked = method === 0 ? stored : stored.pipeThrough(new DecompressionStream('deflate-raw'));
  return (unpacked as ReadableStream<Uint8Array>).pipeThrough(counted);
}
