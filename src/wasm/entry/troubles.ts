// What goes wrong with a model or an embedder, told as it happens: a request that failed, a part of a reply that was refused. It reads
// what the engine notes of both (`model.sent`, receipts, the log), and only where somebody wants to hear of it.
import { apart, type Stop } from './changes.js';
import type { LogEntry, MailReceipt, Reason, Sent } from './types.js';

/** What went wrong with a model or an embedder. No memory is lost by it: the local answer stands. */
export interface Trouble {
  /** Why, as `model.usage().lastFailure` has it; `wrong_form` where a reply came and was refused. */
  code: string;
  /** When: of a request when it was sent. */
  at: string;
  /** What was asked for: `mail` (a note or a new memory as well), `answer`, `summary`, `tags` or `embeddings`. */
  purpose: string;
  /** Whom: the origin, where it is known, and the model's name, where it has one. */
  to?: string;
  model?: string;
  /** The option that is at fault, where that was learnt. */
  field?: string;
  /** Of a refused reply: the rule that it breaks, such as `no_evidence`. */
  rule?: string;
  /** Of the reply to a mail: the entry that was refused, from 1; absent where it is the whole. */
  entry?: number;
  /** Of that entry: the field that is at fault, such as `op` or `links[0].type`. */
  replyField?: string;
  /** In a sentence. */
  message: string;
  /** Whether the same may be answered later, without anything being done. */
  retryable: boolean;
}

/** Hears of a trouble. */
export type HearsTrouble = (trouble: Trouble) => void;

/**
 * What each code means, as docs/errors.md has it.
 * @internal
 */
export const MEANS: Record<string, string> = {
  failed: 'The analyst failed.',
  timeout: 'The analyst took too long.',
  too_large: 'The reply is longer than 32 KB, or has more entries than are read.',
  not_json: 'The reply holds no JSON object, or more than one answer.',
  malformed: 'A value of another type, an unknown word, a missing field, or one that is too long.',
  unknown_handle: 'A candidate that was not sent, or one twice.',
  unanswered: 'The reply says nothing of this memory, though of others that were asked about with it.',
  two_updates: 'More than one candidate would be replaced.',
  no_evidence: 'A change that the texts do not say.',
  wrong_language: 'A text in a language that neither the mail nor the memory has.',
  leak: 'The reply repeats what only the question knows.',
  moved: 'What is stored moved while the question was out.',
  nothing_found: 'The model found nothing to keep in a note of the owner\'s.',
  over_budget: 'The tokens of the day or of the import are used up; nothing was sent.',
  resting: 'The endpoint failed, or three replies in a row could not be read, a short while ago; nothing was sent.',
  unreachable: 'The endpoint could not be reached, or broke off.',
  redirected: 'The endpoint sent on to another address, where nothing is sent.',
  unauthorized: 'The endpoint does not take the key.',
  not_found: 'The endpoint knows no such path or model.',
  rejected: 'The endpoint does not take the request.',
  rate_limited: 'The endpoint takes no more requests for now.',
  server_error: 'The endpoint failed.',
};
/** The same of an embedder. */
const OF_VECTORS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(MEANS).map(([code, said]) => [code, said.replace('analyst', 'embedder')])),
  malformed: 'It gave something other than one list of finite numbers for each text.',
  wrong_dimension: 'Its vectors have another length than those before, or than was asked for.',
  indistinct: 'It hardly tells what says the same from what is unrelated, so nothing is decided by it.',
};
/** The same of an embedder that judges pairs. */
const OF_PAIRS: Record<string, string> = { ...OF_VECTORS, malformed: 'It gave something other than four finite numbers for each pair.' };
/** What an embedder is asked for. */
const EMBEDS: ReadonlySet<string> = new Set(['embeddings', 'judgements']);
/** What vectors and judgements that came back are refused for. */
const OF_VECTORS_RULES: ReadonlySet<string> = new Set(['not_json', 'too_large', 'malformed', 'wrong_dimension', 'indistinct']);
/**
 * What may pass by itself: what failed was the way there, or the budget.
 * @internal
 */
export const MAY_PASS: ReadonlySet<string> = new Set(['timeout', 'moved', 'over_budget', 'resting', 'unreachable', 'rate_limited', 'server_error']);
/** What is no rule that a reply may break, but of the way to it; and a reply that is right as it is. */
const WAY: ReadonlySet<string> = new Set([...MAY_PASS, 'failed', 'redirected', 'unauthorized', 'not_found', 'rejected', 'nothing_found']);
/** What an option is at fault for. */
const FIELDS: Record<string, string> = { unauthorized: 'key', redirected: 'url' };
/** How a request ends that did not fail. */
const NO_FAILURE: ReadonlySet<string> = new Set(['answered', 'unanswered', 'given_up']);

