// What is tied to what.
import { first, object, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { guarded } from './error.js';
import type { Edge, Memory, NodeHit, NodeQuery, Related } from './types.js';

/** What is tied to what: memories, and the questions and tags of sessions. */
export class Graph {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /** The edges at a memory, question or tag: those of the long term, or of a session; without an id, every link between memories. */
  edges(id?: string, options?: { session?: string; limit?: number }): Promise<Edge[]> {
    return guarded(async () => {
      const { limit, ...rest } = object(options, 'options');
      return first(await (id === undefined ? this.#engine.links() : this.#engine.getEdges(text(id, 'id'), rest)), limit);
    });
  }

  /** The memories linked to this one, in their current versions. */
  related(id: string, options?: { limit?: number }): Promise<Related[]> {
    return guarded(async () => first(await this.#engine.related(text(id, 'id')), object(options, 'options').limit));
  }

  /** Questions or tags, best first. */
  nodes(query?: NodeQuery): Promise<NodeHit[]> {
    return guarded(() => this.#engine.nodes(object(query, 'query')));
  }

  /**
   * Adds a question to a session (`default`), or raises the repeat of the one that says the same. `search` with `session`
   * does this by itself, and what it finds is remembered better once the session ends.
   */
  addQuery(query: string, options?: { session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.upsertQuery(text(query, 'query'), object(options, 'options')));
  }

  /** Adds a tag to a session, or raises the repeat of the one with the same canonical key. */
  addTag(name: string, options?: { session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.upsertTag(text(name, 'name'), object(options, 'options')));
  }

  /** Ties a question of a session to a tag of it; tying again strengthens. */
  link(tag: string, query: string, options?: { session?: string; weight?: number }): Promise<Edge> {
    return guarded(() => this.#engine.linkTagToQuery(text(tag, 'tag'), text(query, 'query'), object(options, 'options')));
  }
}
