// Small values in chrome.storage: settings, the key, and status for the pages.
import { tidied } from '../../../shared/never';
import { DEFAULTS, type Dialect, type Import, type Loss, type Pause, type Rest, type Settings } from '../messages';

/** The origin and API that a key is for. */
export type Use = { origin: string; dialect: Dialect };

/** A key encrypted with the owner's passphrase, bound to its origin and API. */
export type Wrapped = { salt: string; iv: string; data: string } & Use;

/** The values in chrome.storage.local. */
export type Kept = {
  settings: Partial<Settings>;
  /** The last seen database id, and whether the database had data. */
  epoch: { id: string; entries: number };
  loss: Loss;
  missing: string[];
  import: Import;
  key: Wrapped;
  copiedAt: number;
  welcomed: true;
  rest: Rest;
  /** When the digest was last shown. */
  digestAt: number;
};

export async function kept<K extends keyof Kept>(name: K): Promise<Kept[K] | undefined> {
  return ((await chrome.storage.local.get(name)) as Partial<Kept>)[name];
}
export const keep = <K extends keyof Kept>(name: K, value: Kept[K]): Promise<void> => chrome.storage.local.set({ [name]: value });
export const discard = (...names: (keyof Kept)[]): Promise<void> => chrome.storage.local.remove(names);

export const settings = async (): Promise<Settings> => ({ ...DEFAULTS, ...(await kept('settings')) });

const text = (value: unknown, most: number): string => (typeof value === 'string' ? value.trim().slice(0, most) : '');
const texts = (value: unknown): string[] => (Array.isArray(value) ? [...new Set(value.map((v) => text(v, 320)).filter(Boolean))].slice(0, 500) : []);
const whole = (value: unknown, most: number): number => (Number.isFinite(value) ? Math.min(Math.max(Math.trunc(value as number), 0), most) : 0);

/** Longer pauses are rejected, because they would be forgotten. */
const MAX_PAUSE = 31 * 86_400_000;
function pauses(value: unknown): Pause[] {
  const now = Date.now();
  const given = (Array.isArray(value) ? value : []) as Record<string, unknown>[];
  return given.slice(0, 200).flatMap((p) => {
    const of = (['all', 'sender', 'label'] as const).find((o) => o === p?.of);
    const name = of === 'all' ? '' : text(p?.name, 320);
    const until = p?.until === null ? null : whole(p?.until, now + MAX_PAUSE);
    return of && (of === 'all' || name) && (until === null || until > now) ? [{ of, name: of === 'sender' ? name.toLowerCase() : name, until }] : [];
  });
}

/** Valid settings from any input. */
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

/** The endpoint's key for this browser session, with its origin and API. */
export const key = async (origin: string, dialect: Dialect): Promise<string | undefined> => {
  const { key: found } = (await chrome.storage.session.get('key')) as { key?: { value: string } & Use };
  return found?.origin === origin && found.dialect === dialect ? found.value : undefined;
};

/**
 * Additional authenticated data of a wrapped key: it cannot be decrypted for another origin or API.
 */
const sealedWith = ({ origin, dialect }: Use): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(['memfold/key', origin, dialect]));

/** Stores a key for the session and, with a passphrase, encrypted beyond it. */
export async function saveKey(value: string, { origin, dialect }: Use, passphrase?: string): Promise<void> {
  await chrome.storage.session.set({ key: { value, origin, dialect } });
  if (!passphrase) return discard('key');
  const [salt, iv] = [crypto.getRandomValues(new Uint8Array(16)), crypto.getRandomValues(new Uint8Array(12))];
  const by = await wrapping(passphrase, salt, 'encrypt');
  const data = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: sealedWith({ origin, dialect }) }, by, new TextEncoder().encode(value));
  await keep('key', { salt: base64(salt), iv: base64(iv), data: base64(new Uint8Array(data)), origin, dialect });
}

/** Decrypts the stored key for this session; `false` for a wrong passphrase or changed data. */
export async function unlockKey(passphrase: string): Promise<boolean> {
  const wrapped = await kept('key');
  if (!wrapped) return false;
  try {
    const by = await wrapping(passphrase, unbase64(wrapped.salt), 'decrypt');
    const { origin, dialect } = wrapped;
    const data = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: unbase64(wrapped.iv), additionalData: sealedWith({ origin, dialect }) },
      by,
      unbase64(wrapped.data),
    );
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
