// What the extension's own pages may ask for: the engine's verbs, and what concerns the extension.
import { testEndpoint, type EndpointReport, type LogEntry, type Memory, type Memories } from 'memfold';
import type { Engine } from '../../../demo/src/engine/protocol';
import type { Settings, Status, Thread } from '../messages';
import * as archive from './archive';
import { asides, dropAside, ofThread, renew, waiting } from './base';
import { badge, changed, noticed, waitingReviews } from './changed';
import { close, copy, erase, memories, originOf } from './engine';
import { read, remove, write } from './files';
import { checked, discard, dropKey, keep, kept, key, saveKey, settings, unlockKey } from './keep';
import { codeOf } from './fault';
import { drain } from './queue';
import { rest } from './rest';

/** What the extension adds to the engine's verbs. */
export interface Own {
  status(): Status;
  thread(account: string, thread: string): Thread;
  settings(): Settings;
  save(next: Settings): Settings;
  saveKey(value: string, passphrase: string): void;
  unlock(passphrase: string): boolean;
  dropKey(): void;
  testModel(): EndpointReport;
  tryAgain(key: string): void;
  drop(key: string): void;
  dismiss(what: 'loss' | 'missing' | 'import'): void;
  startImport(name: string, account: string): void;
  cancelImport(): void;
  copyNow(): void;
  restNow(): void;
  exportFile(): void;
  importFile(): { memories: number; known: number };
}

type Asked = { [V in keyof (Engine & Own)]: (...args: Parameters<(Engine & Own)[V]>) => Promise<ReturnType<(Engine & Own)[V]>> };

/** The verb, and the news of it. */
async function wrote<T>(work: (engine: Memories) => Promise<T>): Promise<T> {
  const value = await work(await memories());
  await changed();
  return value;
}

/** What is forgotten is forgotten in the second copy too, before anybody is told that it is. */
async function gone<T>(work: (engine: Memories) => Promise<T>): Promise<T> {
  const value = await work(await memories());
  await copy();
  await changed();
  return value;
}

const refused = (): never => {
  throw Object.assign(new Error('not asked for here'), { code: 'unsupported' });
};

