// The extension's private files: the backup copy, and files passed between pages and worker. Files
// are replaced atomically.

const NAMES = { copy: 'copy.jsonl.gz', archive: 'archive.mbox', given: 'given.jsonl', export: 'memories.jsonl' } as const;
export type Name = keyof typeof NAMES;

export async function write(name: Name, data: Blob | string | ReadableStream<Uint8Array>): Promise<void> {
  const dir = await navigator.storage.getDirectory();
  const file = await (await dir.getFileHandle(NAMES[name], { create: true })).createWritable();
  if (data instanceof ReadableStream) return data.pipeTo(file);
  await file.write(data);
  await file.close();
}

export async function read(name: Name): Promise<File | undefined> {
  try {
    const dir = await navigator.storage.getDirectory();
    return await (await dir.getFileHandle(NAMES[name])).getFile();
  } catch (reason) {
    if (reason instanceof DOMException && reason.name === 'NotFoundError') return undefined;
    throw reason;
  }
}

export async function remove(name: Name): Promise<void> {
  const dir = await navigator.storage.getDirectory();
  await dir.removeEntry(NAMES[name]).catch((reason: unknown) => {
    if (!(reason instanceof DOMException && reason.name === 'NotFoundError')) throw reason;
  });
}
