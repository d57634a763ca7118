// What is measured, in any runtime: each task beside a baseline that everybody knows, in the same run.

import { mail, mailbox } from './mailbox.mjs';

/** The median of the means of several rounds, in microseconds for each call. */
async function micros(rounds, calls, work) {
  const means = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    for (let call = 0; call < calls; call += 1) await work(call, round);
    means.push(((performance.now() - start) * 1000) / calls);
  }
  return means.sort((a, b) => a - b)[rounds >> 1];
}

const wrapped = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** One put in a transaction of its own, with relaxed durability: the least that writing anything can cost. */
async function barePuts() {
  const opening = indexedDB.open('bench-baseline', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore('records');
  const db = await wrapped(opening);
  return (key, record) =>
    new Promise((resolve, reject) => {
      const tx = db.transaction('records', 'readwrite', { durability: 'relaxed' });
      tx.objectStore('records').put(record, key);
      tx.oncomplete = resolve;
      tx.onabort = () => reject(tx.error);
    });
}

/**
 * Measures `{open, compare}` on `pairs` of drafts and the bytes of a mailbox.
 * Returns rows of `{task, micros, baseline, baselineMicros}`.
 */
export async function measure({ open, compare }, { pairs, mbox }, say = () => {}) {
  const rows = [];
  const roundTrip = (value) => JSON.parse(JSON.stringify(value));

  say('decisions');
  const json = await micros(9, pairs.length, (i) => roundTrip(pairs[i]));
  for (const mode of ['fast', 'balanced']) {
    const each = await micros(9, pairs.length, (i) => compare(pairs[i].existing, pairs[i].next, { mode }));
    rows.push({ task: `decide a pair, ${mode}`, micros: each, baseline: 'JSON round trip of the pair', baselineMicros: json });
  }

  const drafts = pairs.map((p) => p.next);
  const stores = ['memory', ...(typeof indexedDB === 'undefined' ? [] : ['indexeddb'])];
  for (const store of stores) {
    say(`commits to ${store}`);
    let baseline = 'JSON round trip of the draft';
    let baselineMicros = await micros(9, drafts.length, (i) => roundTrip(drafts[i]));
    if (store === 'indexeddb') {
      const put = await barePuts();
      const record = 'x'.repeat(2_000);
      baseline = 'one IndexedDB put of 2 KB';
      baselineMicros = await micros(5, 200, (i, round) => put(`${round}-${i}`, record));
    }
    const memories = await open({ storage: store, name: `bench-commit-${Date.now()}` });
    const each = await micros(3, 100, (i, round) => memories.add(drafts[(round * 100 + i) % drafts.length]));
    await memories.close();
    rows.push({ task: `decide and commit, ${store}`, micros: each, baseline, baselineMicros });
  }

  const text = new TextDecoder('latin1').decode(mbox);
  const mails = text.split(/^From .*\r?\n/m).slice(1);
  const parse = (await micros(9, 1, () => roundTrip(mails))) / mails.length;
  for (const store of stores) {
    say(`ingest to ${store}`);
    const each = await micros(3, 1, async (_, round) => {
      const memories = await open({ storage: store, name: `bench-ingest-${Date.now()}-${round}` });
      await memories.importMail(mbox);
      await memories.close();
    });
    rows.push({ task: `ingest a mail of the sample, ${store}`, micros: each / mails.length, baseline: 'JSON round trip of the mail', baselineMicros: parse });
  }

  // Mails of many kinds into one memory that grows with them; reading alone is what a second import of them costs.
  const many = mailbox(1_000);
  const one = mail(0);
  const trip = await micros(9, 1_000, () => roundTrip(one));
  for (const store of stores) {
    say(`1,000 mails to ${store}`);
    const memories = await open({ storage: store, name: `bench-mailbox-${Date.now()}` });
    for (const task of ['ingest a mail of 1,000', 'ingest it again']) {
      const start = performance.now();
      await memories.importMail(many);
      const each = performance.now() - start;
      rows.push({ task: `${task}, ${store} (${Math.round(1e6 / each)} mails/s)`, micros: each, baseline: 'JSON round trip of a mail', baselineMicros: trip });
    }
    await memories.close();
  }
  return rows;
}
