// How search, decisions and openings grow with what is stored, in any runtime. Ratios to work of the same run, since
// machines differ.

const FIRMS = ['한결약품', 'Corran Bay', '이천 창고', 'Linden', 'Skarvik', '오송제약', 'FrostEye', 'Ternway', '한강물류', 'Glacierpak'];
const MATTERS = ['예산', 'budget', '계약', 'review', '납품', 'invoice', '회의', 'schedule', '점검', 'shipment', '교육', 'license', 'audit', 'release', '목표'];
const STATES = ['확정되었습니다', 'is approved', '일정이 변경되었습니다', 'was moved', '완료 보고', 'is due', '협의 중입니다', 'needs a signature', '담당자가 정해졌습니다', 'was cancelled'];
const SYLLABLES = 'ka ro mi ten sul bar dok vi hen pau lim gar so net wo ril'.split(' ');

/** The n-th text: two common words, a firm, a state, and words that hardly any other has. */
export function text(n) {
  let state = (n * 2_654_435_761 + 12_345) >>> 0;
  const next = (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % most;
  };
  const name = () => Array.from({ length: 3 }, () => SYLLABLES[next(SYLLABLES.length)]).join('');
  const pick = (list) => list[next(list.length)];
  return `${pick(FIRMS)} ${name()} ${pick(MATTERS)} ${name()} ${pick(STATES)}, P-${next(9_000) + 1_000}, ${next(900) + 100}만원, ${next(12) + 1}월 ${next(28) + 1}일`;
}

const record = (n) => {
  const millis = 1_741_000_000_000 + n * 1_000;
  const time = new Date(millis).toISOString();
  const hex = millis.toString(16).padStart(12, '0');
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const keeping = { retention: 'semantic', generation: 'young', storageTier: 'hot', stability: 0.5, accessCount: 0, repeat: 0, feedback: { up: 0, down: 0 } };
  const says = { content: text(n), category: 'project', keywords: [], people: [`p${n % 200}@a.example`], entities: [], threadId: `t${n >> 2}`, properties: [] };
  return { memory: { id, nodeType: 'memory', revision: 1, version: 1, ...says, importance: 0.4, importanceFactors: [], confidence: 1, createdAt: time, updatedAt: time, occurredAt: time, sourceType: 'realtime', ...keeping } };
};

/** So many memories as an export. */
export const exported = (count) =>
  [{ header: { format: 1, records: count } }, ...Array.from({ length: count }, (_, n) => record(n))].map((line) => JSON.stringify(line)).join('\n');

/** p50 and p99 of a call in milliseconds, once it is warm. */
export async function spread(calls, work) {
  for (let n = 0; n < calls >> 2; n += 1) await work(n);
  const times = [];
  for (let n = 0; n < calls; n += 1) {
    const start = performance.now();
    await work(n);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { p50: times[calls >> 1], p99: times[Math.ceil(calls * 0.99) - 1] };
}

const once = async (work) => {
  const start = performance.now();
  const result = await work();
  return [performance.now() - start, result];
};

/** Rows of `{task, count, p50, p99}`, in milliseconds, for each number of memories. */
export async function scale({ open }, { counts, store, calls = 100 }, say = () => {}) {
  const rows = [];
  for (const count of counts) {
    say(`${count} memories in ${store}`);
    const name = `bench-scale-${Date.now()}`;
    let memories = await open({ store, name });
    const [imported] = await once(async () => memories.import(exported(count)));
    rows.push({ task: 'import, for each memory', count, p50: imported / count });
    const add = async (task, work) => rows.push({ task, count, ...(await spread(calls, work)) });
    await add('search', (n) => memories.search(text(n * 7)));
    await add('decide, dry', (n) => memories.consolidate({ content: `${text(n * 11)} 재확인`, threadId: `x${n}` }, { dryRun: true }));
    await add('decide and commit', (n) => memories.consolidate({ content: `${text(n * 13)} 변경`, threadId: `y${n}` }));
    if (store === 'indexeddb') {
      const [closed] = await once(() => memories.close());
      rows.push({ task: 'close, with a pack', count, p50: closed });
      const [reopened] = await once(async () => {
        memories = await open({ store, name });
      });
      const [first] = await once(() => memories.search(text(5)));
      rows.push({ task: 'open again', count, p50: reopened }, { task: 'first search after that', count, p50: first });
    }
    await memories.close();
  }
  return rows;
}
