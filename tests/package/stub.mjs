// A server that does what a script says, and the ways in which one misbehaves.
import { once } from 'node:events';
import { createServer } from 'node:http';

/** A server that does what the script says; it keeps what it was sent. */
export async function stub(script) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
    try {
      await script(response, requests.length, requests.at(-1));
    } catch (error) {
      response.destroy(error);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/v1`;
  return { url, requests, close: () => (server.closeAllConnections(), server.close()) };
}

export const status =
  (code, headers = {}, body = '') =>
  (response) =>
    response.writeHead(code, headers).end(body);
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What goes wrong below any dialect: a script, the reason it is given, how many requests it takes. `good` is a whole response. */
export const broken = (good) => ({
  never_answers: [() => {}, 'timeout', 1],
  drips_too_slowly: [
    async (r) => {
      for (const c of good) {
        r.write(c);
        await sleep(50);
      }
      r.end();
    },
    'timeout',
    1,
  ],
  resets_the_connection: [(r) => r.socket.resetAndDestroy(), 'unreachable', 3],
  breaks_off_within_the_body: [
    (r) => {
      r.writeHead(200, { 'content-length': 9_999_999 });
      r.write('{"choices"');
      setTimeout(() => r.destroy(), 20);
    },
    'unreachable',
    3,
  ],
  refuses_the_key: [status(401, {}, 'Incorrect API key provided: k-123'), 'unauthorized', 1],
  forbids: [status(403), 'unauthorized', 1],
  knows_no_such_model: [status(404), 'not_found', 1],
  finds_it_too_large: [status(413), 'rejected', 1],
  sends_elsewhere: [status(307, { location: 'http://127.0.0.1:9/' }), 'redirected', 1],
  is_busy: [status(429), 'rate_limited', 3],
  is_busy_for_a_moment: [status(429, { 'retry-after': '0' }), 'rate_limited', 3],
  is_busy_for_long: [status(429, { 'retry-after': '3600' }), 'rate_limited', 1],
  fails: [status(500, {}, 'oops'), 'server_error', 3],
  is_down: [status(503, { 'retry-after': new Date(Date.now() - 1_000).toUTCString() }), 'server_error', 3],
  says_nothing: [status(200), 'not_json', 1],
  shows_a_page: [status(200, { 'content-type': 'text/html' }, '<!doctype html><h1>Sign in</h1>'), 'not_json', 1],
  is_cut_off: [(r) => r.end(good.slice(0, -40)), 'not_json', 1],
});

/** A vector of 96 numbers in which texts of the same letters lie near each other. */
export function vector(text) {
  const out = new Array(96).fill(0);
  const letters = ` ${text.normalize('NFKD').toLowerCase()} `;
  for (let n = 0; n + 3 <= letters.length; n += 1) {
    let hash = 7;
    for (const c of letters.slice(n, n + 3)) hash = (hash * 31 + c.codePointAt(0)) % 1_000_003;
    out[hash % 96] += 1;
  }
  return out;
}

/** A whole response of an OpenAI embeddings endpoint. */
export const embedded = (texts, of = vector) =>
  JSON.stringify({
    object: 'list',
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: of(text) })),
    model: 'm',
    usage: { total_tokens: 9 },
  });

const DAY = 86_400_000;
/** Five notes of a series, of two months ago. */
export const BACKUPS = [
  [4120, 38, 'Dana'],
  [4155, 38, 'Dana'],
  [4231, 44, 'Yuki'],
  [4260, 41, 'Dana'],
  [4301, 39, 'Lena'],
].map(([gb, min, who], n) => ({
  content: `Nightly backup of Borealis finished: ${gb} GB in ${min} minutes, checked by ${who}.`,
  threadId: 'b',
  subject: 'Backup',
  statedAt: new Date(Date.now() - (70 - 7 * n) * DAY).toISOString(),
  occurredAt: new Date(Date.now() - (70 - 7 * n) * DAY).toISOString(),
}));
/** A summary that keeps all their numbers and names, and what is asked of a model at rest, answered well. */
export const SUMMARY = 'Backups of Borealis (GB, minutes): 4120 in 38, 4155 in 38, 4260 in 41 checked by Dana; 4231 in 44 by Yuki; 4301 in 39 by Lena.';
export const rested = (text) =>
  JSON.stringify(
    /=== \w* ?NOTES/.test(text)
      ? { summary: SUMMARY }
      : { tags: [...text.matchAll(/=== \w+ (M\d+)$/gm)].map(([, memory]) => ({ memory, names: ['Borealis', 'made up'] })) },
  );

/** A memory of the five, each kept by itself, and a night two months later. */
export const NIGHT = { now: new Date(Date.now() + 60 * DAY).toISOString() };
export async function series(open, options) {
  const plain = await open({ storage: 'memory', policy: { mode: 'fast', bands: { skip: 1, update: 1, link: 0.5 } } });
  for (const note of BACKUPS) await plain.add(note);
  const memories = await open({ storage: 'memory', ...options });
  await memories.data.import(await plain.data.export());
  return memories;
}