/** Requests, and entries of the log, the newest first, among which is looked. */
const RECENT = 50;
/** Milliseconds after a call at which is looked, and between two looks while it goes on. */
const SOON = 20;
const MEANWHILE = 1_000;
/** So many times as long as a look took, the next one waits at least: what left this device may be a megabyte of notes. */
const REST = 10;

/** A part of a reply that was refused. */
export type Refused = { at: string; purpose: string; rule: string; entry?: number; replyField?: string; detail?: string };
/** The request that failed, or whose reply was refused. */
type Failed = Pick<Trouble, 'code' | 'at' | 'purpose' | 'to' | 'model' | 'rule' | 'entry' | 'replyField'> & { detail?: string };
/** What it is asked of. */
interface Asked {
  sent(limit: number): Promise<Sent[]>;
  log(query: { newestFirst?: boolean; limit?: number; from?: string }): Promise<[LogEntry[], unknown]>;
}

const whom = ({ to, model }: Pick<Sent, 'to' | 'model'>) => ({ ...(to !== undefined && { to }), ...(model !== undefined && { model }) });
/** A code of a request, or the rule that vectors break which came back. */
const codeOf = ({ outcome, purpose }: Sent) => (EMBEDS.has(purpose) && OF_VECTORS_RULES.has(outcome) ? { code: 'wrong_form', rule: outcome } : { code: outcome });
const failures = (sent: Sent[]): Failed[] => sent.flatMap((s) => (NO_FAILURE.has(s.outcome) ? [] : [{ ...codeOf(s), at: s.time, purpose: s.purpose, ...whom(s) }]));
const rules = (reasons: Reason[]): string[] => reasons.flatMap((r) => (r.kind === 'model_refused' && !WAY.has(r.error) ? [r.error] : []));

/** The request whose reply was refused: the last one for this, by then, that was answered. */
function refusal({ at, purpose, ...refused }: Refused, sent: Sent[]): Failed {
  const asked = sent.find((s) => s.outcome === 'answered' && s.purpose === purpose && s.time <= at);
  return { code: 'wrong_form', at, purpose, ...refused, ...(asked && whom(asked)) };
}

/** What an entry's question was for. */
const purposeOf = (entry: LogEntry): string => (entry.action === 'merge' ? 'summary' : 'mail');

/**
 * The last of the recent requests that failed, or whose reply was refused.
 * @internal
 */
export async function lastFailure(asked: Asked): Promise<Failed | undefined> {
  const sent = await asked.sent(RECENT);
  if (sent.length === 0) return undefined;
  const [entries] = await asked.log({ newestFirst: true, limit: RECENT });
  const entry = entries.find((e) => rules(e.reasons).length > 0);
  const refused = entry && refusal({ at: entry.time, purpose: purposeOf(entry), rule: rules(entry.reasons)[0]! }, sent);
  const [failed] = failures(sent);
  // An answer that is no JSON at all fails on its way already, and is a reason beside.
  if (failed && refused?.rule === failed.code && failed.purpose === refused.purpose) return failed;
  return refused && (!failed || refused.at > failed.at) ? refused : failed;
}

/** What a mail's receipt names, and what its decisions do. */
function ofMail({ refused = [], receipts }: MailReceipt): Refused[] {
  // One that came before was not asked about again.
  if (receipts.length > 0 && receipts.every(({ replayed }) => replayed)) return [];
  const at = new Date().toISOString();
  const named = refused.map(({ entry, error, field, detail }): Refused => ({
    at, purpose: 'mail', rule: error, entry, ...(field !== undefined && { replyField: field }), ...(detail !== undefined && { detail }),
  }));
  const known = new Set(named.map(({ rule }) => rule));
  // A reply that was refused as a whole is a reason of each decision that the rules took instead.
  const whole = new Set(receipts.flatMap(({ entry, replayed }) => (replayed ? [] : rules(entry.reasons))));
  return [...named, ...[...whole].filter((rule) => !known.has(rule)).map((rule): Refused => ({ at, purpose: 'mail', rule }))];
}

type Receipted = { entry: LogEntry; replayed?: boolean };
/** What a call's result tells of refused replies. */
const OF: Record<string, (value: never) => Refused[]> = {
  consolidate: ({ entry, replayed }: Receipted) => (replayed ? [] : rules(entry.reasons).map((rule) => ({ at: entry.time, purpose: 'mail', rule }))),
  add: ofMail,
  ask: ({ refused }: { refused?: string }) => (refused !== undefined && !WAY.has(refused) ? [{ at: new Date().toISOString(), purpose: 'answer', rule: refused }] : []),
  intake: ({ receipts }: { receipts: MailReceipt[] }) => receipts.flatMap(ofMail),
  askPending: () => [],
  search: () => [],
  reembed: () => [],
  runSleepCycle: () => [],
  finalizeSession: () => [],
  waitForTagging: () => [],
};

