// What lies in a zip, by the directory at its end, and the bytes of each entry as they are read. It holds no more than the directory,
// and the browser itself unpacks.

/** An archive that cannot be read, and why. */
export class ZipFault extends Error {
  readonly code: 'broken_zip' | 'strange_zip' | 'locked';

  constructor(code: ZipFault['code']) {
    super(code);
    this.code = code;
  }
}

/** A file of an archive: `at` is where its own head stands, `packed` how many bytes it takes there. */
export type Entry = { name: string; at: number; packed: number; bytes: number; method: number; isLocked: boolean };

const END = 0x06054b50;
const END_64 = 0x06064b50;
const PLACE_64 = 0x07064b50;
const LISTED = 0x02014b50;
const HEAD = 0x04034b50;
/** Bytes of the end without its comment, of the place of a large archive's own end, of that end, and of the heads of an entry. */
const [END_BYTES, PLACE_BYTES, END_64_BYTES, LISTED_BYTES, HEAD_BYTES] = [22, 20, 56, 46, 30];
/** A directory of more is of no mailbox. */
const MOST = 2 ** 26;
/** In place of a figure that takes more than four bytes. */
const ELSEWHERE = 0xffff_ffff;
/** The extra field where such figures stand. */
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

/** Where the directory stands, and how long it is. */
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

/** The files of an archive, in their order. */
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

/** The figures of the entry that is listed there; those that are too large for their place stand in an extra field, in this order. */
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

/** What a file of an archive holds, unpacked as it is read; it fails where that is not as long as the directory says. */
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
