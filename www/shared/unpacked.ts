// Where the mailboxes of an archive lie while a page reads them: small ones in memory, large ones in files of this browser that go with
// the visit. A file of several gigabytes is never held.

/** Bytes above which a mailbox is put into a file. */
const SPILL = 64 * 2 ** 20;
/** Bytes that are held where the browser has no such files. */
const MOST_HELD = 2 ** 30;
/** Bytes that are written at once. */
const PIECE = 2 ** 20;
const FOLDER = 'memfold-unpacked';

let mine: Promise<FileSystemDirectoryHandle | undefined> | undefined;

/** The folder of this visit; whoever else looks sees by its lock that somebody uses it. */
function place(): Promise<FileSystemDirectoryHandle | undefined> {
  mine ??= (async () => {
    const name = crypto.randomUUID();
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
    await new Promise<void>((held) => void navigator.locks.request(`${FOLDER}/${name}`, () => (held(), new Promise(() => undefined))));
    return root.getDirectoryHandle(name, { create: true });
  })().catch(() => undefined);
  return mine;
}

/** Removes what earlier visits left. */
export async function tidy(): Promise<void> {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER);
  const held = new Set(((await navigator.locks.query()).held ?? []).map(({ name }) => name));
  const names: string[] = [];
  for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
  for (const name of names) if (!held.has(`${FOLDER}/${name}`)) await root.removeEntry(name, { recursive: true });
}

/** Removes what this visit has unpacked, once it is read. */
export async function clear(): Promise<void> {
  const folder = await mine;
  mine = undefined;
  if (folder) await (await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER)).removeEntry(folder.name, { recursive: true });
}

/** A mailbox that comes in pieces. */
export class Unpacked {
  readonly name: string;
  #parts: Uint8Array[] = [];
  #held = 0;
  #handle: FileSystemFileHandle | undefined;
  #writer: FileSystemWritableFileStream | undefined;
  #isFull = false;

  constructor(name: string) {
    this.name = name;
  }

  add(piece: Uint8Array): void {
    this.#parts.push(piece);
    this.#held += piece.length;
  }

  /** Puts away what is held, where it has become much or is `all`. Whether there is room for it. */
  async settle(all = false): Promise<boolean> {
    if (this.#isFull) return false;
    if (this.#writer ? this.#held < PIECE && !all : this.#held <= SPILL) return true;
    if (!this.#writer) {
      const folder = await place();
      if (!folder || !('createWritable' in FileSystemFileHandle.prototype)) return !(this.#isFull = this.#held > MOST_HELD);
      this.#handle = await folder.getFileHandle(crypto.randomUUID(), { create: true });
      this.#writer = await this.#handle.createWritable();
    }
    try {
      await this.#writer.write(new Blob(this.#parts as BlobPart[]));
    } catch (reason) {
      if (!(reason instanceof DOMException) || reason.name !== 'QuotaExceededError') throw reason;
      this.#isFull = true;
    }
    [this.#parts, this.#held] = [[], 0];
    return !this.#isFull;
  }

  /** All of it; known again by the time of its archive. */
  async file(lastModified: number): Promise<File> {
    await this.settle(true);
    await this.#writer?.close();
    return new File(this.#handle ? [await this.#handle.getFile()] : (this.#parts as BlobPart[]), this.name, { lastModified });
  }

  async drop(): Promise<void> {
    await this.#writer?.abort().catch(() => undefined);
    this.#parts = [];
  }
}
