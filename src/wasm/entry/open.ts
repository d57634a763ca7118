// Implements `open` and the package's other functions, over an entry-specific way to load the engine.
import { checkFinite, invalid, refuseUnknown, object } from './arguments.js';
import { Changes, type MissedChanges } from './changes.js';
import { LocalMemory, running, type Load, type Opened } from './engine.js';
import type { Embedder } from './embeddings.js';
import { MemfoldError, guarded, typed } from './error.js';
import { withSuggestion, closestName } from './hints.js';
import type { Signal, WasmSource } from './host.js';
import { Memories } from './memories.js';
import { analystOf, embedderPort, modelPort, type EmbedderOptions, type Endpoint, type EndpointReport, type ModelAnalyst, type ModelOptions, type SpokenAnalyst } from './model.js';
import * as places from './place.js';
import type { ObjectStorage, Place, Scope } from './place.js';
import { probe } from './probe.js';
import type { HearsTrouble } from './troubles.js';
import type { Comparison, Draft, LogEntry, Mode, PolicyChange, OpenOptions as Settings, Written } from './types.js';

/** Options for opening a memory. All are optional. */
export interface OpenOptions extends Omit<Settings, 'policy'>, ModelOptions, EmbedderOptions {
  /** The decision policy: a mode or custom settings; `balanced` by default. */
  policy?: Mode | PolicyChange;
  /** In Node, Deno and Bun: the SQLite file of this memory, created if missing. `:memory:` is lost when the process ends. */
  path?: string;
  /** In a Cloudflare Worker: `ctx.storage` of a SQLite-backed Durable Object. */
  storage?: ObjectStorage;
  /** Selects one of several isolated memories in one database; required if there are several. */
  scope?: Scope;
  /** Whether to ask the browser for persistent storage; true by default. `durability` tells the result. */
  persist?: boolean;
  /**
   * Called for each failed request to a model or embedder and each refused part of a reply, soon after the call or
   * during a long one.
   */
  onTrouble?: HearsTrouble;
  /** The engine's wasm file or its URL, if it is not found next to the script. Only the first call uses it. */
  wasm?: WasmSource;
}

/** Options of `compare`. */
export interface CompareOptions {
  mode?: Mode;
  /** Classifies the pair if it has `judge` and the local analyst is unsure. */
  embedder?: Embedder;
}

/** The functions of the package. */
export interface Face {
  open(options?: OpenOptions): Promise<Memories>;
  /** Loads the engine, so that the first `open` is faster. */
  preload(options?: { wasm?: WasmSource }): Promise<void>;
  compare(existing: Draft, next: Draft, options?: CompareOptions): Promise<Comparison>;
  endpointAnalyst(endpoint: Endpoint): SpokenAnalyst;
  testEndpoint(model: Endpoint | ModelAnalyst, options?: { signal?: Signal; timeout?: number }): Promise<EndpointReport>;
}

/**
 * The package's functions, and access to the running memory for the worker entry.
 * @internal
 */
export interface InternalApi extends Face {
  run(options: OpenOptions | undefined): Promise<{ running: LocalMemory; name: string; elsewhere: boolean }>;
}

/** Options that are handled here and not by the engine. */
const OWN = ['analyst', 'analystName', 'endpoint', 'analystTimeout', 'embeddings', 'embedder', 'embedderTimeout', 'storage', 'path', 'scope', 'persist', 'onTrouble', 'wasm'];

/** Adds the options handled here, and a suggestion, to an unknown-field error of the engine. */
function withOptionNames(error: MemfoldError): MemfoldError {
  if (error.code !== 'unknown_field' || error.field === undefined) return error;
  const [all] = /^unknown field `[^`.]*`, expected one of `.*`(?=; did you mean|$)/.exec(error.message) ?? [];
  if (all !== undefined) return new MemfoldError(error.code, withSuggestion(`${all}${OWN.map((name) => `, \`${name}\``).join('')}`), { field: error.field });
  const name = error.message.endsWith('`?') ? undefined : closestName(error.field, OWN);
  return name === undefined ? error : new MemfoldError(error.code, `${error.message}; did you mean \`${name}\`?`, { field: error.field });
}

/** Opens a SQLite file, on hosts with a file system. */
type OpenFile = (path: string, scope: Scope | undefined, strict: boolean) => Promise<Place>;

/**
 * The change made by a log entry.
 * @internal
 */
export const written = ({ seq, id, action = 'consolidate', decision, touched }: LogEntry): Written => ({ seq, entry: id, action, decision, ids: touched });

/**
 * Creates the package's functions. `load` is called once, at the first use.
 * @internal
 */
