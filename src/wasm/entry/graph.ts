// `Graph`: memories, queries and tags with their links.
import { first, object, text } from './arguments.js';
import type { Verbs } from './engine.js';
import { guarded } from './error.js';
import type { Edge, Memory, NodeHit, NodeQuery } from './types.js';

/** The graph of memories, and of the queries and tags of sessions. */
export class Graph {
  readonly #engine: Verbs;

  /** @internal */
  constructor(engine: Verbs) {
    this.#engine = engine;
  }

  /** The edges of a memory, query or tag, from the long-term graph or a session. Without an id, all links between memories. */
  edges(id?: string, options?: { session?: string; limit?: number }): Promise<Edge[]> {
    return guarded(async () => {
      const { limit, ...rest } = object(options, 'options');
      return first(await (id === undefined ? this.#engine.links() : this.#engine.getEdges(text(id, 'id'), rest)), limit);
    });
  }

  /** Queries or tags, best first. */
  nodes(query?: NodeQuery): Promise<NodeHit[]> {
    return guarded(() => this.#engine.nodes(object(query, 'query')));
  }

  /**
   * Adds a query to a session (`default`), or counts a repeat if the session has an equivalent one. `search` with
   * `session` does this automatically; what it finds is retained better after the session ends.
   */
  addQuery(query: string, options?: { session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.upsertQuery(text(query, 'query'), object(options, 'options')));
  }

  /** Adds a tag to a session, or counts a repeat of the tag with the same canonical key. */
  addTag(name: string, options?: { session?: string }): Promise<Memory> {
    return guarded(() => this.#engine.upsertTag(text(name, 'name'), object(options, 'options')));
  }

  /** Links a query of a session to one of its tags; linking again increases the weight. */
  link(tag: string, query: string, options?: { session?: string; weight?: number }): Promise<Edge> {
    return guarded(() => this.#engine.linkTagToQuery(text(tag, 'tag'), text(query, 'query'), object(options, 'options')));
  }
}
