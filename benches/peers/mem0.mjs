// The whole job by another package: mem0's OSS memory, with an endpoint on this machine that answers at once, so that
// what is measured is its own work.
import { createServer } from 'node:http';

const reply = {
  embeddings: ({ input }) => ({
    object: 'list',
    data: [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: Array.from({ length: 384 }, () => Math.random() - 0.5) })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  }),
  completions: () => {
    const text = `fact ${Math.random()}`;
    const content = JSON.stringify({ facts: [text], memory: [{ id: '0', text, attributed_to: 'user' }] });
    return { id: 'c', object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
  },
};

/** Milliseconds of the `calls` adds after the first `count`, as `work` measures them. */
export async function mem0(count, calls, measure) {
  process.env.MEM0_TELEMETRY = 'false';
  const { Memory } = await import('mem0ai/oss');
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      const answer = request.url.includes('embeddings') ? reply.embeddings : reply.completions;
      response.end(JSON.stringify(answer(JSON.parse(text || '{}'))));
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
    const add = (n) => memory.add(`Note ${n} about the budget of project ${n}`, { userId: 'me' });
    for (let n = 0; n < count; n += 1) await add(n);
    return await measure(calls, (n) => add(count + n));
  } finally {
    server.close();
  }
}