export function createApi(load: Load, file?: OpenFile): InternalApi {
  const ready = running(load);

  /** Selects the storage for these options. */
  async function selectPlace({ path, storage, scope, persist = true, store, name, durability }: OpenOptions): Promise<Place> {
    if (storage !== undefined && !(storage?.sql && typeof storage.transactionSync === 'function')) {
      throw invalid('storage', 'is not the storage of a SQLite-backed Durable Object');
    }
    if (typeof persist !== 'boolean') throw invalid('persist', 'is not true or false');
    if (path !== undefined && (storage ?? store) !== undefined) throw invalid('path', `and \`${storage ? 'storage' : 'store'}\` exclude each other`);
    if (scope !== undefined) places.scopeName(scope);
    if (storage !== undefined) return places.tables(storage, scope, { store: 'object', lasts: 'persistent' });
    if (path !== undefined) {
      if (!file) throw new MemfoldError('unsupported', 'this host has no file system: `path` is for Node, Deno and Bun', { field: 'path' });
      return file(path, scope, durability === 'strict');
    }
    const hasDatabase = typeof globalThis.indexedDB === 'object';
    if (store === 'memory' || (store === undefined && !hasDatabase)) {
      if (store === undefined) places.warn(places.process.durability);
      return places.process;
    }
    // The engine reports these invalid options.
    if ((store !== 'indexeddb' && store !== undefined) || (name !== undefined && typeof name !== 'string')) return places.process;
    if (!hasDatabase) throw new MemfoldError('unsupported', 'this host has no IndexedDB', { field: 'store' });
    return places.indexedDatabase(name ?? 'memfold', scope, persist);
  }

  /** Opens and closes a temporary in-memory store, so that the engine validates the options. */
  async function validate(settings: Settings, model: object | undefined, elsewhere: object | undefined): Promise<void> {
    const instance = await ready();
    try {
      const engine = await instance.call(() => instance.engine.openEngine({ ...settings, store: 'memory' }, model, undefined, elsewhere));
      await instance.call(() => engine.close());
      engine.free();
    } catch (error) {
      throw withOptionNames(typed(error));
    }
  }

  const run: InternalApi['run'] = async (options) => {
    const all = object(options, 'options');
    const { analyst, analystName, endpoint, analystTimeout, embeddings, embedder, embedderTimeout, storage: _, path: __, scope, persist: ___, onTrouble, wasm, ...given } = all;
    checkFinite(given);
    if (onTrouble !== undefined && typeof onTrouble !== 'function') throw invalid('onTrouble', 'is not a function');
    const model = modelPort({ analyst, analystName, endpoint, analystTimeout } as ModelOptions);
    const elsewhere = embedderPort({ embeddings, embedder, embedderTimeout } as EmbedderOptions);
    if (wasm !== undefined) ready.use(wasm);
    // JSON drops functions, so the engine would not reject them.
    const odd = Object.keys(given).find((name) => typeof given[name as keyof typeof given] === 'function');
    if (odd !== undefined) throw withOptionNames(new MemfoldError('unknown_field', `unknown field \`${odd}\``, { field: odd }));
    const { policy, ...rest } = given;
    // A mode's name is short for its policy.
    const settings: Settings = { ...rest, ...(policy === undefined ? {} : { policy: typeof policy === 'string' ? { mode: policy } : policy }) };
    // Opening SQLite creates a file or tables, so validate the options before.
    if (all.path !== undefined || all.storage !== undefined) await validate(settings, model, elsewhere);
    const place = await selectPlace(all);
    const named: Settings = { ...settings, ...(place.database !== undefined && { name: place.database }) };
    // `changes` refers to `held`, which is created after it.
    let held: LocalMemory | undefined;
    const missed: MissedChanges = {
      last: async () => (await held!.call('log', [{ newestFirst: true, limit: 1 }]))[0].map(written)[0],
      after: async (after) => (await held!.call('log', [{ after }]))[0].map(written),
      cleared: async () => held?.caughtUp(),
      replaced: async () => held?.anew(),
    };
    const changes = new Changes(place.shared, missed, place.version);
    const begin = async (): Promise<Opened> => {
      const instance = await ready();
      const told = (news: Written[]) => changes.written(news);
      return { instance, engine: await instance.call(() => instance.engine.openEngine(named, model, place.storage as unknown as DurableObjectStorage, elsewhere, told)) };
    };
    try {
      const whom = { model: model !== undefined, embeds: elsewhere !== undefined, endpoint: endpoint !== undefined, embeddings: embeddings !== undefined };
      held = new LocalMemory(await begin(), begin, place, changes, whom);
      if (onTrouble) held.troubles.subscribe(onTrouble);
    } catch (error) {
      changes.close();
      place.close();
      throw withOptionNames(typed(error));
    }
    const own = scope === undefined ? '' : places.scopeName(scope);
    return { running: held, name: `${place.shared ?? named.name ?? 'memfold'}${own}`, elsewhere: elsewhere !== undefined };
  };

  return {
    run,
    open: (options) =>
      guarded(async () => {
        const { running, name, elsewhere } = await run(options);
        return Memories.over(running, name, elsewhere, options?.zone);
      }),
    preload: (options) =>
      guarded(async () => {
        const { wasm, ...unknown } = object(options, 'options');
        refuseUnknown(unknown, ['wasm']);
        if (wasm !== undefined) ready.use(wasm);
        await ready();
      }),
    compare: (existing, next, options) =>
      guarded(async () => {
        const { mode = 'balanced', embedder, ...unknown } = object(options, 'options');
        refuseUnknown(unknown, ['mode', 'embedder']);
        const elsewhere = embedderPort(embedder === undefined ? {} : { embedder });
        const [stored, made] = [object(existing ?? null, 'existing'), object(next ?? null, 'next')];
        const instance = await ready();
        if (elsewhere) return instance.call(() => instance.engine.compareJudged(stored, made, mode, elsewhere));
        return instance.now(() => instance.engine.compareDrafts(stored, made, mode));
      }),
    endpointAnalyst: (endpoint) => analystOf(ready, endpoint),
    testEndpoint: (model, options) => guarded(() => probe(model, object(options, 'options') as never, ready)),
  };
}
