// The current links between memories, each once, for the graph, the table and all counters.
import { computed } from '@preact/signals';
import type { Edge, Memory } from 'memfold';
import { isOpenDoubt } from './matters';
import { edges, edgesOf, headOf, memories } from './state';
import { kindOf } from './words';

/** An edge between current versions; links of an old version count for its head. */
export type Link = { edge: Edge; from: Memory; to: Memory };

export const links = computed<Link[]>(() => {
  void memories.value;
  const seen = new Set<string>();
  return edges.value.flatMap((edge) => {
    const from = headOf(edge.from);
    const to = headOf(edge.to);
    const key = `${from?.id} ${to?.id} ${kindOf(edge)}`;
    if ((edge.kind !== 'related_to' && edge.kind !== 'may_replace') || !from || !to || from.id === to.id || from.deletedAt || to.deletedAt || seen.has(key))
      return [];
    seen.add(key);
    return [{ edge, from, to }];
  });
});

/** The links of a memory with their other ends; open doubts are shown elsewhere. */
export function linksAt(memory: Memory): { edge: Edge; other: Memory }[] {
  return (edgesOf.value.get(memory.id) ?? []).flatMap((edge) => {
    const other = isOpenDoubt(edge) ? undefined : headOf(edge.from === memory.id ? edge.to : edge.from);
    return other && !other.deletedAt && other.id !== memory.id ? [{ edge, other }] : [];
  });
}
