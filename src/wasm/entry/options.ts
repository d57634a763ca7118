// The options of `open`: checks them and arranges them for the engine.
import { checkFinite, invalid, object, refuseUnknown, text } from './arguments.js';
import type { Embedder, EmbeddingsEndpoint } from './embeddings.js';
import { MemfoldError } from './error.js';
import { closestName, withSuggestion } from './hints.js';
import { embedderPort, modelPort, type ModelAnalyst, type ModelOptions } from './model.js';
import type { ObjectStorage, Scope } from './place.js';
import type { StorageAdapter } from './storage.js';
import type { ConfiguredModels, HearsTrouble } from './troubles.js';
import type { MergeStrategy, Mode, OpenOptions as Settings, Policy, SleepFigures, TaggingFigures, ZoneOption } from './types.js';

/** The owner of a memory. */
export interface Owner {
  /** The owner's id, written to every log entry. */
  id?: string;
  /** The owner's mail addresses. */
  addresses?: string[];
}

/** Where a memory is stored. */
export interface StorageOptions {
  /** The browser's IndexedDB, or this process's memory, lost when the process ends. By default IndexedDB if the host has it. */
  store?: 'indexeddb' | 'memory';
  /** In Node, Deno and Bun: the SQLite file of this memory, created if missing. `:memory:` is lost when the process ends. */
  path?: string;
  /** In a Cloudflare Worker: `ctx.storage` of a SQLite-backed Durable Object. */
  object?: ObjectStorage;
  /** Selects one of several isolated memories in one database; required if there are several. */
  scope?: Scope;
  /** Whether to ask the browser for persistent storage; true by default. `durability` of the memory tells the result. */
  persist?: boolean;
  /** `strict` waits until a commit is on disk; `relaxed` by default. */
  durability?: 'relaxed' | 'strict';
}

/** How new memories are decided. */
export interface PolicyOptions extends Partial<Policy> {
  /** How an update merges the fields of both memories. */
  merge?: MergeStrategy;
}

/** How mail is read. */
export interface MailOptions {
  /** Addresses of people whose mail is more important. */
  important?: string[];
  /**
   * Mail hosts whose `Authentication-Results` are trusted, such as `mx.google.com`. By default, the host that received a
   * mail, according to its topmost hop.
   */
  hosts?: string[];
}

/** Settings of sessions and the sleep cycle. */
export interface SleepSettings extends Partial<SleepFigures> {
  /** How the queries of a session are tagged. */
  tagging?: Partial<TaggingFigures>;
  /** The cosine from which two queries count as the same, 0–1; 0.96 by default. */
  tauDup?: number;
}

/** Options for opening a memory. All are optional. */
export interface OpenOptions {
  /** The name of the memory, and of its database in a browser; `memfold` by default. */
  name?: string;
  /** The owner's mail addresses. Their local parts also tell a search the owner's names. */
  owner?: string | string[] | Owner;
  /**
   * The owner's time zone, for days and times of day: an IANA name such as `Europe/London`, an offset such as `+09:00`, or
   * minutes east of UTC. By default, the host's zone.
   */
  zone?: ZoneOption;
  /**
   * Where the memory is stored: `memory` for this process only, a file, a Durable Object, your own store, or by default the
   * browser's IndexedDB.
   */
  storage?: 'indexeddb' | 'memory' | StorageOptions | StorageAdapter;
  /**
   * A language model: an endpoint or a function. It reads mail, notes and chats, and decides when the local analyst is
   * unsure (`balanced`) or for all similar memories (`accurate`). Its replies are checked; on failure, the local decision
   * is used and flagged for review. Except in `fast` mode, it also generates tags and summaries for `sleep.run` and
   * answers for `ask`.
   */
  model?: ModelAnalyst | ModelOptions;
  /**
   * Search by meaning: an embeddings endpoint, your own embedder, or the encoder. The built-in embedder is used on failure,
   * and for memories without its vectors, which `model.reembed` sends to it.
   */
  embedder?: Embedder | EmbeddingsEndpoint;
  /** How new memories are decided: a mode or custom settings; `balanced` by default. */
  policy?: Mode | PolicyOptions;
  /** How mail is read. */
  mail?: MailOptions;
  /** Settings of sessions and the sleep cycle. */
  sleep?: SleepSettings;
  /**
   * Called for each failed request to a model or embedder and each refused part of a reply, soon after the call or during a
   * long one.
   */
  onTrouble?: HearsTrouble;
}

