// How a memory is opened: the package's functions over a way to load the engine.
import { invalid, object } from './arguments.js';
import { Held, running, type Load } from './engine.js';
import { MemfoldError, guarded } from './error.js';
import type { Kernel } from './kernels.js';
import { Memories } from './memories.js';
import { analystOf, embedderPort, modelPort, type EmbedderOptions, type Endpoint, type EndpointReport, type ModelAnalyst, type ModelOptions, type SpokenReply, type Question } from './model.js';
import { probe } from './probe.js';
import type { Comparison, Draft, Mode, PolicyChange, OpenOptions as Settings } from './types.js';

/** What is used of a `DurableObjectStorage`. */
export interface ObjectStorage {
  readonly sql: { exec(query: string, ...bindings: any[]): unknown };
  transactionSync<T>(work: () => T): T;
}

/** How a memory is opened. All fields are optional. */
export interface OpenOptions extends Omit<Settings, 'policy'>, ModelOptions, EmbedderOptions {
  /** How decisions are taken: a mode, or one with settings of its own; `balanced` where absent. */
  policy?: Mode | PolicyChange;
  /** In a Cloudflare Worker: `ctx.storage` of the SQLite-backed Durable Object that holds this memory. */
  storage?: ObjectStorage;
}

/** The package's functions. */
export interface Face {
  open(options?: OpenOptions): Promise<Memories>;
  compare(existing: Draft, next: Draft, options?: { mode?: Mode }): Promise<Comparison>;
  endpointAnalyst(endpoint: Endpoint): ModelAnalyst & ((question: Question, call: { signal: AbortSignal }) => Promise<SpokenReply>);
  testEndpoint(model: Endpoint | ModelAnalyst, options?: { signal?: AbortSignal; timeout?: number }): Promise<EndpointReport>;
}

/**
 * The package's functions over a way to load the engine and the kernels for it; they are loaded once, at the first call.
 * @internal
 */
export function face(load: Load, kernels: readonly Kernel[]): Face {
  const ready = running(load, kernels);
  const open: Face['open'] = (options) =>
    guarded(async () => {
      const { analyst, analystName, endpoint, analystTimeout, embeddings, embedder, embedderTimeout, storage, ...given } = object(options, 'options');
      if (storage !== undefined && !(storage?.sql && typeof storage.transactionSync === 'function')) {
        throw invalid('storage', 'is not the storage of a SQLite-backed Durable Object');
      }
      const model = modelPort({ analyst, analystName, endpoint, analystTimeout } as ModelOptions);
      const elsewhere = embedderPort({ embeddings, embedder, embedderTimeout } as EmbedderOptions);
      const { policy, ...rest } = given;
      const named: Settings = {
        ...rest,
        // A policy's name stands for the policy of that mode.
        ...(policy === undefined ? {} : { policy: typeof policy === 'string' ? { mode: policy } : policy }),
      };
      const begin = async () => {
        const instance = await ready();
        return { instance, engine: await instance.call(() => instance.engine.openEngine(named, model, storage as unknown as DurableObjectStorage, elsewhere)) };
      };
      // What was in this process alone is gone with the instance: opened anew it would be empty, and nobody would know.
      const lasts = storage !== undefined || (named.store !== 'memory' && typeof globalThis.indexedDB === 'object');
      return Memories.over(new Held(await begin(), lasts ? begin : undefined), named.name ?? undefined, elsewhere !== undefined);
    });
  return {
    open,
    compare: (existing, next, options) =>
      guarded(async () => {
        const { mode = 'balanced', ...unknown } = object(options, 'options');
        const [extra] = Object.keys(unknown);
        if (extra !== undefined) {
          throw new MemfoldError('unknown_field', `unknown field \`${extra}\`, expected \`mode\``, { field: extra });
        }
        const instance = await ready();
        return instance.now(() => instance.engine.compareDrafts(object(existing ?? null, 'existing'), object(next ?? null, 'next'), mode));
      }),
    endpointAnalyst: (endpoint) => analystOf(ready, endpoint),
    testEndpoint: (model, options) => guarded(() => probe(model, object(options, 'options'), ready)),
  };
}
