// How a memory is opened: the package's functions over a way to load the engine.
import { finite, invalid, known, object } from './arguments.js';
import { Changes, type Missed } from './changes.js';
import { Held, running, type Load, type Opened } from './engine.js';
import type { Embedder } from './embeddings.js';
import { MemfoldError, guarded, typed } from './error.js';
import { hinted, meant } from './hints.js';
import type { Signal, WasmSource } from './host.js';
import { Memories } from './memories.js';
import { analystOf, embedderPort, modelPort, type EmbedderOptions, type Endpoint, type EndpointReport, type ModelAnalyst, type ModelOptions, type SpokenAnalyst } from './model.js';
import * as places from './place.js';
import type { ObjectStorage, Place, Scope } from './place.js';
import { probe } from './probe.js';
import type { HearsTrouble } from './troubles.js';
import type { Comparison, Draft, LogEntry, Mode, PolicyChange, OpenOptions as Settings, Written } from './types.js';

/** How a memory is opened. All fields are optional. */
export interface OpenOptions extends Omit<Settings, 'policy'>, ModelOptions, EmbedderOptions {
  /** How decisions are taken: a mode, or one with settings of its own; `balanced` where absent. */
  policy?: Mode | PolicyChange;
  /** In Node, Deno and Bun: the SQLite file that holds this memory; it is made where it is not there. `:memory:` is gone with the process. */
  path?: string;
  /** In a Cloudflare Worker: `ctx.storage` of the SQLite-backed Durable Object that holds this memory. */
  storage?: ObjectStorage;
  /** Whose memory it is, of several in one database. They never see each other; where there are several, one has to be named. */
  scope?: Scope;
  /** Whether the browser is asked not to drop this site's storage; yes where absent. `durability` tells what it said. */
  persist?: boolean;
  /**
   * Hears of each request to a model or an embedder that fails, and of each part of a reply that is refused: soon after the call in
   * which it happened, and while a long one goes on.
   */
  onTrouble?: HearsTrouble;
  /** Where the engine's file lies, or what it is, where it is not found beside the script; of the first call alone. */
  wasm?: WasmSource;
}

/** How a pair is compared. */
export interface CompareOptions {
  mode?: Mode;
  /** Asked about the pair where it can `judge` and the local analyst is not sure. */
  embedder?: Embedder;
}

/** The package's functions. */
export interface Face {
  open(options?: OpenOptions): Promise<Memories>;
  /** Loads the engine, so that the first `open` need not. */
  preload(options?: { wasm?: WasmSource }): Promise<void>;
  compare(existing: Draft, next: Draft, options?: CompareOptions): Promise<Comparison>;
  endpointAnalyst(endpoint: Endpoint): SpokenAnalyst;
  testEndpoint(model: Endpoint | ModelAnalyst, options?: { signal?: Signal; timeout?: number }): Promise<EndpointReport>;
}

/**
 * The face, and a memory as it runs, for those who carry its calls elsewhere.
 * @internal
 */
export interface Faced extends Face {
  run(options: OpenOptions | undefined): Promise<{ running: Held; name: string; elsewhere: boolean }>;
}

/** Options that the engine knows nothing of. */
const OWN = ['analyst', 'analystName', 'endpoint', 'analystTimeout', 'embeddings', 'embedder', 'embedderTimeout', 'storage', 'path', 'scope', 'persist', 'onTrouble', 'wasm'];

/** An error about an option that nobody knows: it names these too, and the one that was likely meant. */
function hintedAt(error: MemfoldError): MemfoldError {
  if (error.code !== 'unknown_field' || error.field === undefined) return error;
  const [all] = /^unknown field `[^`.]*`, expected one of `.*`(?=; did you mean|$)/.exec(error.message) ?? [];
  if (all !== undefined) return new MemfoldError(error.code, hinted(`${all}${OWN.map((name) => `, \`${name}\``).join('')}`), { field: error.field });
  const name = error.message.endsWith('`?') ? undefined : meant(error.field, OWN);
  return name === undefined ? error : new MemfoldError(error.code, `${error.message}; did you mean \`${name}\`?`, { field: error.field });
}

/** Opens a file, where the host has files. */
type OpenFile = (path: string, scope: Scope | undefined, strict: boolean) => Promise<Place>;

/**
 * What an entry of the log wrote.
 * @internal
 */
export const written = ({ seq, id, action = 'consolidate', decision, touched }: LogEntry): Written => ({ seq, entry: id, action, decision, ids: touched });

/**
 * The package's functions over a way to load the engine; it is loaded once, at the first call.
 * @internal
 */