const TOP = ['name', 'owner', 'zone', 'storage', 'model', 'embedder', 'policy', 'mail', 'sleep', 'onTrouble'] as const;

/** The options of each group, and the engine's names of those that it checks. */
const GROUPS: Record<string, Record<string, string>> = {
  owner: { id: 'userId', addresses: 'owner' },
  storage: { store: 'store', durability: 'durability' },
  model: { dailyTokens: 'dailyTokens', mask: 'mask' },
  policy: { merge: 'merge' },
  mail: { important: 'important', hosts: 'mailHosts' },
  sleep: { tauDup: 'tauDup', tagging: 'tagging' },
};
const STORAGE = [...Object.keys(GROUPS.storage!), 'path', 'object', 'scope', 'persist'];

/** Where options of earlier builds are now. */
const MOVED: Record<string, string> = {
  ...Object.fromEntries(Object.entries(GROUPS).flatMap(([group, names]) => Object.entries(names).map(([name, old]) => [old, `${group}.${name}`]))),
  path: 'storage.path',
  scope: 'storage.scope',
  persist: 'storage.persist',
  form: 'model.form',
  endpoint: 'model',
  analyst: 'model',
  analystName: 'model.name',
  analystTimeout: 'model.timeout',
  embeddings: 'embedder',
  embedderTimeout: 'embedder.timeout',
  wasm: 'preload({ wasm })',
};

/** Public paths of the fields in errors of the engine and of the host's stores. */
const PATHS: [RegExp, string][] = [
  ...Object.entries(GROUPS).flatMap(([group, names]) =>
    Object.entries(names).map(([name, own]): [RegExp, string] => [new RegExp(`^${own}\\b`), `${group}.${name}`]),
  ),
  [/^(path|scope)\b/, 'storage.$1'],
  [/^endpoint\b/, 'model'],
  [/^embeddings\b/, 'embedder'],
];

/**
 * An error about an option, with its full path.
 * @internal
 */
export function withPath(error: MemfoldError, options: OpenOptions | undefined): MemfoldError {
  const { code, message, field, retryable, cause, dependents } = error;
  if (field === undefined || !['invalid_field', 'unknown_field', 'invalid_input', 'unsupported', 'blocked', 'corrupt', 'storage'].includes(code)) return error;
  const [from, to] = PATHS.find(([name]) => name.test(field)) ?? [/^/, ''];
  // A list of addresses is the owner itself.
  const isList = to === 'owner.addresses' && (typeof options?.owner === 'string' || Array.isArray(options?.owner));
  const path = isList ? field : field.replace(from, to);
  const [group = ''] = path.split('.');
  const [all] = code === 'unknown_field' ? (/^unknown field `[^`]*`, expected (?:one of )?`.*`(?=; did you mean|$)/.exec(message) ?? []) : [];
  const more = Object.keys(GROUPS[group] ?? {})
    .map((name) => `, \`${name}\``)
    .join('');
  const said = all === undefined || path.split('.').length > 2 ? message.replace(`\`${field}\``, `\`${path}\``) : withSuggestion(`${all}${more}`);
  return new MemfoldError(code, said, { retryable, field: path, cause, dependents });
}

/** The options as the engine and the host take them. */
export interface Chosen {
  name: string | undefined;
  settings: Settings;
  storage: StorageOptions & { adapter?: StorageAdapter };
  model: object | undefined;
  embedder: object | undefined;
  whom: ConfiguredModels;
  onTrouble: HearsTrouble | undefined;
}

function checkNames(options: OpenOptions): void {
  const extra = Object.keys(options).find((name) => !(TOP as readonly string[]).includes(name));
  if (extra === undefined) return;
  const old = closestName(extra, TOP) === undefined && closestName(extra, Object.keys(MOVED));
  if (!old) return refuseUnknown({ [extra]: 1 }, TOP);
  const now = `\`${MOVED[old]}\``;
  throw new MemfoldError('unknown_field', `unknown field \`${extra}\`${old === extra ? `: it is now ${now}` : `; did you mean ${now}?`}`, { field: extra });
}

