// Groups memories into matters (an order, a trip, a project) and lists the statements of each in
// time order.
import { computed } from '@preact/signals';
import type { Edge, LogEntry, Memory } from 'memfold';
import { inOrder } from './days';
import { current, edges, edgesOf, entries, headOf, memories, takenBack } from './state';
import { isNote, saidAt, statementsOf, stretches, type Stretch } from './statements';
import { isFraud } from './words';

export type Matter = {
  id: string;
  /** The topic; empty if no memory has a subject. */
  title: string;
  /** The current memories, newest first. */
  memories: Memory[];
  /** The time of the latest statement. */
  last: string;
  /** The authors of its statements. */
  people: string[];
};

/** Most threads in a matter: what is connected with everything is no matter. */
const MOST_THREADS = 8;
/** A name in more than this share of all threads joins none. */
const COMMON = 0.1;
/** Minimum weight of a link that joins threads. */
const WEIGHT = 0.5;

const flat = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
/** The number of a flat, a building or a floor: everything about a home has it. */
const PLACE = /^\d+(?:동|호실?|층)$/u;
/** Whether a name is the number of one thing, such as an order or an invoice. */
const isNumber = (name: string): boolean => /(?=.*[\p{L}#-])(?=.*\d{3})/u.test(name) && !/\s/.test(name) && !PLACE.test(name);

const threadOf = (memory: Memory): string => memory.threadId ?? (memory.subject ? `subject ${subjectOf(memory)}` : `memory ${rootOf(memory).id}`);

/** The first stored version of a memory. */
export function rootOf(memory: Memory): Memory {
  let first = memory;
  for (let hops = 0; first.previousVersionId && hops < 10_000; hops++) {
    const before = memories.value.get(first.previousVersionId);
    if (!before) break;
    first = before;
  }
  return first;
}

/** The part of a thread that is one matter: mostly all of it. */
type Thread = { id: string; memories: Memory[]; names: Set<string>; subjects: Set<string> };

/** Caches a value for each memory. */
const memoize = <T>(make: (memory: Memory) => T) => {
  const made = new WeakMap<Memory, T>();
  return (memory: Memory): T => {
    let value = made.get(memory);
    if (value === undefined) made.set(memory, (value = make(memory)));
    return value;
  };
};

const namesOf = memoize((memory: Memory): string[] => memory.entities.filter((name) => name.length >= 3).map(flat));
const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]{2,}/gu) ?? [];
const contentWords = memoize((memory: Memory): string[] => wordsOf(memory.content));
const subjectOf = memoize((memory: Memory): string => (memory.subject ? flat(memory.subject) : ''));

/** Milliseconds of background work at a time. */
const SLICE_MS = 6;

/** Precomputes the slow parts of grouping in the background; returns a function that stops it. */
export function prepare(memories: readonly Memory[]): () => void {
  let at = 0;
  let timer: ReturnType<typeof setTimeout>;
  const some = (): void => {
    const until = performance.now() + SLICE_MS;
    for (let memory = memories[at]; memory && performance.now() < until; memory = memories[++at]) {
      contentWords(memory);
      namesOf(memory);
    }
    if (at < memories.length) timer = setTimeout(some, SLICE_MS);
  };
  timer = setTimeout(some, SLICE_MS);
  return () => clearTimeout(timer);
}

/** Union-find over connected items, with groups of at most `most`. */
class UnionFind {
  readonly #root = new Map<string, string>();
  readonly #size = new Map<string, number>();

  constructor(readonly most = Infinity) {}

