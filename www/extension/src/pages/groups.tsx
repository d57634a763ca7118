// What is known by person, and by the things that mails name.
import { useComputed, useSignal } from '@preact/signals';
import type { Memory } from 'memfold';
import { langOf } from '../../../shared/i18n';
import { Empty, Said, ViewHead } from '../../../shared/parts/basics';
import { Icon } from '../../../shared/parts/icon';
import { route } from '../../../shared/router';
import { owner } from '../../../shared/settings';
import { current } from '../../../shared/state';
import { saidAt } from '../../../shared/statements';
import { MemoryCard } from '../../../shared/parts/memory';
import { w } from './words';

const STEP = 60;
type By = 'people' | 'projects';
const namesOf: Record<By, (m: Memory) => readonly string[]> = { people: (m) => m.people, projects: (m) => m.entities };
function Groups({ by }: { by: By }) {
  const words = useSignal('');
  const shown = useSignal(STEP);
  const groups = useComputed(() => {
    const found = new Map<string, Memory[]>();
    for (const memory of current.value) {
      for (const name of namesOf[by](memory)) {
        // The owner is in every mail: what is known of them is everything.
        if (owner.value.includes(name.toLowerCase())) continue;
        const list = found.get(name);
        if (list) list.push(memory);
        else found.set(name, [memory]);
      }
    }
    return [...found].sort(([a, x], [b, y]) => y.length - x.length || a.localeCompare(b));
  });
  const wanted = route.value.id;
  const one = wanted ? groups.value.find(([name]) => name === wanted) : undefined;
  if (one) {
    const [name, memories] = one;
    return (
      <>
        <p>
          <a class="back" href={`#/${by}`}>
            <Icon name="arrow" size={14} /> {w('groups.back')}
          </a>
        </p>
        <ViewHead title={name} lead={w('groups.timeline')} />
        <ol class="memories">
          {[...memories].sort((a, b) => saidAt(b).localeCompare(saidAt(a))).map((m) => (
            <MemoryCard key={m.id} memory={m} />
          ))}
        </ol>
      </>
    );
  }
  const needle = words.value.trim().toLowerCase();
  const list = groups.value.filter(([name]) => name.toLowerCase().includes(needle));
  return (
    <>
      <ViewHead title={w(`${by}.title`)} lead={w(`${by}.lead`)} />
      {groups.value.length === 0 ? (
        <Empty icon="memories" title={w(`${by}.empty`)}>
          <p>{w('groups.empty.detail')}</p>
        </Empty>
      ) : (
        <>
          <label class="field">
            <span>{w(`${by}.filter`)}</span>
            <input type="search" value={words.value} onInput={(e) => (words.value = e.currentTarget.value)} />
          </label>
          <p class="result-count" role="status">
            {list.length === 0 ? w('groups.nothing') : ''}
          </p>
          <ul class="groups">
            {list.slice(0, shown.value).map(([name, memories]) => (
              <li key={name}>
                <a href={`#/${by}/${encodeURIComponent(name)}`}>
                  <span class="group-name" lang={langOf(name)}>
                    <Said text={name} />
                  </span>
                  <span class="quiet">{w('groups.count', { n: memories.length })}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

export const PeopleView = () => <Groups by="people" />;
export const ProjectsView = () => <Groups by="projects" />;
