// The first minutes of a user, in whatever runtime: the same steps for Node and for a page.
export async function journey({ open, compare, MemfoldError }, store) {
  const memories = await open({ storage: store, name: `journey-${store}`, policy: 'fast', zone: 540 });
  const first = await memories.add({ content: '킥오프 미팅은 1월 22일 오후 2시', category: 'meeting', threadId: 't1' });
  const again = await memories.add({ content: '킥오프 미팅은 1월 22일 오후 2시', category: 'meeting', threadId: 't1' });
  const dry = await memories.add({ content: 'Invoice 77 is due on Friday' }, { dryRun: true });
  const hits = await memories.search('킥오프 미팅 언제야?');
  const context = await memories.context('킥오프 미팅 언제야?');
  const codes = [];
  const failing = async (work) => {
    try {
      await work();
      codes.push('none');
    } catch (e) {
      codes.push(e instanceof MemfoldError && e instanceof Error && e.name === 'MemfoldError' ? `${e.code}${e.field ? `:${e.field}` : ''}` : String(e));
    }
  };
  await failing(() => memories.add({ content: '' }));
  await failing(() => memories.add({ content: 'x', importance: 2 }));
  await failing(() => memories.add({ content: 'x', colour: 'red' }));
  await failing(() => memories.add(5));
  await failing(() => memories.search('x', { limit: 0 }));
  await failing(() => memories.add({ content: 'x' }, { signal: AbortSignal.abort() }));
  await failing(() => open({ storage: store, shop: 'x' }));
  await failing(() => open({ storage: store, policy: 'quick' }));
  await failing(() => compare({ content: 'a' }, { content: 'b' }, { mood: 'fast' }));
  await failing(() => compare({ content: 'a' }, { content: 'b' }, { mode: 'quick' }));
  const lines = await memories.data.export();
  const kept = (await memories.list()).length;
  await memories.close();
  await memories.close();
  await failing(() => memories.search('x'));
  const other = await open({ storage: 'memory' });
  const imported = await other.data.import(lines);
  const comparison = await compare({ content: '예산은 5천만원이다' }, { content: '예산은 5천만원이다' }, { mode: 'fast' });
  return {
    first: [first.entry.decision, first.memory.version, first.replayed],
    again: again.entry.decision,
    dry: [dry.entry.decision, dry.entry.status],
    hit: hits[0]?.memory.content,
    // The day of the statement differs from run to run.
    context: [context.text.replace(/\d{4}-\d\d-\d\d/, 'DAY').split(' (')[0], context.sources[1] === hits[0]?.memory.id],
    kept,
    imported: imported.memories,
    compared: comparison.decision,
    codes,
  };
}

/** What the journey shows everywhere. */
export const EXPECTED = {
  first: ['CREATE', 1, false],
  again: 'SKIP',
  dry: ['CREATE', 'dry_run'],
  hit: '킥오프 미팅은 1월 22일 오후 2시',
  context: ['[1] DAY: "킥오프 미팅은 1월 22일 오후 2시"', true],
  kept: 1,
  imported: 1,
  compared: 'SKIP',
  codes: [
    'invalid_field:content', 'invalid_field:importance', 'unknown_field:colour', 'invalid_field:content', 'invalid_field:limit',
    'aborted', 'unknown_field:shop', 'invalid_field:policy.mode', 'unknown_field:mood', 'invalid_field:mode', 'closed',
  ],
};
