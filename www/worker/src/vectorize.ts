// Stores a memory's vectors in a Vectorize index, for memories too large for the object. For
// missing vectors and failures, the built-in embedder is used.
import type { Embedder, Memories, Memory } from 'memfold';
import type { TextKind } from '../../shared/types';
import { sha256 } from './auth';
import type { Env } from './env';
import { told } from './errors';
import { log, pseudonym } from './log';

/** The most results that include vectors. */
const NEAREST = 20;
/** Texts in one call of the embedder. */
const BATCH = 64;
/** Ids in one deletion. */
const MOST = 500;
/** Recently computed vectors; those of new memories are among them. */
const RECENT = 256;

type Vector = Float32Array | number[];

/** One owner's part of the index: a namespace, and ids with its prefix, because ids are global. */
export class Vectors {
  readonly model: string;
  readonly #index: NonNullable<Env['VECTORS']>;
  readonly #embedder: Embedder;
  readonly #owner: string;
  readonly #recent = new Map<string, Vector>();
  #following: Promise<boolean> | undefined;

  constructor(index: NonNullable<Env['VECTORS']>, embedder: Embedder, owner: string) {
    this.model = embedder.model;
    this.#index = index;
    this.#embedder = embedder;
    this.#owner = owner;
  }

  async #names(): Promise<{ namespace: string; idOf(id: string): string }> {
    const namespace = (await sha256(`memfold/vectors/${this.#owner}`)).slice(0, 24);
    return { namespace, idOf: (id: string) => `${namespace}/${id}` };
  }

  /** The embedder for `open`. */
  port(): Embedder {
    return {
      model: this.model,
      embed: (texts, call) => this.#embed(texts, call),
      nearest: async (vector) => {
        const { namespace } = await this.#names();
        const { matches } = await this.#index.query(vector, { topK: NEAREST, namespace, returnValues: true, returnMetadata: 'none' });
        return matches.flatMap(({ id, values }) => (id.startsWith(`${namespace}/`) && values ? [{ id: id.slice(namespace.length + 1), vector: values as Vector }] : []));
      },
    };
  }

  async #embed(texts: string[], call: { signal: AbortSignal; kind: TextKind }): Promise<Vector[]> {
    const vectors = await this.#embedder.embed(texts, call);
    if (call.kind === 'document' && vectors?.length === texts.length) {
      texts.forEach((text, n) => {
        this.#recent.set(text, vectors[n]!);
        if (this.#recent.size > RECENT) this.#recent.delete(this.#recent.keys().next().value!);
      });
    }
    return vectors;
  }

  /**
   * Syncs the index: upserts current memories and deletes the others, from the last synced commit
   * on. On failure, the next call or alarm retries. Returns true when in sync.
   */
  follow(memories: Memories): Promise<boolean> {
    // Serialised, because each run starts where the last one ended.
    this.#following = (this.#following ?? Promise.resolve()).then(() => this.#told(memories));
    return this.#following;
  }

  async #told(memories: Memories): Promise<boolean> {
    try {
      // By model name, so that another embedder starts from the beginning.
      const hub = `vectorize/${this.model}`;
      for (let more = true; more; ) {
        const feed = await memories.sync.changes(hub);
        await this.#put(feed.memories.filter(isCurrent));
        await this.#remove(feed.memories.filter((m) => !isCurrent(m)));
        // The index acts as a hub without changes of its own.
        more = await memories.sync.settle(hub, feed.upto, { ...feed, from: HUB, to: feed.from, after: feed.seen, upto: feed.seen, seen: feed.upto, entries: [], memories: [], edges: [] });
      }
      return true;
    } catch (error) {
      log('vectors', { owner: await pseudonym(this.#owner), code: told(error).code });
      return false;
    }
  }

  async #put(memories: Memory[]): Promise<void> {
    const { namespace, idOf } = await this.#names();
    for (let at = 0; at < memories.length; at += BATCH) {
      const some = memories.slice(at, at + BATCH);
      const made = new Map(some.map((m) => [read(m), this.#recent.get(read(m))]));
      const missing = [...made.keys()].filter((text) => made.get(text) === undefined);
      if (missing.length > 0) (await this.#embed(missing, { signal: AbortSignal.timeout(30_000), kind: 'document' })).forEach((vector, n) => made.set(missing[n]!, vector));
      await this.#index.upsert(some.map((m) => ({ id: idOf(m.id), namespace, values: [...(made.get(read(m)) ?? [])] })));
    }
  }

  async #remove(memories: Memory[]): Promise<void> {
    const { idOf } = await this.#names();
    // Their texts may be in the cache.
    if (memories.length > 0) this.#recent.clear();
    for (let at = 0; at < memories.length; at += MOST) await this.#index.deleteByIds(memories.slice(at, at + MOST).map((m) => idOf(m.id)));
  }
}

/** The part of a memory that the engine embeds. */
const read = ({ content }: Memory): string => [...content].slice(0, 2_000).join('');

/** The index's store id as a hub. */
const HUB = '01900000-0000-7000-8000-766563746f72';

/** Whether a memory needs a vector: current and not empty. */
const isCurrent = (m: Memory): boolean => m.nodeType === 'memory' && m.supersededBy === undefined && m.deletedAt === undefined && m.generation !== 'archived' && m.storageTier !== 'stub';
