// What is stored and asked where it is measured how cost grows with it, in any runtime, and how a call is timed.

const FIRMS = ['한결약품', 'Corran Bay', '이천 창고', 'Linden', 'Skarvik', '오송제약', 'FrostEye', 'Ternway', '한강물류', 'Glacierpak'];
const MATTERS = ['예산', 'budget', '계약', 'review', '납품', 'invoice', '회의', 'schedule', '점검', 'shipment', '교육', 'license', 'audit', 'release', '목표'];
const STATES = [
  '확정되었습니다',
  'is approved',
  '일정이 변경되었습니다',
  'was moved',
  '완료 보고',
  'is due',
  '협의 중입니다',
  'needs a signature',
  '담당자가 정해졌습니다',
  'was cancelled',
];
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

/** A question of three words about the n-th. */
export const question = (n) => text(n).split(' ').slice(1, 4).join(' ');

const record = (n, content) => {
  const millis = 1_741_000_000_000 + n * 1_000;
  const time = new Date(millis).toISOString();
  const hex = millis.toString(16).padStart(12, '0');
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
  const keeping = { retention: 'semantic', generation: 'young', storageTier: 'hot', stability: 0.5, accessCount: 0, repeat: 0, feedback: { up: 0, down: 0 } };
  const says = { content, category: 'project', keywords: [], people: [`p${n % 200}@a.example`], entities: [], threadId: `t${n >> 2}`, properties: [] };
  return {
    memory: {
      id,
      nodeType: 'memory',
      revision: 1,
      version: 1,
      ...says,
      importance: 0.4,
      importanceFactors: [],
      confidence: 1,
      createdAt: time,
      updatedAt: time,
      occurredAt: time,
      sourceType: 'realtime',
      ...keeping,
    },
  };
};

/** So many memories as an export. */
export const exported = (count, contentOf = text) =>
  [{ header: { format: 1, records: count } }, ...Array.from({ length: count }, (_, n) => record(n, contentOf(n)))]
    .map((line) => JSON.stringify(line))
    .join('\n');

/**
 * Milliseconds of each of `calls` calls, once it is warm: of fewer where they take longer than `millis` together, but of
 * `least`. `work` is given 0, 1, 2, …
 */
export async function timed(work, { calls = 300, millis = 8_000, least = 20 } = {}) {
  let n = 0;
  const round = async (most, limit, few) => {
    const times = [];
    for (const end = performance.now() + limit; times.length < most && (times.length < few || performance.now() < end); n += 1) {
      const start = performance.now();
      await work(n);
      times.push(performance.now() - start);
    }
    return times;
  };
  await round(calls >> 2, millis >> 2, least >> 2);
  return round(calls, millis, least);
}

/** p50 and p99 of times; of fewer than a hundred the p99 is the longest. */
export function spread(times) {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: sorted[sorted.length >> 1], p99: sorted[Math.ceil(sorted.length * 0.99) - 1], calls: sorted.length };
}
