// Storage for the mailboxes of an archive while they are read: small ones in memory, large ones in
// temporary files of the browser.

/** Larger mailboxes are written to a file. */
const SPILL = 64 * 2 ** 20;
/** Most bytes in memory if the browser has no such files. */
const MOST_HELD = 2 ** 30;
/** Bytes per write. */
const PIECE = 2 ** 20;
const FOLDER = 'memfold-unpacked';

let mine: Promise<FileSystemDirectoryHandle | undefined> | undefined;

/** This visit's folder; a lock shows other tabs that it is in use. */
function place(): Promise<FileSystemDirectoryHandle | undefined> {
  mine ??= (async () => {
    const name = crypto.randomUUID();
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });
    await new Promise<void>((held) => void navigator.locks.request(`${FOLDER}/${name}`, () => (held(), new Promise(() => undefined))));
    return root.getDirectoryHandle(name, { create: true });
  })().catch(() => undefined);
  return mine;
}

/** Deletes files of earlier visits. */
export async function tidy(): Promise<void> {
  const root = await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER);
  const held = new Set(((await navigator.locks.query()).held ?? []).map(({ name }) => name));
  const names: string[] = [];
  for await (const name of (root as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
  for (const name of names) if (!held.has(`${FOLDER}/${name}`)) await root.removeEntry(name, { recursive: true });
}

/** Deletes this visit's files after reading. */
export async function clear(): Promise<void> {
  const folder = await mine;
  mine = undefined;
  if (folder) await (await (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER)).removeEntry(folder.name, { recursive: true });
}

/** A mailbox that arrives in chunks. */
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

  /**
   * Writes buffered chunks to the file if there are enough, or with `all`. Returns whether there
   * was room.
   */
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

  /** The whole mailbox, with the archive's modification time. */
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
