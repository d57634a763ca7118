// The worker's only engine: opened when needed with the current settings. A lost database is
// detected and restored from the backup copy.
import { open, type Memories, type OpenOptions } from 'memfold';
import type { Loss } from '../messages';
import { drop, fact, note, removed } from './base';
import { embedder } from './encoder';
import { withPatience } from './fault';
import { read, remove, write } from './files';
import { discard, keep, kept, key, settings } from './keep';
import { builtIn } from './model';
import { tell } from './news';

export const DATABASE = 'memfold';
/** The host whose authentication results are trusted. */
const GMAIL_HOST = 'mx.google.com';
let opening: Promise<Memories> | undefined;
/** Whether it was opened with Chrome's model, and whether with any model. */
let withModel = false;
let withAny = false;

/** The origin of a URL, for its key. */
export const originOf = (url: string): string => {
  try {
    return new URL(url).origin;
  } catch {
    return '';
  }
};

async function options(): Promise<OpenOptions> {
  const { owner, important, endpoint, dailyTokens, mask, builtIn: wished, encoder } = await settings();
  withModel = withAny = false;
  const given: OpenOptions = {
    name: DATABASE,
    owner,
    mail: { hosts: [GMAIL_HOST], important },
    ...(encoder ? { embedder: embedder() } : {}),
  };
  const limits = { mask, ...(dailyTokens > 0 ? { dailyTokens } : {}) };
  if (endpoint) {
    const origin = originOf(endpoint.url);
    const allowed = await chrome.permissions.contains({ origins: [`${origin.replace(/:\d+$/, '')}/*`] }).catch(() => false);
    const secret = await key(origin, endpoint.dialect);
    const locked = secret === undefined && (await kept('key')) !== undefined;
    withAny = allowed && !locked;
    if (withAny) return { ...given, model: { ...endpoint, ...(secret ? { key: secret } : {}), ...limits } };
  } else if (wished) {
    const analyst = await builtIn();
    withModel = withAny = analyst !== undefined;
    if (analyst) return { ...given, model: { analyst, ...limits } };
  }
  return given;
}

/** During erasure no engine may open the database, because it would lose it. */
let erasing: Promise<unknown> | undefined;

/** The open engine. */
export function memories(): Promise<Memories> {
  if (erasing) return erasing.then(memories);
  opening ??= opened();
  opening.catch(() => (opening = undefined));
  return opening;
}

/** Closes it; the next call reopens it with the current settings. */
export async function close(): Promise<void> {
  const was = opening;
  opening = undefined;
  await (await was?.catch(() => undefined))?.close();
}

/** Makes sure that the engine answers. */
export async function ensureEngine(): Promise<void> {
  try {
    await withPatience(async () => (await memories()).list({ limit: 1 }));
  } catch (reason) {
    // A closed or lost engine is reopened once.
    if (opening === undefined) throw reason;
    await replaceEngine();
  }
}

/** Whether an engine's database was deleted by others; then the next call opens another. */
export async function isLost(engine: Memories, code: string): Promise<boolean> {
  if (code !== 'connection_lost') return false;
  if ((await opening?.catch(() => undefined)) === engine) await close();
  return true;
}

/** Whether the open engine has no model; opens nothing. */
export async function lacksModel(): Promise<boolean> {
  if ((await opening?.catch(() => undefined)) === undefined) return false;
  return !withAny;
}

/** Replaces it: after an unexpected failure, it may neither answer nor close. */
export async function replaceEngine(): Promise<void> {
  opening = undefined;
  await withPatience(async () => (await memories()).list({ limit: 1 }));
}

/** Reopens it if a page that can call Chrome's model has appeared or gone. */
export async function updateBuiltInModel(): Promise<void> {
  const { endpoint, builtIn: wished } = await settings();
  if (opening && wished && !endpoint && ((await builtIn()) !== undefined) !== withModel) await close();
}

