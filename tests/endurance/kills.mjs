// Kills hosts while they write, fills their disk, and lets six writers share a database: every acknowledged write is stored
// exactly once. Each function gives its figures and throws at the first write that is lost or doubled.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launchProfile } from '../chromium.mjs';
import { remove, temporary } from '../worker/workerd.mjs';
import { chromium } from './processes.mjs';
import { page, tab, VICTIMS } from './victims.mjs';

const WRITERS = 3;
/** After so many kills a new database begins, so that reading the whole log stays short. */
const KILLS_A_DATABASE = 20;

/** What was acknowledged is in the log with its entry, and no key is there twice. Gives what the check found. */
async function checked(session, acknowledged, { whole = false } = {}) {
  const log = await session.log();
  const keys = log.map(([key]) => key);
  assert.equal(new Set(keys).size, keys.length, 'a write is stored twice');
  const ids = new Map(log);
  for (const [key, id] of acknowledged) assert.equal(ids.get(key), id, `${key} is lost`);
  if (whole) assert.equal(await session.verify(), 0, 'the store has problems');
  return keys.length;
}

/** Kills a host so many times. */
export async function killed(name, kills, say = () => {}) {
  const victim = await VICTIMS[name]();
  let [next, unanswered, written] = [0, 0, 0];
  let [acknowledged, open] = [new Map(), []];
  try {
    for (let round = 0; round < kills; round += 1) {
      if (round % KILLS_A_DATABASE === 0) [acknowledged, open] = [new Map(), []];
      const memory = `kills${Math.floor(round / KILLS_A_DATABASE)}`;
      const session = await victim.start(memory);
      // Every seventh kill strikes while the memory is being opened.
      if (round % 7 !== 6) await checked(session, acknowledged);
      // Writers go on until the kill has struck, so that it cuts some of them off.
      let [isDying, isOver] = [false, false];
      const writers = Array.from({ length: WRITERS }, async () => {
        while (!isOver) {
          const key = open.pop() ?? `k${(next += 1)}`;
          try {
            acknowledged.set(key, await session.add(key));
            written += 1;
          } catch (error) {
            open.push(key);
            unanswered += 1;
            if (!isDying) throw error;
            return;
          }
        }
      });
      const failed = Promise.all(writers).then(
        () => undefined,
        (error) => error,
      );
      const begun = written;
      for (let n = 0; round % 7 !== 6 && n < 1_200 && written === begun; n += 1) await Promise.race([pause(50), failed]);
      if (round % 7 !== 6 && written === begun) throw (await Promise.race([failed, pause(0)])) ?? new Error('nothing was written in a minute');
      await pause((round * 41) % 533);
      isDying = true;
      await session.kill();
      isOver = true;
      const fault = await failed;
      if (fault) throw fault;
      if (round % KILLS_A_DATABASE === KILLS_A_DATABASE - 1 || round === kills - 1) {
        const last = await victim.start(memory);
        await checked(last, acknowledged, { whole: true });
        for (const key of open) acknowledged.set(key, await last.add(key));
        await checked(last, acknowledged, { whole: true });
        await last.end();
        say(`${round + 1} of ${kills} kills: ${written} acknowledged, ${unanswered} cut off`);
      }
    }
  } finally {
    await victim.stop();
  }
  assert.ok(unanswered > 0, 'no kill cut off a write');
  return { kills, written, unanswered, lost: 0, doubled: 0 };
}

/** Writes a file that leaves so many bytes free. */
function fill(disk, filler, left) {
  const { bavail, bsize } = statfsSync(disk);
  try {
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  } catch (error) {
    // The host has written meanwhile: the disk is as full as it can be.
    if (error.code !== 'ENOSPC') throw error;
  }
}

/** Mounts a small disk and runs `work` with its folder. Gives nothing unless root, who alone may mount, runs it. */
async function onDisk(megabytes, work) {
  const disk = temporary('kills-disk');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    remove(disk);
    return undefined;
  }
  try {
    return await work(disk);
  } finally {
    execFileSync('umount', ['-l', disk]);
    remove(disk);
  }
}

/** Fills the disk of a host while it writes, and frees it, so many times. */
export const filled = (name, rounds, megabytes, say = () => {}) => onDisk(megabytes, (disk) => filledOn(disk, name, rounds, say));

async function filledOn(disk, name, rounds, say) {
  const folder = join(disk, 'data');
  mkdirSync(folder);
  const victim = await VICTIMS[name](folder);
  const filler = join(disk, 'filler');
  const acknowledged = new Map();
  const codes = new Map();
  let next = 0;
  try {
    let session = await victim.start('full');
    for (let round = 0; round < rounds; round += 1) {
      acknowledged.set(`k${(next += 1)}`, await session.add(`k${next}`));
      fill(disk, filler, (round % 4) * 64 * 1_024);
      const refused = [];
      for (let n = 0; n < 400 && refused.length < 3; n += 1) {
        const key = `k${(next += 1)}`;
        try {
          acknowledged.set(key, await session.add(key));
        } catch (error) {
          refused.push(key);
          const code = error.code ?? /quota_exceeded|storage|blocked|connection_lost|conflict|corrupt/.exec(error.message)?.[0] ?? error.message.slice(0, 80);
          codes.set(code, (codes.get(code) ?? 0) + 1);
        }
      }
      assert.ok(refused.length > 0, 'the disk was never full');
      rmSync(filler);
      // In every second round the host dies after it.
      if (round % 2 === 1) {
        await session.kill();
        session = await victim.start('full');
      }
      await checked(session, acknowledged);
      for (const key of refused) acknowledged.set(key, await session.add(key));
      await checked(session, acknowledged, { whole: true });
      say(`the disk was full ${round + 1} of ${rounds} times`);
    }
    await session.end();
  } finally {
    await victim.stop();
  }
  return { rounds, written: acknowledged.size, refused: [...codes].map(([code, n]) => `${code} ${n}`).join(', '), lost: 0, doubled: 0 };
}

