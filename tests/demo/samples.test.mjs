// The two samples show what memfold is for, so every decision about them has to be the right one; and what belongs together in them,
// and in the mailbox of six weeks, stands in one matter. No browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { open } from '../../pkg/node.js';
import { imported } from '../typescript.mjs';
import { thorough } from '../tier.mjs';

globalThis.localStorage ??= { getItem: () => null, setItem() {} };
globalThis.matchMedia ??= () => ({ matches: false, addEventListener() {} });
globalThis.navigator ??= { language: 'en' };
process.env.TZ = 'Asia/Seoul';
const { mattersOf, saidOf, dueFrom, today, state } = await imported('tests/demo/matters.ts');

const box = (path) => readFileSync(new URL(`../../${path}`, import.meta.url));

async function read(path, owner, zone) {
  const engine = await open({ owner: [owner], zone });
  const mails = [];
  await engine.importMail(box(path), { onReceipt: (r) => mails.push(r) });
  const list = await engine.list({ limit: 1000, includeSuperseded: true });
  state.memories.value = new Map(list.map((m) => [m.id, m]));
  state.edges.value = await engine.graph.edges();
  state.entries.value = await engine.log.list({ newestFirst: true });
  return { engine, mails, matters: mattersOf(state.current.value, state.edges.value) };
}

/** What a reader of each mail would do with it, in order. */
const DECISIONS = [
  'CREATE',
  'CREATE',
  'CREATE',
  'CREATE',
  'UPDATE',
  'UPDATE',
  'UPDATE',
  'SKIP',
  'CREATE',
  'CREATE',
  'CREATE',
  'CREATE',
  'CREATE_AND_LINK',
  'CREATE_AND_LINK',
];
const SAMPLES = {
  en: {
    owner: 'nora@bellpottery.example',
    zone: 60,
    matter: 'Glaze workshop',
    now: /Wednesday 20 May/,
    before: /Wednesday 13 May/,
    fraud: 'accounts@kilnandc1ay.example',
    asks: 'tom@ellis-events.example',
  },
  ko: {
    owner: 'nara@nara-pottery.example',
    zone: 540,
    matter: '유약 워크숍',
    now: /5월 20일 수요일/,
    before: /5월 13일 수요일/,
    fraud: 'account@heukgarna.example',
    asks: 'taemin@hanbit-event.example',
  },
};

for (const [lang, { owner, zone, matter, now, before, fraud, asks }] of Object.entries(SAMPLES)) {
  test(`every decision about the sample is right (${lang})`, async () => {
    const { engine, mails, matters } = await read(`www/demo/samples/${lang}.mbox`, owner, zone);
    assert.deepEqual(
      mails.map((m) => m.receipts.map((r) => r.entry.decision).join()),
      DECISIONS,
    );
    // The offer is an advertisement, and the last mail belongs to the order that it names.
    assert.equal(mails[3].receipts[0].entry.category, 'ads');
    assert.equal(mails[13].receipts[0].entry.targetId, mails[5].receipts[0].memory.id);
    assert.equal(mails[13].receipts[0].entry.needsReview, false);
    const waiting = await engine.review.list();
    assert.deepEqual(waiting.map((r) => r.draft.author).sort(), [fraud, asks].sort());
    assert.ok(waiting.find((r) => r.draft.author === fraud).entry.reasons.some((r) => r.kind === 'sensitive_change'));
    const workshop = matters.find((m) => m.title === matter);
    const told = workshop.memories.flatMap(saidOf);
    assert.match(
      told
        .find((s) => s.state === 'partly')
        .parts.filter((p) => p.struck)
        .map((p) => p.text)
        .join(),
      before,
    );
    assert.match(told.find((s) => s.state === 'holds').parts[0].text, now);
    assert.equal(matters.length, 8);
    assert.equal(dueFrom('2026-05-11', state.current.value).filter((d) => d.day <= '2026-05-17').length, 4);
    await engine.close();
  });
}