async function opened(): Promise<Memories> {
  const [engine, marker, id] = [await open(await options()), await kept('epoch'), await fact('epoch')];
  engine.subscribe(tell);
  // Looking for one memory is fast; the log is only read without memories, because it remains after
  // erasure.
  const first = (await engine.list({ limit: 1, includeSuperseded: true }))[0] ?? (await engine.log.list({ limit: 1 }))[0];
  if (marker && (id !== marker.id || (marker.entries > 0 && !first))) {
    if (!first && marker.entries > 0) await restored(engine);
    await begun();
  } else if (!marker) {
    await begun();
  }
  const now = await kept('epoch');
  // From now on, an empty database counts as lost.
  if (now && now.entries === 0 && first) await keep('epoch', { ...now, entries: 1 });
  if ((await settings()).encoder) void reembed(engine);
  return engine;
}

/** Embeds what was stored without the encoder. If the encoder fails, as it may while it loads on a busy machine, tries again. If this worker is stopped, the next one continues. */
async function reembed(engine: Memories): Promise<void> {
  for (let tries = 0; tries < 6; tries++) {
    const done = await engine.model.reembed().catch(() => undefined);
    if (!done?.stopped) return;
    await new Promise((resolve) => setTimeout(resolve, 1_000 * 2 ** tries));
  }
}

/** Gives the database a name that stands in two places. */
async function begun(): Promise<void> {
  const id = crypto.randomUUID();
  await note('epoch', id);
  await keep('epoch', { id, entries: (await kept('epoch'))?.entries ?? 0 });
}

/** Records that something is stored, so that an empty database counts as lost. */
export async function markStored(): Promise<void> {
  const marker = await kept('epoch');
  if (marker && marker.entries === 0) await keep('epoch', { ...marker, entries: 1 });
}

const through = (data: Blob, by: CompressionStream | DecompressionStream): ReadableStream<Uint8Array> =>
  data.stream().pipeThrough(by as unknown as ReadableWritablePair<Uint8Array, Uint8Array>);

async function restored(engine: Memories): Promise<void> {
  const copy = await read('copy');
  const loss: Loss = { at: Date.now(), copiedAt: (await kept('copiedAt')) ?? null, memories: 0 };
  if (copy) {
    const text = await new Response(through(copy, new DecompressionStream('gzip'))).text();
    loss.memories = (await engine.data.import(text)).memories;
  }
  await keep('loss', loss);
}

/** Writes the backup copy. The engine must have been checked for a loss first. */
export async function copy(): Promise<void> {
  const text = await (await memories()).data.export();
  await write('copy', through(new Blob([text]), new CompressionStream('gzip')));
  await keep('copiedAt', Date.now());
}

/** Erases memories, backup, queue and settings. Only the reading choices and the list stay. */
export async function erase(): Promise<void> {
  while (erasing) await erasing;
  const work = untilFree(erased);
  erasing = work.catch(() => undefined).finally(() => (erasing = undefined));
  await work;
}

/** Whether a closing connection or a running backup still holds the data. */
const isBlocked = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'blocked' || (error instanceof DOMException && error.name === 'NoModificationAllowedError');

/** Retries while earlier work still holds the data. */
async function untilFree(work: () => Promise<void>, tries = 10): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (tries === 0 || !isBlocked(error)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 200));
    await untilFree(work, tries - 1);
  }
}

async function erased(): Promise<void> {
  const { read: what, label, ignorePeople, ignoreLabels, ignoreTopics, pauses } = await settings();
  // In one write, so that reading is never enabled in between.
  await keep('settings', { read: what, label, ignorePeople, ignoreLabels, ignoreTopics, pauses });
  await discard('epoch', 'loss', 'missing', 'import', 'copiedAt', 'key', 'rest', 'digestAt');
  await chrome.storage.session.clear();
  await close();
  for (const name of ['copy', 'archive', 'given', 'export'] as const) await remove(name);
  await drop();
  for (const { name } of await indexedDB.databases()) if (name?.includes(DATABASE)) await removed(name);
}
