// Implements `open` and the package's other functions, over an entry-specific way to load the engine.
import { refuseUnknown, object } from './arguments.js';
import { Changes, type MissedChanges, type Written } from './changes.js';
import { LocalMemory, running, type Load, type Opened } from './engine.js';
import type { Embedder } from './embeddings.js';
import { MemfoldError, guarded, typed } from './error.js';
import type { Signal, WasmSource } from './host.js';
import { Memories } from './memories.js';
import { analystOf, embedderPort, type Endpoint, type EndpointReport, type ModelAnalyst, type SpokenAnalyst } from './model.js';
import { chosen, withPath, type Chosen, type OpenOptions } from './options.js';
import * as places from './place.js';
import type { Place, Scope } from './place.js';
import { probe } from './probe.js';
import type { Comparison, Draft, LogEntry, Mode, OpenOptions as Settings } from './types.js';

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
  /** `wasm` is only used by the first call. */
  run(options: OpenOptions | undefined, wasm?: WasmSource): Promise<{ running: LocalMemory; name: string; elsewhere: boolean }>;
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
  async function selectPlace(
    { adapter, path, object: tables, scope, persist = true, store, durability }: Chosen['storage'],
    name: string | undefined,
  ): Promise<Place> {
    if (adapter !== undefined) return places.adapted(adapter);
    if (scope !== undefined) places.scopeName(scope);
    if (tables !== undefined) return places.tables(tables, scope, { store: 'object', lasts: 'persistent' });
    if (path !== undefined) {
      if (!file) throw new MemfoldError('unsupported', 'this host has no file system: `storage.path` is for Node, Deno and Bun', { field: 'path' });
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
    return places.indexedDatabase(name ?? 'memfold', scope, persist, durability ?? undefined);
  }

  /** Opens and closes a temporary in-memory store, so that the engine validates the options. */
  async function validate(settings: Settings, model: object | undefined, elsewhere: object | undefined): Promise<void> {
    const instance = await ready();
    const engine = await instance.call(() => instance.engine.openEngine(settings, model, undefined, elsewhere));
    await instance.call(() => engine.close());
    engine.free();
  }

  const run: InternalApi['run'] = async (options, wasm) => {
    const all = chosen(options);
    return opened(all, wasm).catch((error) => Promise.reject(withPath(typed(error), options)));
  };

  async function opened(
    { name, settings, storage, model, embedder: elsewhere, whom, onTrouble }: Chosen,
    wasm: WasmSource | undefined,
  ): ReturnType<InternalApi['run']> {
    if (wasm !== undefined) ready.use(wasm);
    // Opening SQLite creates a file or tables, so validate the options before.
    if (storage.path !== undefined || storage.object !== undefined) await validate(settings, model, elsewhere);
    const place = await selectPlace(storage, name);
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
      return {
        instance,
        engine: await instance.call(() => instance.engine.openEngine(settings, model, place.storage, elsewhere, told)),
      };
    };
    try {
      held = new LocalMemory(await begin(), begin, place, changes, whom);
      if (onTrouble) held.troubles.subscribe(onTrouble);
    } catch (error) {
      changes.close();
      place.close();
      throw error;
    }
    const own = storage.scope === undefined ? '' : places.scopeName(storage.scope);
    return { running: held, name: `${place.shared ?? name ?? 'memfold'}${own}`, elsewhere: elsewhere !== undefined };
  }

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
        const elsewhere = embedderPort(embedder);
        const [stored, made] = [object(existing ?? null, 'existing'), object(next ?? null, 'next')];
        const instance = await ready();
        return instance.call(() => instance.engine.compareDrafts(stored, made, mode, elsewhere));
      }),
    endpointAnalyst: (endpoint) => analystOf(ready, endpoint),
    testEndpoint: (model, options) => guarded(() => probe(model, object(options, 'options') as never, ready)),
  };
}
