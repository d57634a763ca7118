// The whole job by another package: mem0's OSS memory, with an endpoint on this machine that answers at once, so that
// what is measured is its own work. Its better-sqlite3 is libsql here (package.json), which has the same interface and comes
// ready-made from npm; with better-sqlite3 itself, compiled on the spot, it was not faster.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text, timed } from '../scale.js';

const vector = () => Array.from({ length: 384 }, () => Math.random() - 0.5);

const reply = {
  embeddings: ({ input }) => ({
    object: 'list',
    data: [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: vector() })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
  completions: () => {
    const text = `fact ${Math.random()}`;
    const content = JSON.stringify({ facts: [text], memory: [{ id: '0', text, attributed_to: 'user' }] });
    return {
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
  },
};

/** Milliseconds of each `add` beside `count` memories, which are put into its store as an `add` would put them. */
export async function mem0({ count }) {
  process.env.MEM0_TELEMETRY = 'false';
  const { Memory } = await import('mem0ai/oss');
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      const answer = request.url.includes('embeddings') ? reply.embeddings : reply.completions;
      response.end(JSON.stringify(answer(JSON.parse(body || '{}'))));
    });
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  try {
    const baseURL = `http://127.0.0.1:${server.address().port}/v1`;
    const memory = new Memory({
      version: 'v1.1',
      disableHistory: true,
      embedder: { provider: 'openai', config: { apiKey: 'none', baseURL, model: 'e', embeddingDims: 384 } },
      llm: { provider: 'openai', config: { apiKey: 'none', baseURL, model: 'm' } },
      vectorStore: { provider: 'memory', config: { collectionName: 'bench', dimension: 384, dbPath: ':memory:' } },
    });
    const add = (n) => memory.add(text(n), { userId: 'me' });
    await add(0);
    const [[one]] = await memory.vectorStore.list({ user_id: 'me' }, 1);
    const rest = Array.from({ length: count - 1 }, (_, n) => ({ ...one.payload, data: text(n + 1), textLemmatized: text(n + 1), hash: randomUUID() }));
    await memory.vectorStore.insert(
      rest.map(vector),
      rest.map(() => randomUUID()),
      rest,
    );
    return await timed((n) => add(count + n));
  } finally {
    server.close();
  }
}
