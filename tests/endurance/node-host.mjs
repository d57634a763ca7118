// The child process of the Node host: one memory in a SQLite file, called by messages.
import { open } from '../../pkg/node.js';

let memories;
const calls = {
  async open(path, options) {
    const start = performance.now();
    memories = await open({ storage: { path }, ...options });
    return performance.now() - start;
  },
  async importMail(url) {
    const { mails, drafts, created, updated, linked, skipped, failed } = await memories.importMail((await fetch(url)).body);
    return { mails, drafts, created, updated, linked, skipped, failed: failed.length };
  },
  search: async (text, limit) => (await memories.search(text, { limit })).map(({ memory: { content, subject = '' } }) => ({ content, subject })),
  verify: async () => (await memories.data.verify()).problems.length,
  add: async (draft, key) => (await memories.add(draft, { key })).entry.id,
  log: async () => (await memories.log.list({ limit: 100_000 })).map(({ id, key }) => [key, id]),
  close: () => memories.close(),
};

process.on('message', async ({ id, name, args }) => {
  try {
    process.send({ id, value: await calls[name](...args) });
  } catch (error) {
    process.send({ id, error: { code: error.code, message: String(error.stack ?? error) } });
  }
});
process.on('disconnect', () => process.exit());
