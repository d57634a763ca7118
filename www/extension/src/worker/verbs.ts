// The operations that the extension's pages may call: some of the memory's, and the extension's
// own.
import { testEndpoint, type EndpointReport, type LogEntry, type Memory } from 'memfold';
import { unlessMissing } from '../../../shared/engine/error';
import { asked } from '../../../shared/engine/remote';
import type { Never } from '../../../shared/never';
import { howOf, type ASKED } from '../asked';
import type { Pause, Settings, Status, Thread } from '../messages';
import * as archive from './archive';
import { asides, dropAside, ofThread, renew, waiting } from './base';
import { badge, changed, waitingReviews } from './changed';
import { close, copy, erase, isLost, memories, originOf } from './engine';
import * as digest from './digest';
import { lastFault } from './encoder';
import { codeOf } from './fault';
import { read, remove, write } from './files';
import { checked, discard, dropKey, keep, kept, key, saveKey, settings, unlockKey } from './keep';
import { leave } from './offscreen';
import { forgetNames, names, peopleOf } from './names';
import { erased, notifyPages } from './news';
import * as pause from './pause';
import { drain } from './queue';
import { rest } from './rest';

async function pauses(now: Settings, next: Pause[]): Promise<Settings> {
  const saved = checked({ ...now, pauses: next });
  await keep('settings', saved);
  await pause.setAlarm();
  notifyPages();
  return saved;
}

