// The two samples show what memfold is for, so every decision about them has to be the right one; and what belongs together in them,
// and in the mailbox of six weeks, stands in one matter. No browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { open } from '../../pkg/node.js';
import { imported } from '../typescript.mjs';

globalThis.localStorage ??= { getItem: () => null, setItem() {} };
globalThis.matchMedia ??= () => ({ matches: false, addEventListener() {} });
globalThis.navigator ??= { language: 'en' };
process.env.TZ = 'Asia/Seoul';
const { mattersOf, saidOf, dueFrom, state } = await imported('tests/demo/matters.ts');

const box = (path) => readFileSync(new URL(`../../${path}`, import.meta.url));

async function read(path, owner, zone) {
  const engine = await open({ owner: [owner], zone });
  const mails = [];
  await engine.ingest(box(path), { onReceipt: (r) => mails.push(r) });
  const list = await engine.list({ limit: 1000, includeSuperseded: true });
  state.memories.value = new Map(list.map((m) => [m.id, m]));
  state.edges.value = await engine.graph.edges();
  state.entries.value = await engine.data.log({ newestFirst: true });
  return { engine, mails, matters: mattersOf(state.current.value, state.edges.value) };
}

/** What a reader of each mail would do with it, in order. */
const DECISIONS = ['CREATE', 'CREATE', 'CREATE', 'CREATE', 'UPDATE', 'UPDATE', 'UPDATE', 'SKIP', 'CREATE', 'CREATE', 'CREATE', 'CREATE', 'CREATE_AND_LINK', 'CREATE_AND_LINK'];
const SAMPLES = {
  en: { owner: 'nora@bellpottery.example', zone: 60, matter: 'Glaze workshop', now: /Wednesday 20 May/, before: /Wednesday 13 May/, fraud: 'accounts@kilnandc1ay.example', asks: 'tom@ellis-events.example' },
  ko: { owner: 'nara@nara-pottery.example', zone: 540, matter: '유약 워크숍', now: /5월 20일 수요일/, before: /5월 13일 수요일/, fraud: 'account@heukgarna.example', asks: 'taemin@hanbit-event.example' },
};

for (const [lang, { owner, zone, matter, now, before, fraud, asks }] of Object.entries(SAMPLES)) {
  test(`every decision about the sample is right (${lang})`, async () => {
    const { engine, mails, matters } = await read(`www/demo/samples/${lang}.mbox`, owner, zone);
    assert.deepEqual(mails.map((m) => m.receipts.map((r) => r.entry.decision).join()), DECISIONS);
    // The offer is an advertisement, and the last mail belongs to the order that it names.
    assert.equal(mails[3].receipts[0].entry.category, 'ads');
    assert.equal(mails[13].receipts[0].entry.targetId, mails[5].receipts[0].memory.id);
    assert.equal(mails[13].receipts[0].entry.needsReview, false);
    const waiting = await engine.review.list();
    assert.deepEqual(waiting.map((r) => r.draft.author).sort(), [fraud, asks].sort());
    assert.ok(waiting.find((r) => r.draft.author === fraud).entry.reasons.some((r) => r.kind === 'sensitive_change'));
    const workshop = matters.find((m) => m.title === matter);
    const told = workshop.memories.flatMap(saidOf);
    assert.match(told.find((s) => s.state === 'partly').parts.filter((p) => p.struck).map((p) => p.text).join(), before);
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