  of(id: string): string {
    let at = id;
    for (let up = this.#root.get(at); up !== undefined && up !== at; up = this.#root.get(at)) at = up;
    this.#root.set(id, at);
    return at;
  }

  tie(a: string, b: string): void {
    const [x, y] = [this.of(a), this.of(b)];
    const together = (this.#size.get(x) ?? 1) + (this.#size.get(y) ?? 1);
    if (x === y || together > this.most) return;
    this.#root.set(y, x);
    this.#size.set(x, together);
  }
}

/**
 * Splits a thread into unconnected parts, which share no name, no word of their subject and no
 * link.
 */
function partsOf(id: string, memories: Memory[], neighbours: ReadonlyMap<string, ReadonlySet<string>>): Thread[] {
  const ties = new UnionFind();
  const first = new Map<string, string>();
  const subject = new Set([...new Set(memories.map((m) => m.subject ?? ''))].flatMap(wordsOf));
  for (const memory of memories) {
    const said = subject.size === 0 ? [] : contentWords(memory).filter((word) => subject.has(word));
    for (const name of [...namesOf(memory), ...said]) {
      const other = first.get(name);
      if (other === undefined) first.set(name, memory.id);
      else ties.tie(other, memory.id);
    }
    for (const other of memories) if (neighbours.get(memory.id)?.has(other.id)) ties.tie(other.id, memory.id);
  }
  const parts = new Map<string, Memory[]>();
  for (const memory of memories) {
    const there = parts.get(ties.of(memory.id));
    if (there) there.push(memory);
    else parts.set(ties.of(memory.id), [memory]);
  }
  // The largest part represents the thread and is joined by its subject.
  return [...parts.values()]
    .sort((a, b) => b.length - a.length)
    .map((part, i) => ({
      id: i === 0 ? id : `${id} ${rootOf(part[0]!).id}`,
      memories: part,
      names: new Set(part.flatMap(namesOf)),
      subjects: new Set(i === 0 ? part.flatMap((m) => subjectOf(m) || []) : []),
    }));
}

function threads(of: readonly Memory[], links: readonly Edge[]): Map<string, Thread> {
  const by = new Map<string, Memory[]>();
  for (const memory of of) {
    const id = threadOf(memory);
    const there = by.get(id);
    if (there) there.push(memory);
    else by.set(id, [memory]);
  }
  const neighbours = new Map<string, Set<string>>();
  for (const { from, to } of links) {
    const [a, b] = [headOf(from)?.id, headOf(to)?.id];
    if (!a || !b) continue;
    neighbours.set(a, (neighbours.get(a) ?? new Set()).add(b));
    neighbours.set(b, (neighbours.get(b) ?? new Set()).add(a));
  }
  return new Map(
    [...by]
      .flatMap(([id, memories]) => (memories.length === 1 ? partsOf(id, memories, new Map()) : partsOf(id, memories, neighbours)))
      .map((part) => [part.id, part]),
  );
}

const shared = (a: ReadonlySet<string>, b: ReadonlySet<string>): string[] => [...a].filter((one) => b.has(one));

/**
 * Whether two linked threads are one matter: the same number or several common names, and no
 * different number.
 */
function isSameMatter(a: Thread, b: Thread): boolean {
  if (shared(a.subjects, b.subjects).length > 0) return true;
  const both = shared(a.names, b.names);
  const numbers = [a, b].map((t) => [...t.names].filter(isNumber));
  if (numbers.every((n) => n.length > 0) && !both.some(isNumber)) return false;
  return both.length > 1 || both.some(isNumber);
}

/**
 * The matters of these memories: threads, joined by common names and by links that agree with them.
 */
export function mattersOf(of: readonly Memory[], links: readonly Edge[]): Matter[] {
  const all = threads(of, links);
  const homes = new Map([...all.values()].flatMap((thread) => thread.memories.map((m) => [m.id, thread] as const)));
  const by = new Map<string, string[]>();
  for (const { id, names } of all.values()) for (const name of names) by.set(name, [...(by.get(name) ?? []), id]);
  const common = Math.max(3, all.size * COMMON);
  for (const [name, ids] of by) if (ids.length > common) for (const id of ids) all.get(id)!.names.delete(name);

  const ties = new UnionFind(MOST_THREADS);
  const subjects = new Map<string, string>();
  for (const thread of all.values()) {
    for (const subject of thread.subjects) {
      const other = subjects.get(subject);
      if (other === undefined) subjects.set(subject, thread.id);
      else ties.tie(other, thread.id);
    }
  }
  for (const [name, ids] of by) if (isNumber(name) && ids.length <= common) for (const id of ids.slice(1)) ties.tie(ids[0]!, id);
  for (const edge of [...links].sort((a, b) => b.weight - a.weight)) {
    const [from, to] = [headOf(edge.from), headOf(edge.to)];
    const [a, b] = [homes.get(from?.id ?? ''), homes.get(to?.id ?? '')];
    if (edge.weight >= WEIGHT && a && b && a !== b && isSameMatter(a, b)) ties.tie(a.id, b.id);
  }

  const groups = new Map<string, Thread[]>();
  for (const thread of all.values()) {
    const key = ties.of(thread.id);
    groups.set(key, [...(groups.get(key) ?? []), thread]);
  }
  return [...groups].map(([id, group]) => matter(id, group)).sort((a, b) => inOrder(b.last, a.last));
}

function matter(id: string, group: readonly Thread[]): Matter {
  const list = group
    .flatMap((t) => t.memories)
    .map((m) => ({ m, doubt: doubtRank(m) }))
    .sort((a, b) => a.doubt - b.doubt || inOrder(saidAt(b.m), saidAt(a.m)))
    .map(({ m }) => m);
  const last = list.reduce((a, b) => (saidAt(b) > a ? saidAt(b) : a), '');
  // The most frequent subject; of equals the first.
  const counts = new Map<string, number>();
  for (const { subject } of [...list].reverse()) if (subject) counts.set(subject, (counts.get(subject) ?? 0) + 1);
  const subject = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '';
  // A separate matter in a thread gets the thread's subject and a name of its own.
  const isBeside = subject !== '' && group.every((t) => t.subjects.size === 0);
  const name = isBeside ? list.flatMap((m) => m.entities).find((e) => e.length >= 3 && !flat(subject).includes(flat(e))) : undefined;
  const title = name ? `${subject} · ${name}` : subject;
  const people = [...new Set(list.flatMap((m) => statementsOf(m).flatMap((s) => s.author ?? [])))];
  return { id, title, memories: list, last, people };
}

export const matters = computed(() => mattersOf(current.value, edges.value));

const byMemory = computed(() => new Map(matters.value.flatMap((matter) => matter.memories.map((m) => [m.id, matter] as const))));

/** The matter of a memory. */
export const matterOf = (id: string): Matter | undefined => byMemory.value.get(headOf(id)?.id ?? '');

/** Whether a link is an open doubt between two current memories. */
export const isOpenDoubt = ({ kind, from, to }: Edge): boolean =>
  kind === 'may_replace' && [from, to].map((id) => memories.value.get(id)).every((m) => m && !m.supersededBy && !m.deletedAt);

/** The side of an open doubt that a memory is on, if any. */
export function doubtAt(memory: Memory): 'older' | 'newer' | undefined {
  const edge = edgesOf.value.get(memory.id)?.find(isOpenDoubt);
  return edge && (edge.from === memory.id ? 'older' : 'newer');
}

/** Memories of possible fraud that the owner has not reviewed. */
export const suspects = computed(() => {
  const settled = new Set(entries.value.flatMap((e) => (e.action === 'review' && e.about && !takenBack.value.has(e.id) ? [e.about] : [])));
  return new Set(entries.value.flatMap((e) => (e.memoryId && e.needsReview && isFraud(e) && !settled.has(e.id) ? [e.memoryId] : [])));
});

/** Sorts settled memories before doubtful ones, and later before earlier ones. */
const doubtRank = (memory: Memory): number => (doubtAt(memory) === 'newer' || suspects.value.has(memory.id) ? 1 : 0);

/** A statement with its state, author and source mail. */
export type Said = {
  key: string;
  at: string;
  author: string | undefined;
  source: string | undefined;
  /** Whether the owner added it from that mail. */
  isNote: boolean;
  /** The current memory that it belongs to. */
  memory: Memory;
  parts: Stretch[];
  state: 'holds' | 'partly' | 'struck';
  /** The words of the mail that support it. */
  evidence: string | undefined;
  /** The decision that struck it out, if it can be undone. */
  by: LogEntry | undefined;
};

/** The versions of a memory, oldest first. */
export function chainOf(memory: Memory): Memory[] {
  const chain = [memory];
  for (let hops = 0; chain[0]!.previousVersionId && hops < 10_000; hops++) {
    const before = memories.value.get(chain[0]!.previousVersionId);
    if (!before) break;
    chain.unshift(before);
  }
  return chain;
}

const makers = computed(() => {
  const of = new Map<string, LogEntry>();
  for (const e of entries.value) {
    if (e.memoryId && !of.has(e.memoryId) && (e.action === 'consolidate' || e.action === 'review') && e.status === 'success' && !takenBack.value.has(e.id))
      of.set(e.memoryId, e);
  }
  return of;
});

/** The decision that made a version, unless it was undone. */
export const madeBy = (id: string): LogEntry | undefined => makers.value.get(id);

/** All statements of a memory, including those that its current version lacks. */
export function saidOf(memory: Memory): Said[] {
  const chain = chainOf(memory);
  const now = statementsOf(memory);
  const found = new Map<string, Said>();
  chain.forEach((version, i) => {
    for (const statement of statementsOf(version)) {
      const key = `${statement.source ?? ''} ${statement.text}`;
      const old = found.get(key);
      const standing = now.find((s) => s.text === statement.text && s.source === statement.source);
      const parts = standing ? stretches(standing) : [{ text: statement.text, from: 0, struck: true }];
      const held = parts.filter((p) => !p.struck && /[\p{L}\p{N}]/u.test(p.text)).length;
      const state = held === 0 ? 'struck' : parts.some((p) => p.struck) ? 'partly' : 'holds';
      const told = old ?? {
        key: `${rootOf(memory).id} ${key}`,
        at: statement.at ?? saidAt(version),
        author: statement.author,
        source: statement.source,
        isNote: isNote(version, statement),
        evidence: version.sourceId === statement.source ? version.evidence?.text : undefined,
        by: undefined,
      };
      // The version after the last one with the whole statement struck it out.
      const struckBy = chain
        .slice(i + 1)
        .find(
          (later) =>
            !statementsOf(later).some(
              (s) => s.text === statement.text && s.source === statement.source && (s.struck?.length ?? 0) <= (statement.struck?.length ?? 0),
            ),
        );
      found.set(key, { ...told, memory, parts, state, by: state === 'holds' ? undefined : (told.by ?? (struckBy && madeBy(struckBy.id))) });
    }
  });
  return [...found.values()];
}

/** The statements of a matter, oldest first. */
export const lineOf = (of: Matter): Said[] => of.memories.flatMap(saidOf).sort((a, b) => inOrder(a.at, b.at));

/** The latest valid statement of a memory. */
export function latest(memory: Memory): Said | undefined {
  const said = saidOf(memory);
  return said.toSorted((a, b) => inOrder(b.at, a.at)).find((s) => s.state !== 'struck') ?? said[0];
}

/** The current memories with statements by one person. */
export type Person = { address: string; memories: Memory[]; last: string };

export const people = computed<Person[]>(() => {
  const by = new Map<string, Memory[]>();
  for (const memory of current.value) {
    for (const address of new Set(statementsOf(memory).flatMap((s) => s.author ?? []))) by.set(address, [...(by.get(address) ?? []), memory]);
  }
  return [...by]
    .map(([address, list]) => ({ address, memories: list.sort((a, b) => inOrder(saidAt(b), saidAt(a))), last: saidAt(list[0]!) }))
    .sort((a, b) => b.memories.length - a.memories.length || inOrder(b.last, a.last));
});
