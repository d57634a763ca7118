// A Worker with many objects under load, and a hub with three clients that are cut off for days and agree in the end.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { consolidations, searches } from '../../benches/requests.mjs';
import { open } from '../../pkg/node.js';
import { bundled, remove, start, tokenOf, tokens } from '../worker/workerd.mjs';
import { askTwice, workerds } from './hosts.mjs';
import { Dice } from './mailbox.mjs';
import { cpuSeconds, privateBytes } from './processes.mjs';

const AT_ONCE = 8;
const HOUR = 3_600_000;
const percentile = (times, share) => times[Math.max(0, Math.ceil(times.length * share) - 1)] ?? 0;

/** Adds and searches in so many objects for so many minutes. Gives a row for each minute; afterwards some objects are verified. */
export async function loaded({ objects, minutes, seed = 1 }, say = () => {}) {
  const dice = new Dice(seed);
  const owners = Array.from({ length: objects }, (_, n) => `many${n}`);
  const bundle = await bundled();
  const worker = await start(bundle, { bindings: { TOKENS: tokens(...owners), REQUESTS_PER_MINUTE: 10_000_000 } });
  const [pid] = workerds();
  const adds = new Map(owners.map((owner) => [owner, 0]));
  const rows = [];
  let [wrong, writes] = [0, 0];
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      const until = performance.now() + 60_000;
      const times = { add: [], search: [] };
      const before = cpuSeconds([pid]);
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (performance.now() < until) {
            const owner = dice.pick(owners);
            // In the first minute most objects are new, and there is nothing to be found.
            const isAdd = adds.get(owner) === 0 || dice.chance(0.4);
            const [[, method, path, body]] = (isAdd ? consolidations : searches)(1, () => owner, dice.roll(1_000_000));
            const begun = performance.now();
            const [status] = await askTwice(worker.url, tokenOf(owner), method, path, body, isAdd ? { 'idempotency-key': `a${(writes += 1)}` } : {});
            times[isAdd ? 'add' : 'search'].push(performance.now() - begun);
            if (status !== 200) wrong += 1;
            else if (isAdd) adds.set(owner, adds.get(owner) + 1);
          }
        }),
      );
      for (const list of Object.values(times)) list.sort((a, b) => a - b);
      const figures = (list) => ({ count: list.length, p50: percentile(list, 0.5), p99: percentile(list, 0.99) });
      rows.push({ minute, add: figures(times.add), search: figures(times.search), cpu: cpuSeconds([pid]) - before, memory: privateBytes(pid) });
      say(`minute ${minute}: ${times.add.length} adds, ${times.search.length} searches, ${(privateBytes(pid) / 1e6).toFixed(0)} MB`);
    }
    // What was acknowledged is there, once.
    for (let n = 0; n < 50; n += 1) {
      const owner = dice.pick(owners);
      const [, log] = await askTwice(worker.url, tokenOf(owner), 'GET', '/v1/log');
      assert.equal(log.length, adds.get(owner), `the log of ${owner}`);
      assert.deepEqual((await askTwice(worker.url, tokenOf(owner), 'GET', '/v1/check'))[1].problems, []);
    }
  } finally {
    await worker.stop();
    remove(bundle);
  }
  return { rows, wrong, used: [...adds.values()].filter((n) => n > 0).length };
}

const MATTERS = 'Alder,Brim,Corran,Dunwick,Elmham,Foxley,가람,나래,다솔,마루,샛별,한빛'.split(',');
const isKorean = (matter) => /\p{Script=Hangul}/u.test(matter);

/** What a client says of a matter at an hour: a value that may differ from what another client has said. */
function statement(dice) {
  const matter = dice.pick(MATTERS);
  const n = dice.between(12, 980);
  if (isKorean(matter))
    return dice.pick([
      `${matter} 과제 예산은 ${n}만원입니다`,
      `${matter} 과제 마감일은 ${dice.between(1, 12)}월 ${dice.between(1, 28)}일입니다`,
      `${matter} 과제 예산이 ${n}만원으로 변경되었습니다`,
    ]);
  return dice.pick([
    `The budget of project ${matter} is ${n} euros`,
    `Project ${matter} is due on ${dice.between(1, 28)} March`,
    `The budget of project ${matter} was raised to ${n} euros`,
  ]);
}

const mailOf = (n, content, at) =>
  `From: Kim <kim@a.example>\r\nTo: me@b.example\r\nSubject: Note ${n}\r\nMessage-ID: <w${n}@a.example>\r\nDate: ${new Date(at).toUTCString().replace('GMT', '+0000')}\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${content}.\r\n`;

/** Everything that a store says, from its export: memories without how often they were written, links, and entries by id. */
function contents(exported) {
  const [memories, edges, entries] = [new Map(), new Set(), new Map()];
  for (const line of exported.trim().split('\n')) {
    const { memory, edge, entry } = JSON.parse(line);
    // A forgotten memory is an empty shell, and only where it was once known.
    if (memory && memory.content !== '') {
      const { revision, ...rest } = memory;
      memories.set(memory.id, rest);
    }
    if (edge) edges.add(`${edge.from} ${edge.kind ?? edge.type} ${edge.to}`);
    if (entry) {
      assert.ok(!entries.has(entry.id), `the entry ${entry.id} is there twice`);
      entries.set(entry.id, entry);
    }
  }
  const keys = [...entries.values()].map(({ key }) => key).filter(Boolean);
  return { memories, edges, entries, doubledKeys: keys.length - new Set(keys).size };
}