function storageOf(storage: OpenOptions['storage']): Chosen['storage'] {
  const given: StorageOptions & Partial<StorageAdapter> = typeof storage === 'string' ? { store: storage } : object(storage, 'storage');
  if (typeof given.commit === 'function') {
    for (const name of ['get', 'list'] as const) if (typeof given[name] !== 'function') throw invalid('storage', `is an adapter without \`${name}\``);
    return { adapter: given as StorageAdapter };
  }
  if ((given as Partial<ObjectStorage>).sql !== undefined)
    throw invalid('storage', 'is the storage of a Durable Object: pass it as `storage: { object: ctx.storage }`');
  refuseUnknown(Object.fromEntries(Object.entries(given).filter(([name]) => !STORAGE.includes(name))), STORAGE, 'storage.');
  const { object: tables, store, durability, path, persist = true } = given;
  if (!['indexeddb', 'memory'].includes(store ?? 'memory')) throw invalid('storage.store', 'is not `indexeddb` or `memory`');
  if (!['relaxed', 'strict'].includes(durability ?? 'relaxed')) throw invalid('storage.durability', 'is not `relaxed` or `strict`');
  if (tables !== undefined && !(tables?.sql && typeof tables.transactionSync === 'function'))
    throw invalid('storage.object', 'is not the storage of a SQLite-backed Durable Object');
  if (typeof persist !== 'boolean') throw invalid('storage.persist', 'is not true or false');
  if (path !== undefined && (tables ?? store) !== undefined) throw invalid('storage.path', `and \`storage.${tables ? 'object' : 'store'}\` exclude each other`);
  return given;
}

const defined = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;

/** @internal */
export function chosen(options: OpenOptions | undefined): Chosen {
  const all = object(options, 'options');
  checkNames(all);
  const { name, owner, zone, policy, onTrouble } = all;
  if (onTrouble !== undefined && typeof onTrouble !== 'function') throw invalid('onTrouble', 'is not a function');
  const storage = storageOf(all.storage);
  const model = modelPort(all.model);
  const mail = object(all.mail, 'mail');
  refuseUnknown((({ important: _, hosts: __, ...unknown }) => unknown)(mail), Object.keys(GROUPS.mail!), 'mail.');
  const whose = typeof owner === 'string' ? { addresses: [owner] } : Array.isArray(owner) ? { addresses: owner } : object(owner, 'owner');
  refuseUnknown((({ id: _, addresses: __, ...unknown }) => unknown)(whose as Owner), Object.keys(GROUPS.owner!), 'owner.');
  const { merge, ...figures } = typeof policy === 'string' ? { mode: policy, merge: undefined } : object(policy, 'policy');
  const { tagging, tauDup, ...sleep } = object(all.sleep, 'sleep');
  if (name !== undefined && name !== null) text(name, 'name');
  const settings = defined({
    zone,
    userId: whose.id,
    owner: whose.addresses,
    policy: policy === undefined ? undefined : figures,
    merge,
    important: mail.important,
    mailHosts: mail.hosts,
    ...model.settings,
    tauDup,
    tagging,
    sleep: all.sleep === undefined ? undefined : sleep,
  }) as Settings;
  checkFinite({ owner, zone, storage: { ...storage, object: undefined, adapter: undefined }, model: model.settings, policy, mail, sleep: all.sleep });
  // JSON drops functions, so the engine would not reject them.
  const plain = {
    '': { name, zone },
    owner: whose,
    storage: { ...storage, object: undefined, adapter: undefined },
    policy: figures,
    mail,
    sleep: all.sleep ?? {},
  };
  for (const [group, fields] of Object.entries(plain)) {
    const [of] = Object.entries(fields).find(([, value]) => typeof value === 'function') ?? [];
    if (of !== undefined) throw invalid(group ? `${group}.${of}` : of, 'is a function');
  }
  const embedder = embedderPort(all.embedder);
  const isEndpoint = (port: object | undefined) => port !== undefined && 'endpoint' in port;
  return {
    name: name ?? undefined,
    settings,
    storage,
    model: model.port,
    embedder,
    onTrouble,
    whom: { model: model.port !== undefined, embeds: embedder !== undefined, endpoint: isEndpoint(model.port), embeddings: isEndpoint(embedder) },
  };
}