export const verbs: Asked = {
  // The worker opens by itself.
  open: async () => void (await memories()),
  // What is entered on a page is its owner's word, as the engine takes it.
  consolidate: (draft, dryRun) => (dryRun ? memories().then((m) => m.consolidate(draft, { dryRun })) : wrote((m) => m.consolidate(draft))),
  ingest: async () => refused(),
  compare: async () => refused(),
  import: async () => refused(),
  export: async () => refused(),
  ask: async (question, options) => (await memories()).ask(question, options),
  search: async (text, options) => (await memories()).search(text, options),
  list: async (options) => (await memories()).list(options),
  history: async (id) => (await memories()).history(id),
  related: async (id) => (await memories()).graph.related(id),
  links: async () => (await memories()).graph.edges(),
  log: async (query) => (await memories()).data.log(query),
  analytics: async () => (await memories()).data.stats(),
  undo: (id) => wrote((m) => m.undo(id)),
  redo: (id) => wrote((m) => m.redo(id)),
  previewDelete: async (request) => (await memories()).data.previewDelete(request),
  delete: (ids, request) => wrote((m) => m.delete(ids, request === undefined ? {} : { request })),
  restore: (id) => wrote((m) => m.restore(id)),
  forget: (ids) => gone((m) => m.data.forget(ids)),
  reviews: async () => (await memories()).review.list(),
  review: (id, verdict) => wrote((m) => m.review.decide(id, verdict as Parameters<Memories['review']['decide']>[1])),
  diff: async (from, to) => (await memories()).data.diff(from, to),
  check: async () => (await memories()).data.verify(),
  usage: async () => (await memories()).model.usage(),
  askPending: () => wrote((m) => m.model.askPending()),
  sent: async (limit) => (await memories()).model.sent({ limit }),
  clearSent: async () => (await memories()).model.clearSent(),
  feedback: (id, word, query, session) => wrote((m) => m.review.feedback(id, word, { query, session })),
  nodes: async (query) => (await memories()).graph.nodes(query),
  pulse: async (days) => (await memories()).data.metrics({ days }),
  collectMergeCandidates: async (options) => (await memories()).sleep.candidates(options),
  runSleepCycle: (maxNodes) => wrote((m) => m.sleep.run({ maxNodes })),
  finalizeSession: (session) => wrote(async (m) => void (await m.sleep.endSession(session))),
  async erase() {
    await archive.cancel();
    await erase();
    await chrome.alarms.clear('copy');
    await chrome.action.setBadgeText({ text: '' });
    noticed();
  },

  async status() {
    const state = await memories().then(
      async (m): Promise<Pick<Status, 'fault' | 'reviews' | 'memories' | 'sleep'>> => {
        const some = await m.list({ limit: 1 });
        return { fault: null, reviews: await waitingReviews(), memories: some.length, sleep: true };
      },
      (reason) => ({ fault: { code: codeOf(reason), message: String(reason?.message ?? reason) }, reviews: 0, memories: 0, sleep: false }),
    );
    const { endpoint, builtIn } = await settings();
    const wrapped = await kept('key');
    const here = endpoint && (await key(originOf(endpoint.url), endpoint.dialect));
    return {
      ...state,
      rest: (await kept('rest')) ?? null,
      queued: await waiting().catch(() => 0),
      aside: (await asides().catch(() => [])).map(({ key, subject = '', from = '', code, asideAt }) => ({ key, subject, from, code, at: asideAt })),
      missing: (await kept('missing')) ?? [],
      loss: (await kept('loss')) ?? null,
      import: (await kept('import')) ?? null,
      copiedAt: (await kept('copiedAt')) ?? null,
      key: here ? 'here' : wrapped ? 'locked' : 'none',
      answers: endpoint ? here !== undefined || !wrapped : builtIn,
    };
  },
  async thread(account, thread) {
    const engine = await memories();
    const mails = (await ofThread(account, thread)).sort((a, b) => (a.id.length - b.id.length) || (a.id < b.id ? -1 : 1));
    const wanted = new Set(mails.flatMap((m) => m.entries.map((e) => e.id)));
    const from = mails.map((m) => m.since).sort()[0];
    const entries: LogEntry[] = [];
    // Oldest first: what was said of a decision, and what was said of that.
    for (const entry of from === undefined ? [] : await engine.data.log({ from })) {
      if (!wanted.has(entry.id) && !(entry.about !== undefined && wanted.has(entry.about))) continue;
      wanted.add(entry.id);
      entries.unshift(entry);
    }
    const ids = new Set(entries.flatMap((e) => [e.memoryId, e.targetId, ...e.touched]).filter((id) => id !== undefined));
    const known: Memory[] = [];
    for (const id of ids) {
      const memory = await engine.get(id);
      if (memory) known.push(memory);
    }
    return {
      thread,
      subject: mails.find((m) => m.subject)?.subject ?? '',
      mails: mails.length,
      entries,
      memories: known,
      open: await waiting(),
      failed: mails.filter((m) => m.fault).length,
    };
  },
  settings,
  async save(next) {
    const now = checked(next);
    const before = await settings();
    await keep('settings', now);
    // A key goes to the address and by the interface that it was saved for; with another it is no longer this one's.
    const [was, is] = [before.endpoint, now.endpoint];
    if (originOf(was?.url ?? '') !== originOf(is?.url ?? '') || was?.dialect !== is?.dialect) await dropKey();
    await close();
    noticed();
    return now;
  },
  async saveKey(value, passphrase) {
    const { endpoint } = await settings();
    if (!endpoint) return;
    await saveKey(value, { origin: originOf(endpoint.url), dialect: endpoint.dialect }, passphrase || undefined);
    await close();
    noticed();
  },
  async unlock(passphrase) {
    const open = await unlockKey(passphrase);
    if (open) await close();
    noticed();
    return open;
  },
  async testModel() {
    const { endpoint } = await settings();
    if (!endpoint) throw Object.assign(new Error('no endpoint is saved'), { code: 'not_found' });
    const secret = await key(originOf(endpoint.url), endpoint.dialect);
    return testEndpoint({ ...endpoint, ...(secret ? { key: secret } : {}) });
  },
  async dropKey() {
    await dropKey();
    await close();
    noticed();
  },
  async tryAgain(mail) {
    await renew(mail);
    await drain();
  },
  async drop(mail) {
    await dropAside(mail);
    await badge();
    noticed();
  },
  async dismiss(what) {
    await discard(what);
    await badge();
    noticed();
  },
  startImport: async (name, account) => void (await archive.start(name, account)),
  async cancelImport() {
    await archive.cancel();
    noticed();
  },
  copyNow: copy,
  restNow: rest,
  async exportFile() {
    await write('export', await (await memories()).data.export());
  },
  async importFile() {
    const file = await read('given');
    if (!file) throw Object.assign(new Error('there is no file'), { code: 'not_found' });
    try {
      const { memories: n, known } = await (await memories()).data.import(await file.text());
      await changed();
      return { memories: n, known };
    } finally {
      await remove('given');
    }
  },
};
