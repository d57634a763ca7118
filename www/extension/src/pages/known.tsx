// Up to five facts about the sender and the topic of the open mail.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Memory } from 'memfold';
import { engine } from '../../../shared/engine';
import { nameOf } from '../../../shared/mails';
import { Icon } from '../../../shared/parts/icon';
import { SaidBy } from '../../../shared/parts/mail';
import { HeadlineText } from '../../../shared/parts/statements';
import { SURE } from '../../../shared/searched';
import { saidAt, statementsOf } from '../../../shared/statements';
import type { Thread } from '../messages';
import type { OpenTab } from './alone';
import { w } from './words';

const MOST = 5;
/** Hits for the subject, and newest memories of a sender. */
const SOME = 20;
/** Longest query of the engine, in characters. */
const MAX_QUERY = 998;

const bare = (subject: string): string => subject.replace(/^(?:(?:re|fwd?|aw|회신|전달)\s*:\s*)+/i, '').trim();

/**
 * Facts about the subject first, then other facts by the senders, without those of this thread
 * only.
 */
async function about(tab: OpenTab, thread: Thread, people: readonly string[]): Promise<Memory[]> {
  const subject = bare(tab.subject || thread.subject).slice(0, MAX_QUERY);
  const [matter, ...bySender] = await Promise.all([
    subject ? engine.search(subject, { limit: SOME }) : [],
    ...people.map((one) => engine.list({ people: [one], order: 'newest', limit: SOME })),
  ]);
  const here = new Set(Object.values(thread.sources));
  const isElsewhere = (m: Memory): boolean => m.category !== 'ads' && !statementsOf(m).every((s) => s.source !== undefined && here.has(s.source));
  const newest = bySender.flat().sort((a, b) => b.importance - a.importance || (saidAt(b) < saidAt(a) ? -1 : 1));
  const all = [...matter.flatMap((hit) => (hit.relevance >= SURE ? [hit.memory] : [])), ...newest].filter(isElsewhere);
  return [...new Map(all.map((m) => [m.id, m])).values()].slice(0, MOST);
}

export function Known({ tab, thread }: { tab: OpenTab; thread: Thread }) {
  const found = useSignal<readonly Memory[]>([]);
  const people = (tab.senders ?? []).filter((one) => one && one.toLowerCase() !== tab.account.toLowerCase());
  useEffect(() => {
    let isGone = false;
    about(tab, thread, people.slice(-3)).then(
      (all) => !isGone && (found.value = all),
      () => undefined,
    );
    return () => void (isGone = true);
    // Changes caused by other mails do not repeat the search.
  }, [tab.thread, tab.at, thread.entries.length, thread.memories.length]);
  if (found.value.length === 0) return null;
  const last = people.at(-1);
  return (
    <section class="known" aria-labelledby="known-title">
      <h3 id="known-title">{last ? w('known.title', { name: nameOf(last) }) : w('known.matter')}</h3>
      <ul>
        {found.value.map((memory) => (
          <li key={memory.id}>
            <a href={`#/memories/${memory.id}`}>
              <Icon name={memory.category} size={16} />
              <span>
                <HeadlineText memory={memory} />
              </span>
            </a>
            <p class="memory-meta">
              <SaidBy memory={memory} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
