// Requests to the Worker over loopback: what they ask, and how many a second are answered.
import { ask, tokenOf } from '../tests/worker/workerd.mjs';
import { text } from './scale.js';

/** Adds of memories that differ; `ownerOf` names the owner of the n-th. */
export const consolidations = (count, ownerOf, from = 0) =>
  Array.from({ length: count }, (_, n) => [
    ownerOf(n),
    'POST',
    '/v1/memories',
    { content: text(from + n), threadId: `t${(from + n) >> 2}`, people: [`p${n % 200}@a.example`] },
  ]);
export const searches = (count, ownerOf, from = 0) => Array.from({ length: count }, (_, n) => [ownerOf(n), 'POST', '/v1/search', { text: text(from + n * 7) }]);

/**
 * Makes requests, some at once, each as `[owner, method, path, body]`; gives how many a second and how long one takes: the median
 * and the 99th percentile in milliseconds.
 */
export async function measured(url, requests, atOnce) {
  const times = [];
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < requests.length) {
        const [owner, method, path, body, headers] = requests[next++];
        const start = performance.now();
        const [status, answer] = await ask(url, tokenOf(owner), method, path, body, headers);
        times.push(performance.now() - start);
        if (status !== 200) throw new Error(`${path} ${status} ${JSON.stringify(answer)}`);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  times.sort((a, b) => a - b);
  return [requests.length / seconds, times[times.length >> 1], times[Math.ceil(times.length * 0.99) - 1]];
}