/** Who is asked: a model, an embedder, and whether each is an endpoint, whose options may be at fault. */
export interface Whom {
  model: boolean;
  embeds: boolean;
  endpoint: boolean;
  embeddings: boolean;
}

/** What went wrong in one memory. */
export class Troubles {
  readonly #hearers = new Set<HearsTrouble>();
  readonly #asked: Asked;
  /** The options that name whoever is asked. */
  readonly #whom: Whom;
  /** Failures that were told. */
  #told = new Set<string>();
  #since = '';
  #refused: Refused[] = [];
  #running = 0;
  /** Calls that have ended, of which it is not known yet what came. */
  readonly #ending = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = 0;
  #rested = 0;

  constructor(asked: Asked, whom: Whom) {
    this.#asked = asked;
    this.#whom = whom;
  }

  subscribe(hears: HearsTrouble): Stop {
    if (this.#hearers.size === 0) this.#since = new Date().toISOString();
    this.#hearers.add(hears);
    return () => void this.#hearers.delete(hears);
  }

  /** Looks, while a call that may ask somebody is under way and when it has ended, at what came of it. */
  watch<T>(verb: string, done: Promise<T>): Promise<T> {
    const { model, embeds } = this.#whom;
    const asks = verb === 'search' ? embeds : model || embeds;
    if (this.#hearers.size === 0 || !asks || !Object.hasOwn(OF, verb)) return done;
    const began = new Date().toISOString();
    this.#running += 1;
    this.#look(MEANWHILE);
    const ended = async (value: T): Promise<void> => {
      this.#refused.push(...OF[verb]!(value as never));
      if (verb === 'runSleepCycle') await this.#merged(began);
    };
    const over = done.then(ended).catch(() => undefined).finally(() => {
      this.#ending.delete(over);
      this.#running -= 1;
      this.#look(SOON);
    });
    this.#ending.add(over);
    return done;
  }

  /** Tells what is left to tell. */
  async close(): Promise<void> {
    if (this.#hearers.size > 0) {
      // A call that is out ends by itself, or never.
      await Promise.race([Promise.all(this.#ending), new Promise((resolve) => setTimeout(resolve, SOON))]);
      await this.#tell();
    }
    clearTimeout(this.#timer);
    this.#hearers.clear();
  }

  /** Summaries that were refused since then. */
  async #merged(from: string): Promise<void> {
    const [entries] = await this.#asked.log({ from });
    for (const entry of entries) if (entry.action === 'merge') this.#refused.push(...rules(entry.reasons).map((rule) => ({ at: entry.time, purpose: 'summary', rule })));
  }

  #look(ms: number): void {
    const due = Math.max(Date.now() + ms, this.#rested);
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const began = Date.now();
      const told = () => {
        this.#rested = Date.now() + REST * (Date.now() - began);
        if (this.#running > 0) this.#look(MEANWHILE);
      };
      void this.#tell().catch(() => undefined).finally(told);
    }, due - Date.now());
  }

  async #tell(): Promise<void> {
    const refused = this.#refused;
    this.#refused = [];
    const sent = await this.#asked.sent(RECENT).catch((): Sent[] => []);
    const times = new Map<string, number>();
    // Two that are alike in all, down to the millisecond, are two.
    const known = failures(sent).map((failed) => {
      const what = JSON.stringify(failed);
      times.set(what, (times.get(what) ?? 0) + 1);
      return { failed, name: `${what} ${times.get(what)}` };
    });
    const news = known.filter(({ failed, name }) => failed.at >= this.#since && !this.#told.has(name));
    this.#told = new Set(known.map(({ name }) => name));
    // Newest first, as they are kept.
    for (const { failed } of news.reverse()) this.#say(failed);
    const codes = new Set(news.map(({ failed }) => failed.code));
    // An answer that is no JSON at all fails on its way already, and is a reason beside.
    for (const one of refused) if (!codes.has(one.rule)) this.#say(refusal(one, sent));
  }

  #say({ detail, ...failed }: Failed): void {
    const { code, rule, purpose, to } = failed;
    const option = EMBEDS.has(purpose) ? 'embeddings' : 'endpoint';
    const field = to !== undefined && this.#whom[option] && code in FIELDS ? { field: `${option}.${FIELDS[code]}` } : {};
    const means = purpose === 'judgements' ? OF_PAIRS : purpose === 'embeddings' ? OF_VECTORS : MEANS;
    const message = rule === undefined ? (means[code] ?? 'What was answered cannot be used.') : `The reply was refused. ${detail === undefined ? (means[rule] ?? '') : `${detail}.`}`.trim();
    for (const hears of [...this.#hearers]) apart(() => hears({ ...failed, ...field, message, retryable: MAY_PASS.has(code) }));
  }
}
