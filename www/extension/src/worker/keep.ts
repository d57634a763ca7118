// What is kept beside the databases, in chrome.storage: settings, the key, and what the pages are told. Small values only.
import { tidied } from '../../../shared/never';
import { DEFAULTS, type Dialect, type Import, type Loss, type Pause, type Rest, type Settings } from '../messages';

/** Where a key may be sent, and by which interface. */
export type Use = { origin: string; dialect: Dialect };

/** A key that its owner chose to keep: readable only with their passphrase, and only for the use that it was saved for. */
export type Wrapped = { salt: string; iv: string; data: string } & Use;

/** What stands in chrome.storage.local. */
export type Kept = {
  settings: Partial<Settings>;
  /** The name of the database as it was last seen, and whether anything was in it. */
  epoch: { id: string; entries: number };
  loss: Loss;
  missing: string[];
  import: Import;
  key: Wrapped;
  copiedAt: number;
  welcomed: true;
  rest: Rest;
  /** When the digest was told last. */
  digestAt: number;
};

export async function kept<K extends keyof Kept>(name: K): Promise<Kept[K] | undefined> {
  return ((await chrome.storage.local.get(name)) as Partial<Kept>)[name];
}
export const keep = <K extends keyof Kept>(name: K, value: Kept[K]): Promise<void> => chrome.storage.local.set({ [name]: value });
export const discard = (...names: (keyof Kept)[]): Promise<void> => chrome.storage.local.remove(names);

export const settings = async (): Promise<Settings> => ({ ...DEFAULTS, ...(await kept('settings')) });

const text = (value: unknown, most: number): string => (typeof value === 'string' ? value.trim().slice(0, most) : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? [...new Set(value.map((v) => text(v, 320)).filter(Boolean))].slice(0, 500) : [];
const whole = (value: unknown, most: number): number => (Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value as number), 0), most) : 0);

/** A longer pause is none: it would be forgotten. */
const LONGEST = 31 * 86_400_000;
function pauses(value: unknown): Pause[] {
  const now = Date.now();
  const given = (Array.isArray(value) ? value : []) as Record<string, unknown>[];
  return given.slice(0, 200).flatMap((p) => {
    const of = (['all', 'sender', 'label'] as const).find((o) => o === p?.of);
    const name = of === 'all' ? '' : text(p?.name, 320);
    const until = p?.until === null ? null : whole(p?.until, now + LONGEST);
    return of && (of === 'all' || name) && (until === null || until > now) ? [{ of, name: of === 'sender' ? name.toLowerCase() : name, until }] : [];
  });
}

/** Settings as they may be kept, whatever was handed in. */
export function checked(given: unknown): Settings {
  const g = (given ?? {}) as Record<string, unknown>;
  const e = g.endpoint as Record<string, unknown> | null | undefined;
  const never = tidied({ people: texts(g.ignorePeople), topics: texts(g.ignoreTopics) });
  const dialect = (['openai', 'anthropic', 'gemini'] as const).find((d) => d === e?.dialect);
  return {
    read: (['never', 'open', 'label'] as const).find((r) => r === g.read) ?? DEFAULTS.read,
    label: text(g.label, 225),
    ignorePeople: never.people,
    ignoreTopics: never.topics,
    ignoreLabels: texts(g.ignoreLabels),
    pauses: pauses(g.pauses),
    retentionDays: whole(g.retentionDays, 36_500),
    dailyTokens: whole(g.dailyTokens, 100_000_000),
    owner: texts(g.owner),
    important: texts(g.important),
    endpoint: e && dialect ? { dialect, url: text(e.url, 2_000), model: text(e.model, 200) } : null,
    builtIn: g.builtIn === true,
    encoder: g.encoder !== false,
    mask: g.mask !== false,
    digest: g.digest === true,
  };
}

export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
export const unbase64 = (words: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(words), (c) => c.charCodeAt(0));
const ROUNDS = 600_000;

async function wrapping(passphrase: string, salt: Uint8Array<ArrayBuffer>, use: KeyUsage): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', new TextEncoder().encode(passphrase.normalize()), 'PBKDF2', false, ['deriveKey']);
  return crypto.subtle.deriveKey({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ROUNDS }, secret, { name: 'AES-GCM', length: 256 }, false, [use]);
}

/** The key of an endpoint, for this session; gone when the browser is closed. What it is for goes with it. */
export const key = async (origin: string, dialect: Dialect): Promise<string | undefined> => {
  const { key: found } = (await chrome.storage.session.get('key')) as { key?: { value: string } & Use };
  return found?.origin === origin && found.dialect === dialect ? found.value : undefined;
};

/** What a wrapped key is sealed together with: with another origin or dialect beside it, it does not open. */
const sealedWith = ({ origin, dialect }: Use): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(['memfold/key', origin, dialect]));

/** Keeps a key for the session; with a passphrase, wrapped by it, beyond. */
export async function saveKey(value: string, { origin, dialect }: Use, passphrase?: string): Promise<void> {
  await chrome.storage.session.set({ key: { value, origin, dialect } });
  if (!passphrase) return discard('key');
  const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
  const by = await wrapping(passphrase, salt, 'encrypt');
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: sealedWith({ origin, dialect }) }, by, new TextEncoder().encode(value));
  await keep('key', { salt: base64(salt), iv: base64(iv), data: base64(new Uint8Array(data)), origin, dialect });
}

/** Unwraps the kept key for this session; `false` for a wrong passphrase, and where what stands beside the key was changed. */
export async function unlockKey(passphrase: string): Promise<boolean> {
  const wrapped = await kept('key');
  if (!wrapped) return false;
  try {
    const by = await wrapping(passphrase, unbase64(wrapped.salt), 'decrypt');
    const { origin, dialect } = wrapped;
    const data = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: unbase64(wrapped.iv), additionalData: sealedWith({ origin, dialect }) }, by, unbase64(wrapped.data));
    await chrome.storage.session.set({ key: { value: new TextDecoder().decode(data), origin, dialect } });
    return true;
  } catch {
    return false;
  }
}

export async function dropKey(): Promise<void> {
  await chrome.storage.session.remove('key');
  await discard('key');
}
