// Deletion by tools in two steps: a preview with a confirmation code, then the deletion with this
// code.
import type { LogEntry, Memories, Memory } from 'memfold';

/** How long a preview can be confirmed, and the most pending ones. */
const PATIENCE = 10 * 60_000;
const MOST_WISHES = 32;
const PREFIX = 'confirm/';

/** The deletion that a tool requests. */
export type Wish = { ids?: string[]; request?: string };
/** The preview of a deletion and the code that confirms it. */
export type Asked = { memories: Memory[]; confirmation?: string; expiresAt?: string };
/** A pending confirmation. */
export type Confirmation = { ids: string[]; request: string | undefined; expiresAt: number };

/** The storage of pending confirmations: a Durable Object's, or `waitingHere`. */
export interface Waiting {
  get(key: string): Promise<Confirmation | undefined>;
  put(key: string, wish: Confirmation): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  list(options: { prefix: string }): Promise<Map<string, Confirmation>>;
}

/** Stores them in this process. */
export function waitingHere(): Waiting {
  const kept = new Map<string, Confirmation>();
  return {
    get: async (key) => kept.get(key),
    put: async (key, wish) => kept.set(key, wish),
    delete: async (key) => kept.delete(key),
    list: async ({ prefix }) => new Map([...kept].filter(([key]) => key.startsWith(prefix))),
  };
}

/** Both steps. `missing(message)` throws a `not_found` error. */
export function wishes(waiting: Waiting, missing: (message: string) => never) {
  const meant = async (memories: Memories, { ids, request }: Wish): Promise<Memory[]> => {
    if (ids === undefined) return (await memories.previewDelete(request ?? '')).memories.map(({ memory }) => memory);
    return Promise.all(
      ids.map(async (id) => {
        const memory = await memories.get(id);
        return memory.deletedAt === undefined ? memory : missing(`no memory has the id ${id}`);
      }),
    );
  };
  return {
    /** Previews a deletion; nothing is deleted. */
    async askToHide(memories: Memories, wish: Wish): Promise<Asked> {
      const found = await meant(memories, wish);
      if (found.length === 0) return { memories: [] };
      const others = [...(await waiting.list({ prefix: PREFIX }))].sort(([, a], [, b]) => a.expiresAt - b.expiresAt);
      for (const [key] of others.slice(0, Math.max(0, others.length + 1 - MOST_WISHES))) await waiting.delete(key);
      const confirmation = crypto.randomUUID();
      const expiresAt = Date.now() + PATIENCE;
      await waiting.put(`${PREFIX}${confirmation}`, { ids: found.map(({ id }) => id), request: wish.request, expiresAt });
      return { memories: found, confirmation, expiresAt: new Date(expiresAt).toISOString() };
    },
    /** Deletes the previewed memories. The owner can restore them from the log. */
    async hide(memories: Memories, confirmation: string): Promise<LogEntry> {
      const key = `${PREFIX}${confirmation}`;
      const asked = await waiting.get(key);
      if (asked === undefined || asked.expiresAt < Date.now()) return missing('this confirmation was never asked for, was used, or is too old');
      const { entry } = await memories.delete(asked.ids, { request: [...`a tool: ${asked.request ?? 'forget'}`].slice(0, 998).join('') });
      await waiting.delete(key);
      return entry;
    },
    /** Removes expired confirmations. */
    async drop(): Promise<void> {
      for (const [key, { expiresAt }] of await waiting.list({ prefix: PREFIX })) if (expiresAt < Date.now()) await waiting.delete(key);
    },
  };
}
