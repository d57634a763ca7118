// A memory for tests: it keeps what the replies to `task: 'mail'` say and nothing else, so that what is measured is known beforehand.
import { messageIds } from './mbox.mjs';

/** An mbox with a mail a minute, of message ids. */
export const mailboxOf = (...ids) =>
  ids
    .map(
      (id, n) =>
        `From x@xxx Tue Mar  4 00:00:13 2025\r\nMessage-ID: ${id}\r\nDate: Tue, 4 Mar 2025 09:${String(n).padStart(2, '0')}:00 +0000\r\nFrom: Ada Moss <ada@x.example>\r\n\r\nx\r\n\r\n`,
    )
    .join('');

/** `open` of such a memory; `shows(memories)` gives those that a model is shown. */
export const scripted =
  ({ shows = (memories) => memories.slice(-10) } = {}) =>
  async ({ model: { analyst } = {} } = {}) => {
    const [all, edges, log] = [[], [], []];
    const current = () => all.filter((m) => m.supersededBy === undefined);
    const write = (entry, source, previous) => {
      const memory = {
        id: `${all.length}`,
        nodeType: 'memory',
        sourceType: 'realtime',
        sourceId: source.slice(1, -1),
        content: entry.text,
        category: entry.category,
        occurredAt: `${entry.day ?? '2025-03-04'}T12:00:00Z`,
        previous,
      };
      if (previous) previous.supersededBy = memory.id;
      all.push(memory);
      return memory;
    };
    const headOf = (m) => (m.supersededBy === undefined ? m : headOf(all[Number(m.supersededBy)]));

    function take(entry, source, handles, made) {
      const target = handles.get(entry.of);
      const decided = (decision, status = 'success') => {
        const receipt = {
          decision,
          status,
          input: entry.text,
          sourceId: source,
          reasons: status === 'error' ? [{ kind: 'model_refused', error: 'unknown_handle' }] : [],
        };
        log.push(receipt);
        return { replayed: false, entry: receipt };
      };
      if (entry.op !== 'new' && !target) return decided('CREATE', 'error');
      if (entry.op === 'repeat') return decided('SKIP', 'skipped');
      const memory = write(entry, source, entry.op === 'update' ? headOf(target) : undefined);
      made.push(memory);
      for (const { to, type } of entry.links) {
        const other = handles.get(to) ?? made[Number(to.slice(1)) - 1];
        if (other) edges.push({ ends: [memory, other], relation: type });
      }
      return decided(entry.op === 'update' ? 'UPDATE' : 'CREATE');
    }

    async function read(source) {
      if (!analyst) return [];
      const candidates = shows(current()).map((m, n) => ({ handle: `M${n + 1}`, content: m.content, category: m.category, sameThread: false, about: [] }));
      const handles = new Map(candidates.map((c) => [c.handle, current().find((m) => m.content === c.content)]));
      const question = {
        task: 'mail',
        version: 1,
        language: 'en',
        system: 'Read.',
        examples: [],
        text: `=== 01234567 ${source}\n${candidates.map((c) => `${c.handle} ${c.content}`).join('\n')}`,
        schema: {},
        source,
        memories: [],
        candidates,
      };
      const { entries } = JSON.parse((await analyst(question)).text);
      const made = [];
      return entries.map((entry) => take(entry, source, handles, made));
    }

    return {
      model: { estimate: async () => ({ calls: 0, tokens: 0, drafts: 0 }) },
      async importMail(bytes, { onReceipt }) {
        const seen = new Set();
        for (const messageId of messageIds(Buffer.from(bytes))) {
          onReceipt({ messageId, receipts: seen.has(messageId) ? [] : await read(messageId) });
          seen.add(messageId);
        }
        return { failed: [] };
      },
      list: async ({ after }) => (after === undefined ? all : []),
      related: async (id) =>
        edges
          .map(({ ends, relation }) => ({ relation, ids: ends.map((m) => headOf(m).id) }))
          .filter(({ ids: [a, b] }) => a !== b && (a === id || b === id))
          .map(({ relation, ids: [a, b] }) => ({ edge: { relation }, memory: all[Number(a === id ? b : a)] })),
      history: async (id) => {
        const chain = [];
        for (let m = all[Number(id)]; m; m = m.previous) chain.unshift(m);
        return chain;
      },
      review: { list: async () => [], changes: async () => [] },
      log: { list: async () => log, stats: async () => ({ modelCalls: 0 }) },
      search: async () => current().map((memory) => ({ memory })),
      close: async () => {},
    };
  };