export function face(load: Load, file?: OpenFile): Faced {
  const ready = running(load);

  /** Where these options put a memory. */
  async function placed({ path, storage, scope, persist = true, store, name, durability }: OpenOptions): Promise<Place> {
    if (storage !== undefined && !(storage?.sql && typeof storage.transactionSync === 'function')) {
      throw invalid('storage', 'is not the storage of a SQLite-backed Durable Object');
    }
    if (typeof persist !== 'boolean') throw invalid('persist', 'is not true or false');
    if (path !== undefined && (storage ?? store) !== undefined) throw invalid('path', `is set beside \`${storage ? 'storage' : 'store'}\``);
    if (scope !== undefined) places.scopeName(scope);
    if (storage !== undefined) return places.tables(storage, scope, { store: 'object', lasts: 'persistent' });
    if (path !== undefined) {
      if (!file) throw new MemfoldError('unsupported', 'this host has no files: `path` is for Node, Deno and Bun', { field: 'path' });
      return file(path, scope, durability === 'strict');
    }
    const hasDatabase = typeof globalThis.indexedDB === 'object';
    if (store === 'memory' || (store === undefined && !hasDatabase)) {
      if (store === undefined) places.warn(places.process.durability);
      return places.process;
    }
    // Whatever is wrong with these, the engine says.
    if ((store !== 'indexeddb' && store !== undefined) || (name !== undefined && typeof name !== 'string')) return places.process;
    if (!hasDatabase) throw new MemfoldError('unsupported', 'this host has no IndexedDB', { field: 'store' });
    return places.indexedDatabase(name ?? 'memfold', scope, persist);
  }

  /** Opens a memory of these options in the process, and closes it: whatever is wrong with them, the engine says. */
  async function tried(settings: Settings, model: object | undefined, elsewhere: object | undefined): Promise<void> {
    const instance = await ready();
    try {
      const engine = await instance.call(() => instance.engine.openEngine({ ...settings, store: 'memory' }, model, undefined, elsewhere));
      await instance.call(() => engine.close());
      engine.free();
    } catch (error) {
      throw hintedAt(typed(error));
    }
  }

  const run: Faced['run'] = async (options) => {
    const all = object(options, 'options');
    const { analyst, analystName, endpoint, analystTimeout, embeddings, embedder, embedderTimeout, storage: _, path: __, scope, persist: ___, onTrouble, wasm, ...given } = all;
    finite(given);
    if (onTrouble !== undefined && typeof onTrouble !== 'function') throw invalid('onTrouble', 'is not a function');
    const model = modelPort({ analyst, analystName, endpoint, analystTimeout } as ModelOptions);
    const elsewhere = embedderPort({ embeddings, embedder, embedderTimeout } as EmbedderOptions);
    if (wasm !== undefined) ready.use(wasm);
    // A function is left out on its way to the engine, which would not miss it.
    const odd = Object.keys(given).find((name) => typeof given[name as keyof typeof given] === 'function');
    if (odd !== undefined) throw hintedAt(new MemfoldError('unknown_field', `unknown field \`${odd}\``, { field: odd }));
    const { policy, ...rest } = given;
    // A policy's name stands for the policy of that mode.
    const settings: Settings = { ...rest, ...(policy === undefined ? {} : { policy: typeof policy === 'string' ? { mode: policy } : policy }) };
    // To place a memory in SQLite makes a file, or tables: what is wrong with an option is to be known before.
    if (all.path !== undefined || all.storage !== undefined) await tried(settings, model, elsewhere);
    const place = await placed(all);
    const named: Settings = { ...settings, ...(place.database !== undefined && { name: place.database }) };
    // Made before the memory, which is what it asks.
    let held: Held | undefined;
    const missed: Missed = {
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
      held = new Held(await begin(), begin, place, changes, whom);
      if (onTrouble) held.troubles.subscribe(onTrouble);
    } catch (error) {
      changes.close();
      place.close();
      throw hintedAt(typed(error));
    }
    const own = scope === undefined ? '' : places.scopeName(scope);
    return { running: held, name: `${place.shared ?? named.name ?? 'memfold'}${own}`, elsewhere: elsewhere !== undefined };
  };

  return {
    run,
    open: (options) =>
      guarded(async () => {
        const { running, name, elsewhere } = await run(options);
        return Memories.over(running, name, elsewhere);
      }),
    preload: (options) =>
      guarded(async () => {
        const { wasm, ...unknown } = object(options, 'options');
        known(unknown, ['wasm']);
        if (wasm !== undefined) ready.use(wasm);
        await ready();
      }),
    compare: (existing, next, options) =>
      guarded(async () => {
        const { mode = 'balanced', embedder, ...unknown } = object(options, 'options');
        known(unknown, ['mode', 'embedder']);
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