test('in a mailbox of six weeks, two invoices are two matters, and what one thread says is one', async () => {
  const { engine, matters } = await read('tests/inbox/sample.mbox', 'suhyun.bae@daoncold.example', 540);
  const of = (needle) => matters.filter((m) => m.memories.some((one) => needle.test(one.content)));
  for (const matter of of(/SK-70413/)) assert.ok(!matter.memories.some((one) => /SK-70418/.test(one.content)), matter.title);
  for (const thread of new Set(state.current.value.map((m) => m.threadId))) {
    assert.equal(matters.filter((m) => m.memories.some((one) => one.threadId === thread)).length, 1, thread);
  }
  assert.equal(matters.flatMap((m) => m.memories).length, state.current.value.length);
  assert.ok(Math.max(...matters.map((m) => m.memories.length)) <= 10, 'nothing gathers everything');
  await engine.close();
});

const memory = (id, content, more = {}) => ({
  id,
  content,
  threadId: 't1',
  subject: 'This and that',
  entities: [],
  people: [],
  properties: [],
  version: 1,
  category: 'misc',
  nodeType: 'memory',
  importance: 0.4,
  createdAt: '2026-05-01T00:00:00Z',
  occurredAt: '2026-05-01T00:00:00Z',
  ...more,
});
const grouped = (list, links = []) => {
  state.memories.value = new Map(list.map((m) => [m.id, m]));
  state.edges.value = links;
  state.entries.value = [];
  return mattersOf(list, links);
};
const ids = (matters) =>
  matters
    .map((m) =>
      m.memories
        .map(({ id }) => id)
        .sort()
        .join(),
    )
    .sort();

/** What a mail says of a day, as it is stored. */
const told = (id, at, statements, more = {}) =>
  memory(id, statements.map(({ text, struck = [] }) => struck.reduceRight((s, [a, b]) => s.slice(0, a) + s.slice(b), text)).join(' · '), {
    statements: statements.map((s) => ({ source: `<${id}@a.example>`, at: '2026-03-04T10:00:00Z', ...s })),
    sourceId: `<${id}@a.example>`,
    statedAt: '2026-03-04T10:00:00Z',
    category: 'meeting',
    occurredAt: at,
    ...more,
  });
const know = (list) => {
  state.memories.value = new Map(list.map((m) => [m.id, m]));
  state.entries.value = [];
};

test('what its owner writes or corrects makes an old mailbox no newer', () => {
  const mails = [told('a', '2020-04-11T10:00:00Z', [{ text: 'The tour is on 11 April.', at: '2020-03-04T10:00:00Z' }], { statedAt: '2020-03-04T10:00:00Z' })];
  know(mails);
  assert.equal(today(), '2020-03-04');
  const now = new Date().toISOString();
  know([...mails, memory('b', 'Buy milk', { sourceType: 'user_input', statedAt: now, createdAt: now, statements: [{ text: 'Buy milk', at: now }] })]);
  assert.equal(today(), '2020-03-04');
  // Where nothing but the owner's words is known, today is today.
  know([
    memory('b', 'Buy milk', { sourceType: 'user_input', statedAt: '2020-03-04T10:00:00Z', statements: [{ text: 'Buy milk', at: '2020-03-04T10:00:00Z' }] }),
  ]);
  assert.notEqual(today(), '2020-03-04');
});