/** Ids that two stores have differently. */
const differing = (one, other) => [...new Set([...one.keys(), ...other.keys()])].filter((id) => !isDeepStrictEqual(one.get(id), other.get(id)));

/** Errors of an action that another client's action has made impossible. */
const REFUSED = ['has_dependents', 'already_undone', 'already_settled', 'forgotten', 'not_found', 'invalid_input', 'conflict', 'unsupported'];

/** A week of three clients at one hub; each is cut off most of the time, and exchanges break in the middle. */
export async function partitioned({ seed = 1, hours = 168 } = {}, say = () => {}) {
  const dice = new Dice(seed);
  const bundle = await bundled();
  const worker = await start(bundle, { bindings: { TOKENS: tokens('week'), REQUESTS_PER_MINUTE: 10_000_000 } });
  const clients = await Promise.all(
    [1, 2, 3].map(async () => ({ memories: await open({ storage: 'memory', owner: ['me@b.example'], zone: 'UTC' }), isOnline: false, left: 0, deleted: [] })),
  );
  const sum = { adds: 0, mails: 0, undone: 0, deleted: 0, restored: 0, refused: {}, syncs: 0, broken: 0, longest: 0 };
  const faulty = async (...request) => {
    if (dice.chance(0.12)) throw new TypeError('the request was lost');
    const response = await fetch(...request);
    const body = await response.arrayBuffer();
    if (dice.chance(0.12)) throw new TypeError('the answer was lost');
    return new Response(body, response);
  };
  const sync = (client, options) => client.memories.sync.run(`${worker.url}/v1/sync`, tokenOf('week'), options);
  const allowed = async (name, work) => {
    try {
      await work();
      sum[name] += 1;
    } catch (error) {
      if (!REFUSED.includes(error.code)) throw error;
      sum.refused[error.code] = (sum.refused[error.code] ?? 0) + 1;
    }
  };
  const begin = Date.now() - hours * HOUR;
  let written = 0;
  try {
    for (let hour = 0; hour < hours; hour += 1) {
      const now = begin + hour * HOUR;
      for (const client of clients) {
        if (client.left-- <= 0) {
          client.isOnline = !client.isOnline && hour > 0;
          client.left = client.isOnline ? dice.between(1, 6) : dice.between(6, 60);
          if (!client.isOnline) sum.longest = Math.max(sum.longest, Math.min(client.left, hours - hour));
        }
        for (let n = dice.roll(4); n > 0; n -= 1) {
          const statedAt = new Date(now + dice.roll(HOUR)).toISOString();
          const { memories } = client;
          const kind = dice.roll(100);
          const log = kind < 70 ? [] : await memories.log.list({ newestFirst: true, limit: 40 });
          const stored = kind < 70 ? [] : await memories.list({ limit: 1_000 });
          if (kind < 50 || (kind >= 70 && stored.length === 0)) {
            await allowed('adds', () => memories.add({ content: statement(dice), statedAt, sourceType: 'user_input' }, { key: `s${(written += 1)}` }));
          } else if (kind < 70) {
            // Two clients read the same mail of the same account.
            const mail = mailOf((written += 1), statement(dice), statedAt);
            for (const reader of [client, dice.pick(clients)]) await allowed('mails', () => reader.memories.importMail(mail, { account: 'me@b.example' }));
          } else if (kind < 84) await allowed('undone', () => memories.undo(dice.pick(log).id));
          else if (kind < 92 || client.deleted.length === 0) {
            const { id } = dice.pick(stored);
            await allowed('deleted', () => memories.delete(id));
            client.deleted.push(id);
          } else await allowed('restored', () => memories.restore(client.deleted.pop()));
        }
        if (client.isOnline) {
          try {
            await sync(client, { fetch: faulty });
            sum.syncs += 1;
          } catch (error) {
            if (error.code !== 'connection_lost') throw error;
            sum.broken += 1;
          }
        }
      }
      if (hour % 24 === 23) say(`day ${(hour + 1) / 24}: ${JSON.stringify(sum)}`);
    }
    // The network heals.
    let rounds = 0;
    for (let isQuiet = false; !isQuiet && rounds < 20; rounds += 1) {
      isQuiet = true;
      for (const client of clients) {
        const { sent, received } = await sync(client);
        if (sent + received > 0) isQuiet = false;
      }
    }
    const [, exported] = await askTwice(worker.url, tokenOf('week'), 'GET', '/v1/export');
    const hub = contents(exported);
    for (const client of clients) {
      const own = contents(await client.memories.data.export());
      assert.deepEqual(differing(own.memories, hub.memories), [], 'memories and versions that a client and the hub have differently');
      assert.deepEqual([...own.edges].sort(), [...hub.edges].sort(), 'the links of a client');
      assert.deepEqual([own.doubledKeys, hub.doubledKeys], [0, 0], 'keys in the log');
      assert.deepEqual((await client.memories.data.verify()).problems, []);
    }
    assert.deepEqual((await askTwice(worker.url, tokenOf('week'), 'GET', '/v1/check'))[1].problems, []);
    return { ...sum, rounds, memories: hub.memories.size, links: hub.edges.size, entries: hub.entries.size };
  } finally {
    for (const { memories } of clients) await memories.close();
    await worker.stop();
    remove(bundle);
  }
}