/** The extension's own operations. */
export const own = {
  /** The worker opens the memory itself. */
  async open(): Promise<void> {
    await memories();
  },
  async eraseAll(): Promise<void> {
    await archive.cancel();
    await erase();
    await chrome.alarms.clear('copy');
    await chrome.action.setBadgeText({ text: '' });
    erased();
  },

  async status(): Promise<Status> {
    const state = await memories().then(
      async (m): Promise<Pick<Status, 'fault' | 'reviews' | 'memories' | 'sleep'>> => {
        const some = await m.list({ limit: 1 });
        return { fault: null, reviews: await waitingReviews(), memories: some.length, sleep: true };
      },
      (reason) => ({ fault: { code: codeOf(reason), message: String(reason?.message ?? reason) }, reviews: 0, memories: 0, sleep: false }),
    );
    const { endpoint, builtIn, encoder, pauses } = await settings();
    const wrapped = await kept('key');
    const here = endpoint && (await key(originOf(endpoint.url), endpoint.dialect));
    return {
      ...state,
      pauses: pauses.filter((p) => p.until === null || p.until > Date.now()),
      rest: (await kept('rest')) ?? null,
      queued: await waiting().catch(() => 0),
      aside: (await asides().catch(() => [])).map(({ key, subject = '', from = '', code, asideAt }) => ({ key, subject, from, code, at: asideAt })),
      missing: (await kept('missing')) ?? [],
      loss: (await kept('loss')) ?? null,
      import: (await kept('import')) ?? null,
      copiedAt: (await kept('copiedAt')) ?? null,
      encoder: encoder ? ((await lastFault()) ?? null) : null,
      key: here ? 'here' : wrapped ? 'locked' : 'none',
      answers: endpoint ? here !== undefined || !wrapped : builtIn,
    };
  },
  async thread(account: string, thread: string): Promise<Thread> {
    const engine = await memories();
    const mails = (await ofThread(account, thread)).sort((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
    const wanted = new Set(mails.flatMap((m) => m.entries.map((e) => e.id)));
    const from = mails.map((m) => m.since).sort()[0];
    const entries: LogEntry[] = [];
    // Oldest first: reviews of decisions, and undos of reviews.
    for (const entry of from === undefined ? [] : await engine.log.list({ from })) {
      if (!wanted.has(entry.id) && !(entry.about !== undefined && wanted.has(entry.about))) continue;
      wanted.add(entry.id);
      entries.unshift(entry);
    }
    const ids = new Set(entries.flatMap((e) => [e.memoryId, e.targetId, ...e.touched]).filter((id) => id !== undefined));
    // Includes memories that the owner added by hand.
    const known: Memory[] = await engine.list({ threadId: thread });
    for (const { id } of known) ids.delete(id);
    for (const id of ids) {
      const memory = await unlessMissing(engine.get(id));
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
      sources: Object.fromEntries(mails.flatMap((m) => (m.source ? [[m.id, m.source]] : []))),
    };
  },
  /**
   * Erases what a thread's mails taught. Memories that others contributed to return to their
   * earlier state; if later mails build on them, they are kept and counted.
   */
  async forgetThread(account: string, thread: string): Promise<{ forgotten: number; putBack: number; left: number }> {
    const engine = await memories();
    const mails = await ofThread(account, thread);
    const ids = new Set(mails.flatMap((m) => m.entries.filter((e) => e.wrote).map((e) => e.id)));
    const from = mails.map((m) => m.since).sort()[0];
    const entries = from === undefined ? [] : (await engine.log.list({ from, newestFirst: true })).filter((e) => ids.has(e.id));
    const sources = new Set(entries.flatMap((e) => e.sourceId ?? []));
    const outcome = { forgotten: 0, putBack: 0, left: 0 };
    const gone = new Set<string>();
    const parts = new Set<string>();
    const people = new Set<string>();
    for (const entry of entries) {
      const versions = entry.memoryId ? await engine.history(entry.memoryId).catch(() => []) : [];
      const head = versions.at(-1);
      if (!head || gone.has(head.id)) continue;
      for (const one of peopleOf(versions)) people.add(one);
      if (versions.every((v) => (v.statements ?? []).every((s) => s.source !== undefined && sources.has(s.source)))) {
        gone.add(head.id);
        continue;
      }
      try {
        await engine.undo(entry.id);
        outcome.putBack++;
        // What remained of it is deleted and can be erased now.
        parts.add(entry.memoryId as string);
      } catch {
        outcome.left++;
      }
    }
    outcome.forgotten = gone.size;
    if (gone.size + parts.size > 0) {
      await engine.erase([...gone, ...parts]);
      await forgetNames([...people], engine);
      await copy();
    }
    await changed();
    return outcome;
  },
  settings,
  names,
  /** Stores the "Never remember" list without reopening the engine. */
  async never({ people, topics }: Never): Promise<void> {
    await keep('settings', checked({ ...(await settings()), ignorePeople: people, ignoreTopics: topics }));
    notifyPages();
  },
  /** Starts or ends a pause without reopening the engine. */
  async pause({ of, name, until }: Pause): Promise<Settings> {
    const now = await settings();
    const others = now.pauses.filter((p) => p.of !== of || p.name.toLowerCase() !== name.toLowerCase());
    return pauses(now, [...others, { of, name, until }]);
  },
  async unpause({ of, name }: Pick<Pause, 'of' | 'name'>): Promise<Settings> {
    const now = await settings();
    return pauses(
      now,
      now.pauses.filter((p) => p.of !== of || p.name !== name),
    );
  },
  async save(next: Settings): Promise<Settings> {
    const now = checked(next);
    const before = await settings();
    await keep('settings', now);
    // A key is only valid for the origin and API that it was stored for.
    const [was, is] = [before.endpoint, now.endpoint];
    if (originOf(was?.url ?? '') !== originOf(is?.url ?? '') || was?.dialect !== is?.dialect) await dropKey();
    await close();
    if (!now.encoder && (!now.builtIn || now.endpoint)) await leave();
    await digest.setAlarm();
    await pause.setAlarm();
    notifyPages();
    return now;
  },
  async saveKey(value: string, passphrase: string): Promise<void> {
    const { endpoint } = await settings();
    if (!endpoint) return;
    await saveKey(value, { origin: originOf(endpoint.url), dialect: endpoint.dialect }, passphrase || undefined);
    await close();
    notifyPages();
  },
  async unlock(passphrase: string): Promise<boolean> {
    const open = await unlockKey(passphrase);
    if (open) await close();
    notifyPages();
    return open;
  },
  async testModel(): Promise<EndpointReport> {
    const { endpoint } = await settings();
    if (!endpoint) throw Object.assign(new Error('no endpoint is saved'), { code: 'not_found' });
    const secret = await key(originOf(endpoint.url), endpoint.dialect);
    return testEndpoint({ ...endpoint, ...(secret ? { key: secret } : {}) });
  },
  async dropKey(): Promise<void> {
    await dropKey();
    await close();
    notifyPages();
  },
  async tryAgain(mail: string): Promise<void> {
    await renew(mail);
    await drain();
  },
  async drop(mail: string): Promise<void> {
    await dropAside(mail);
    await badge();
    notifyPages();
  },
  async dismiss(what: 'loss' | 'missing' | 'import'): Promise<void> {
    await discard(what);
    await badge();
    notifyPages();
  },
  async startImport(name: string, account: string): Promise<void> {
    await archive.start(name, account);
  },
  async cancelImport(): Promise<void> {
    await archive.cancel();
    notifyPages();
  },
  copyNow: copy,
  restNow: rest,
  async exportFile(): Promise<void> {
    await write('export', await (await memories()).data.export());
  },
  async importFile(): Promise<{ memories: number; known: number }> {
    const file = await read('given');
    if (!file) throw Object.assign(new Error('the file is missing'), { code: 'not_found' });
    try {
      const { memories: n, known } = await (await memories()).data.import(await file.text());
      await changed();
      return { memories: n, known };
    } finally {
      await remove('given');
    }
  },
  // One of the memory's names would hide its operation.
} satisfies Record<string, unknown> & { [name in keyof typeof ASKED]?: never };

export type Own = typeof own;

/** The engine's answer; if its database was lost, another is opened and reads are repeated. */
async function answer(path: string[], args: unknown[], again: boolean): Promise<unknown> {
  const engine = await memories();
  try {
    return await asked(engine, path, args);
  } catch (reason) {
    if (!(await isLost(engine, codeOf(reason))) || !again) throw reason;
    return asked(await memories(), path, args);
  }
}

/** The people named by memories that are about to be erased. */
async function named(ids: unknown): Promise<string[]> {
  const engine = await memories();
  const found = await Promise.all([ids].flat().map((id) => engine.history(String(id)).catch(() => [])));
  return peopleOf(found.flat());
}

/** Runs an operation for a page. */
export async function answered(verb: string, args: unknown[]): Promise<unknown> {
  if (Object.hasOwn(own, verb)) return asked(own, [verb], args);
  const how = howOf(verb);
  if (how === undefined) throw Object.assign(new Error(`unknown method ${verb}`), { code: 'invalid_input' });
  const people = how === 'erases' ? await named(args[0]) : [];
  const value = await answer(verb.split('.'), args, how === 'reads');
  const { dryRun = false } = (args.at(-1) ?? {}) as { dryRun?: boolean };
  if (how === 'erases') {
    await forgetNames(people, await memories());
    await copy();
  }
  if (how === 'erases' || (how === 'writes' && !dryRun)) await changed();
  return value;
}