test('what was called off or moved away from its day is not due on it', () => {
  const at = '2026-04-11T02:00:00Z';
  const due = (...statements) => dueFrom('2026-03-04', [told('a', at, statements)]).length;
  const tour = { text: 'The tour is on Saturday 11 April at 11.' };
  for (const [text, n] of [
    ['So scrap the 11th of April, there is a video.', 0],
    ['The tour is cancelled.', 0],
    ['4월 11일 견학은 취소되었습니다.', 0],
    // Something else of it is called off, or nothing.
    ['The coffee before it is cancelled, we meet at 11.', 1],
    ['The tour on 11 April is not cancelled.', 1],
    ['If it rains on 11 April, it is called off.', 1],
    ['The un-cancelled tour is on 11 April.', 1],
    ['4월 11일 견학은 취소되지 않습니다.', 1],
    ['Bring shoes.', 1],
  ])
    assert.equal(due({ text }, tour), n, text);
  const struck = (text, what) => ({ text, struck: [[text.indexOf(what), text.indexOf(what) + what.length]] });
  assert.equal(due({ text: 'It moves to Sunday 3 May.' }, struck(tour.text, 'on Saturday 11 April')), 0);
  assert.equal(due({ text: '5월 3일로 옮깁니다.' }, struck('견학은 4월 11일 토요일입니다.', '4월 11일')), 0);
  // Its hour alone has moved, or the day is said again.
  assert.equal(due({ text: 'It begins at 2 pm.' }, struck(tour.text, 'at 11')), 1);
  assert.equal(due({ text: 'As before, Apr 11.' }, struck(tour.text, 'on Saturday 11 April')), 1);
});

test('two things that one mail told are two matters, each with a title of its own', () => {
  const [key, cake] = [
    memory('a', 'The spare key is with Moira.', { entities: ['Moira'] }),
    memory('b', 'Clemmie must not eat hazelnuts.', { entities: ['Clemmie'] }),
  ];
  const matters = grouped([key, cake]);
  assert.deepEqual(ids(matters), ['a', 'b']);
  assert.equal(new Set(matters.map((m) => m.title)).size, 2, matters.map((m) => m.title).join());
});

test('what has a name, a word of the subject or a link in common stays one matter', () => {
  const [one, two, three] = [memory('a', 'The oven comes on Friday.'), memory('b', 'They bring it at seven.'), memory('c', 'Nobody is in on Monday.')];
  assert.deepEqual(
    ids(
      grouped([
        { ...one, entities: ['Borealis'] },
        { ...two, entities: ['Borealis'] },
      ]),
    ),
    ['a,b'],
  );
  assert.deepEqual(
    ids(
      grouped([
        { ...one, subject: 'The oven' },
        { ...two, subject: 'The oven', content: 'The oven is paid.' },
      ]),
    ),
    ['a,b'],
  );
  const link = { id: 'e', kind: 'related_to', relation: 'elaboration', from: 'a', to: 'b', weight: 0.4 };
  assert.deepEqual(ids(grouped([one, two, three], [link])), ['a,b', 'c']);
  // However far around; and another thread of the same subject joins the larger part alone.
  assert.deepEqual(ids(grouped([one, two, three, memory('d', 'It was a good oven.', { threadId: 't2' })], [link])), ['a,b,d', 'c']);
});

thorough('in a letter of many things, a note beside them is a matter of its own', async () => {
  const { engine, matters } = await read('tests/inbox/harbour.mbox', 'callum@ebbstone.example', 60);
  const of = (needle) => matters.find((m) => m.memories.some((one) => needle.test(one.content)));
  const [key, nuts] = [of(/spare key to the boathouse/), of(/hazelnuts/)];
  assert.notEqual(key, nuts);
  assert.notEqual(key.title, nuts.title);
  // What a later thread goes on with stays with the matter that it is of.
  const split = [...new Set(state.current.value.map((m) => m.threadId))].filter(
    (id) => matters.filter((m) => m.memories.some((one) => one.threadId === id && one.version === 1)).length > 1,
  );
  assert.equal(split.length, 1, 'no other thread falls apart');
  await engine.close();
});

test('an order number joins threads, and the number of a flat does not', () => {
  const memory = (id, subject, name) => ({ id, subject, content: subject, entities: [name], occurredAt: '2026-11-03T00:00:00Z', category: 'other' });
  const matters = (name) => mattersOf([memory('1', 'Boiler', name), memory('2', 'Rent', name)], []).length;
  assert.deepEqual(['KC-4417', '302호', '101동', '1205호실'].map(matters), [1, 2, 2, 2]);
});
