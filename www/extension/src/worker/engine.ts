// The one engine of the worker: opened when first needed, with the settings as they stand, over a database whose loss is
// noticed and made good from the second copy. It decides nothing about who may ask for what.
import { open, type Memories, type OpenOptions } from 'memfold';
import type { Loss } from '../messages';
import { drop, fact, note, removed } from './base';
import { embedder } from './encoder';
import { patiently } from './fault';
import { read, remove, write } from './files';
import { discard, keep, kept, key, settings } from './keep';
import { builtIn } from './model';
import { tell } from './news';

export const DATABASE = 'memfold';
/** Who says of a mail in Gmail that its sender is proven. */
const GMAIL_HOST = 'mx.google.com';
let opening: Promise<Memories> | undefined;
/** Whether it was opened with Chrome's own model to ask, and whether with any. */
let withModel = false;
let withAny = false;

/** The address that a key belongs to. */
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
    name: DATABASE, owner, mailHosts: [GMAIL_HOST], important, mask, ...(dailyTokens > 0 ? { dailyTokens } : {}),
    ...(encoder ? { embedder: embedder() } : {}),
  };
  if (endpoint) {
    const origin = originOf(endpoint.url);
    const allowed = await chrome.permissions.contains({ origins: [`${origin.replace(/:\d+$/, '')}/*`] }).catch(() => false);
    const secret = await key(origin, endpoint.dialect);
    const locked = secret === undefined && (await kept('key')) !== undefined;
    withAny = allowed && !locked;
    if (withAny) return { ...given, endpoint: { ...endpoint, ...(secret ? { key: secret } : {}) } };
  } else if (wished) {
    const analyst = await builtIn();
    withModel = withAny = analyst !== undefined;
    if (analyst) return { ...given, analyst };
  }
  return given;
}

/** While everything is erased, nobody opens the database: an engine that did would lose it, and never find it again. */
let erasing: Promise<unknown> | undefined;

/** The open engine. */
export function memories(): Promise<Memories> {
  if (erasing) return erasing.then(memories);
  opening ??= opened();
  opening.catch(() => (opening = undefined));
  return opening;
}

/** Closes it; the next call opens it with the settings of then. */
export async function close(): Promise<void> {
  const was = opening;
  opening = undefined;
  await (await was?.catch(() => undefined))?.close();
}

/** Sees to it that there is an engine that answers. */
export async function works(): Promise<void> {
  try {
    await patiently(async () => (await memories()).list({ limit: 1 }));
  } catch (reason) {
    // One that is closed, or was lost, is opened once more.
    if (opening === undefined) throw reason;
    await anew();
  }
}

/** Whether an engine has lost its database for good, to whoever deleted it. Then the next call opens another. */
export async function isLost(engine: Memories, code: string): Promise<boolean> {
  if (code !== 'connection_lost') return false;
  if ((await opening?.catch(() => undefined)) === engine) await close();
  return true;
}

/** Whether it was opened without a model; nothing is opened to know it. */
export async function lacksModel(): Promise<boolean> {
  if ((await opening?.catch(() => undefined)) === undefined) return false;
  return !withAny;
}

/** Gives it up for another: one that has failed in an unforeseen way may never answer again, nor close. */
export async function anew(): Promise<void> {
  opening = undefined;
  await patiently(async () => (await memories()).list({ limit: 1 }));
}

/** Opens it anew where a page that can ask Chrome's model has come or gone. */
export async function refit(): Promise<void> {
  const { endpoint, builtIn: wished } = await settings();
  if (opening && wished && !endpoint && ((await builtIn()) !== undefined) !== withModel) await close();
}

async function opened(): Promise<Memories> {
  const [engine, marker, id] = [await open(await options()), await kept('epoch'), await fact('epoch')];
  engine.subscribe(tell);
  // One memory is soon found; only where there is none is the log looked at, which stays when all was forgotten.
  const first = (await engine.list({ limit: 1, includeSuperseded: true }))[0] ?? (await engine.data.log({ limit: 1 }))[0];
  if (marker && (id !== marker.id || (marker.entries > 0 && !first))) {
    if (!first && marker.entries > 0) await restored(engine);
    await begun();
  } else if (!marker) {
    await begun();
  }
  const now = await kept('epoch');
  // From now on an empty database is a lost one.
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

/** That something is stored now: its absence would be a loss. */
export async function stored(): Promise<void> {
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

/** Writes the second copy anew. Never from an engine that has not looked for a loss first. */
export async function copy(): Promise<void> {
  const text = await (await memories()).data.export();
  await write('copy', through(new Blob([text]), new CompressionStream('gzip')));
  await keep('copiedAt', Date.now());
}

/** Everything gone: memories, copy, queue, settings. What follows is a first run that reads no more than its owner has let it. */
export async function erase(): Promise<void> {
  while (erasing) await erasing;
  const work = untilFree(erased);
  erasing = work.catch(() => undefined).finally(() => (erasing = undefined));
  await work;
}

/** Whether something else holds what is to go: a connection that ends its work before it closes, or a copy that is being written. */
const isHeld = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'blocked' || (error instanceof DOMException && error.name === 'NoModificationAllowedError');

/** Does it again where what was begun before still holds it. */
async function untilFree(work: () => Promise<void>, tries = 10): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (tries === 0 || !isHeld(error)) throw error;
    await new Promise((resolve) => setTimeout(resolve, 200));
    await untilFree(work, tries - 1);
  }
}

async function erased(): Promise<void> {
  const { read: what, label, ignorePeople, ignoreLabels, ignoreTopics, pauses } = await settings();
  // In one step: nobody ever finds that everything is read again.
  await keep('settings', { read: what, label, ignorePeople, ignoreLabels, ignoreTopics, pauses });
  await discard('epoch', 'loss', 'missing', 'import', 'copiedAt', 'key', 'rest', 'digestAt');
  await chrome.storage.session.clear();
  await close();
  for (const name of ['copy', 'archive', 'given', 'export'] as const) await remove(name);
  await drop();
  for (const { name } of await indexedDB.databases()) if (name?.includes(DATABASE)) await removed(name);
}