/** One record for each write in a database of the page's own, beside the memory: what Chromium itself keeps. */
const BARE = `
  const wrapped = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = () => reject(request.error); });
  globalThis.bare = async (work) => {
    const opening = indexedDB.open('bare', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('records');
    const db = await wrapped(opening);
    try { return await wrapped(work(db.transaction('records', 'readwrite').objectStore('records'))); } finally { db.close(); }
  };`;

/**
 * Fills the disk of Chromium, frees it and starts Chromium again, so many times, each with a profile of its own. Chromium keeps all
 * databases of a site in one place, so a bare database beside the memory shows what Chromium itself has lost.
 */
export async function filledChromium(megabytes, rounds, say = () => {}) {
  const sum = { written: 0, lost: 0, doubled: 0, bare: 0, bareWritten: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const found = await filledOnce(megabytes, round);
    if (!found) return undefined;
    for (const name of Object.keys(found)) sum[name] += found[name];
    say(`full disk ${round + 1} of ${rounds}: lost ${found.lost} of ${found.written}, a bare database ${found.bare} of ${found.bareWritten}`);
  }
  return { ...sum, bare: `${sum.bare} of ${sum.bareWritten}` };
}

const filledOnce = (megabytes, round) =>
  onDisk(megabytes, async (disk) => {
    const [profile, filler] = [join(disk, 'profile'), join(disk, 'filler')];
    const server = await page();
    let context = await launchProfile(profile);
    let worked;
    const begin = async () => {
      worked = await tab(context, server.url, 'full');
      await worked.evaluate(BARE);
    };
    const acknowledged = [[], []];
    const write = async (key) => {
      const tries = [worked.evaluate((key) => called('add', key), key), worked.evaluate((key) => bare((records) => records.put('x'.repeat(2_000), key)), key)];
      const results = await Promise.allSettled(tries);
      for (const [i, { status }] of results.entries()) if (status === 'fulfilled') acknowledged[i].push(key);
      return results[0].status === 'fulfilled';
    };
    const kept = async () => {
      const keys = [(await worked.evaluate(() => called('log'))).map(([key]) => key), await worked.evaluate(() => bare((records) => records.getAllKeys()))];
      return keys.map((found, i) => acknowledged[i].filter((key) => found.includes(key)).length);
    };
    try {
      await begin();
      for (let n = 0; n < 20; n += 1) await write(`k${n}`);
      fill(disk, filler, (round % 3) * 8_192);
      let refused = 0;
      for (let n = 20; n < 120 && refused < 3; n += 1) if (!(await write(`k${n}`))) refused += 1;
      rmSync(filler);
      assert.equal(refused, 3, 'the disk was never full');
      for (let n = 200; n < 205; n += 1) await write(`k${n}`);
      const before = await kept();
      process.kill(chromium(profile).browser, 'SIGKILL');
      await context.close().catch(() => {});
      context = await launchProfile(profile);
      // The first opening may find a database that Chromium cannot read; Chromium then begins it anew.
      await begin().catch(begin);
      const after = await kept();
      const [own, bare] = [0, 1].map((i) => acknowledged[i].length - Math.min(before[i], after[i]));
      assert.ok(own === 0 || bare > 0, `the memory has lost ${own} writes, and Chromium none`);
      return { written: acknowledged[0].length, lost: own, bare, bareWritten: acknowledged[1].length };
    } finally {
      await context.close();
      await server.close();
    }
  });

/** Four tabs, a worker and a service worker write into one database, each so many times. */
export async function shared(writes) {
  const profile = temporary('kills-shared');
  const server = await page();
  const context = await launchProfile(profile);
  try {
    const kinds = ['page', 'page', 'page', 'page', 'worker', 'service worker'];
    const tabs = [];
    for (const kind of kinds) tabs.push(await tab(context, server.url, 'shared', kind));
    const done = kinds.map(() => 0);
    const ids = new Map();
    let first;
    await Promise.all(
      tabs.map(async (worked, i) => {
        for (let n = 0; n < writes; n += 10) {
          const keys = Array.from({ length: Math.min(10, writes - n) }, (_, m) => `k${i + 1}${String(n + m).padStart(5, '0')}`);
          const written = await worked.evaluate(async (keys) => {
            const ids = [];
            for (const key of keys) {
              for (;;) {
                try {
                  ids.push([key, await called('add', key)]);
                  break;
                } catch (error) {
                  // Another writer was faster again and again: the error says that the write may be tried again.
                  if (!/conflict|blocked/.test(`${error.code} ${error.message}`)) throw error;
                }
              }
            }
            return ids;
          }, keys);
          for (const [key, id] of written) ids.set(key, id);
          done[i] += keys.length;
        }
        first ??= [...done];
      }),
    );
    const session = {
      log: () => tabs[0].evaluate(() => called('log')),
      verify: () => tabs[0].evaluate(() => called('verify')),
    };
    const stored = await checked(session, ids, { whole: true });
    assert.equal(stored, writes * kinds.length);
    return { written: stored, lost: 0, doubled: 0, slowest: Math.min(...first) / writes, first: kinds.map((kind, i) => `${kind} ${first[i]}`) };
  } finally {
    await context.close();
    await server.close();
    remove(profile);
  }
}
