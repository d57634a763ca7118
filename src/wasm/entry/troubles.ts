// `onTrouble`: reports failed model and embedder requests and refused replies. It reads `model.sent`, receipts and the
// log, only while there are listeners.
import { callSafely, type Stop } from './changes.js';
import type { LogEntry, MailReceipt, ModelFault, Reason, RequestPurpose, Sent } from './types.js';

/** A problem with a model or embedder. No memory is lost: the local result is used. */
export interface Trouble {
  /** The cause, as in `model.usage().lastFailure`; `wrong_form` for a refused reply. */
  code: ModelFault | 'wrong_form';
  /** The time; for a request, when it was sent. */
  at: string;
  /** The purpose: `mail` (also for notes and drafts), `answer`, `summary`, `tags` or `embeddings`. */
  purpose: RequestPurpose;
  /** The origin and the model's name, where known. */
  to?: string;
  model?: string;
  /** The option that caused it, if known. */
  field?: string;
  /** For a refused reply: the broken rule, such as `no_evidence`. */
  rule?: ModelFault;
  /** For a reply to a mail: the number of the refused entry, from 1; absent for the whole reply. */
  entry?: number;
  /** The invalid field of that entry, such as `op` or `links[0].type`. */
  replyField?: string;
  /** A sentence for people. */
  message: string;
  /** Whether the same request may succeed later. */
  retryable: boolean;
}

/** A listener for problems. */
export type HearsTrouble = (trouble: Trouble) => void;

/**
 * The messages of all codes, as in docs/errors.md.
 * @internal
 */
export const MEANS: Record<string, string> = {
  failed: 'The analyst failed.',
  timeout: 'The analyst took too long.',
  too_large: 'The reply is longer than 32 KB, or has too many entries.',
  not_json: 'The reply has no JSON object, or several answers.',
  malformed: 'A value has a wrong type, is unknown, missing or too long.',
  unknown_handle: 'A candidate that was not sent, or that occurs twice.',
  unanswered: 'The reply leaves out this memory, but answers others of the same prompt.',
  two_updates: 'More than one candidate would be replaced.',
  no_evidence: 'A change that the texts do not state.',
  wrong_language: 'A text in a language of neither the mail nor the memory.',
  leak: 'The reply reveals parts of the prompt that no mail can know.',
  moved: 'The stored memory changed before the reply arrived.',
  nothing_found: "The model found nothing to keep in the owner's note.",
  over_budget: 'The token budget of the day or of the import is used up; nothing was sent.',
  resting: 'The endpoint failed, or three replies in a row were unreadable, a short while ago; nothing was sent.',
  unreachable: 'The endpoint could not be reached, or the connection broke.',
  redirected: 'The endpoint redirected to another address; redirects are not followed.',
  unauthorized: 'The endpoint rejects the key.',
  not_found: 'The endpoint has no such path or model.',
  rejected: 'The endpoint rejects the request.',
  rate_limited: 'The endpoint accepts no more requests for now.',
  server_error: 'The endpoint failed.',
};
/** Messages for embedders. */
const EMBEDDER_MESSAGES: Record<string, string> = {
  ...Object.fromEntries(Object.entries(MEANS).map(([code, said]) => [code, said.replace('analyst', 'embedder')])),
  malformed: 'It did not return one list of finite numbers for each text.',
  wrong_dimension: 'Its vectors have another length than earlier ones or than requested.',
  indistinct: 'It barely separates equal texts from unrelated ones, so no decision uses it.',
};
/** Messages for pair classification. */
const PAIR_MESSAGES: Record<string, string> = { ...EMBEDDER_MESSAGES, malformed: 'It did not return four finite numbers for each pair.' };
/** The purposes that use an embedder. */
const EMBEDDER_PURPOSES: ReadonlySet<string> = new Set(['embeddings', 'judgements']);
/** Rules for refusing vectors and classifications. */
const VECTOR_RULES: ReadonlySet<string> = new Set(['not_json', 'too_large', 'malformed', 'wrong_dimension', 'indistinct']);
/**
 * Temporary failures: of the connection or the budget.
 * @internal
 */
export const MAY_PASS: ReadonlySet<string> = new Set(['timeout', 'moved', 'over_budget', 'resting', 'unreachable', 'rate_limited', 'server_error']);
/** Codes that are not rules for replies: failed requests, and a valid reply without memories. */
const NOT_RULES: ReadonlySet<string> = new Set([...MAY_PASS, 'failed', 'redirected', 'unauthorized', 'not_found', 'rejected', 'nothing_found']);
/** The endpoint option that causes a code. */
const FAULTY_OPTIONS: Record<string, string> = { unauthorized: 'key', redirected: 'url' };

/** The number of recent requests and log entries to examine. */
const RECENT = 50;
/** Milliseconds until a check after a call, and between checks during one. */
const SOON = 20;
const MEANWHILE = 1_000;
/** The pause after a check, as a multiple of its duration: reading sent texts may take long. */
const REST = 10;

/** A refused part of a reply. */
export type Refused = { at: string; purpose: RequestPurpose; rule: ModelFault; entry?: number; replyField?: string; detail?: string };
/** A failed request, or one whose reply was refused. */
type Failed = Pick<Trouble, 'code' | 'at' | 'purpose' | 'to' | 'model' | 'rule' | 'entry' | 'replyField'> & { detail?: string };
/** The engine methods used here. */
interface Asked {
  sent(limit: number): Promise<Sent[]>;
  log(query: { newestFirst?: boolean; limit?: number; from?: string }): Promise<[LogEntry[], unknown]>;
}

const modelOf = ({ to, model }: Pick<Sent, 'to' | 'model'>) => ({ ...(to !== undefined && { to }), ...(model !== undefined && { model }) });
/** The code of a failed request; refused vectors are `wrong_form` with a rule. */
const codeOf = (fault: ModelFault, purpose: RequestPurpose): Pick<Failed, 'code' | 'rule'> =>
  EMBEDDER_PURPOSES.has(purpose) && VECTOR_RULES.has(fault) ? { code: 'wrong_form', rule: fault } : { code: fault };
const failures = (sent: Sent[]): Failed[] =>
  sent.flatMap((s) =>
    s.outcome === 'answered' || s.outcome === 'unanswered' || s.outcome === 'given_up'
      ? []
      : [{ ...codeOf(s.outcome, s.purpose), at: s.time, purpose: s.purpose, ...modelOf(s) }],
  );
const refusedRules = (reasons: Reason[]): ModelFault[] => reasons.flatMap((r) => (r.kind === 'model_refused' && !NOT_RULES.has(r.error) ? [r.error] : []));

/** Finds the request of a refused reply: the last answered one of the same purpose. */
function findRefusedRequest({ at, purpose, ...refused }: Refused, sent: Sent[]): Failed {
  const asked = sent.find((s) => s.outcome === 'answered' && s.purpose === purpose && s.time <= at);
  return { code: 'wrong_form', at, purpose, ...refused, ...(asked && modelOf(asked)) };
}

/** The purpose of a log entry's question. */
const purposeOf = (entry: LogEntry): RequestPurpose => (entry.action === 'merge' ? 'summary' : 'mail');

/**
 * The last failed request or refused reply among the recent ones.
 * @internal
 */
export async function lastFailure(asked: Asked): Promise<Failed | undefined> {
  const sent = await asked.sent(RECENT);
  if (sent.length === 0) return undefined;
  const [entries] = await asked.log({ newestFirst: true, limit: RECENT });
  const entry = entries.find((e) => refusedRules(e.reasons).length > 0);
  const refused = entry && findRefusedRequest({ at: entry.time, purpose: purposeOf(entry), rule: refusedRules(entry.reasons)[0]! }, sent);
  const [failed] = failures(sent);
  // Invalid JSON is recorded both as a failed request and as a log reason; report it once.
  if (failed && refused?.rule === failed.code && failed.purpose === refused.purpose) return failed;
  return refused && (!failed || refused.at > failed.at) ? refused : failed;
}

/** The refused parts of a mail's reply, from its receipt and its decisions. */
function refusedInMail({ refused = [], receipts }: MailReceipt): Refused[] {
  // A mail imported before was not asked about again.
  if (receipts.length > 0 && receipts.every(({ replayed }) => replayed)) return [];
  const at = new Date().toISOString();
  const named = refused.map(
    ({ entry, error, field, detail }): Refused => ({
      at,
      purpose: 'mail',
      rule: error,
      entry,
      ...(field !== undefined && { replyField: field }),
      ...(detail !== undefined && { detail }),
    }),
  );
  const known = new Set(named.map(({ rule }) => rule));
  // A reply refused as a whole is a reason of each decision that the rules made instead.
  const whole = new Set(receipts.flatMap(({ entry, replayed }) => (replayed ? [] : refusedRules(entry.reasons))));
  return [...named, ...[...whole].filter((rule) => !known.has(rule)).map((rule): Refused => ({ at, purpose: 'mail', rule }))];
}

type Receipted = { entry: LogEntry; replayed?: boolean };
/** Extracts the refused replies from a call's result. */
const REFUSED_PARTS: Record<string, (value: never) => Refused[]> = {
  consolidate: ({ entry, replayed }: Receipted) => (replayed ? [] : refusedRules(entry.reasons).map((rule) => ({ at: entry.time, purpose: 'mail', rule }))),
  add: refusedInMail,
  ask: ({ refused }: { refused?: ModelFault }) =>
    refused !== undefined && !NOT_RULES.has(refused) ? [{ at: new Date().toISOString(), purpose: 'answer', rule: refused }] : [],
  intake: ({ receipts }: { receipts: MailReceipt[] }) => receipts.flatMap(refusedInMail),
  search: () => [],
  reembed: () => [],
  runSleepCycle: () => [],
  finalizeSession: () => [],
  waitForTagging: () => [],
};

/** Whether a model and an embedder are set, and whether each is an endpoint with its own options. */
export interface ConfiguredModels {
  model: boolean;
  embeds: boolean;
  endpoint: boolean;
  embeddings: boolean;
}

/** The problems of one memory. */
export class Troubles {
  readonly #listeners = new Set<HearsTrouble>();
  readonly #asked: Asked;
  readonly #whom: ConfiguredModels;
  /** The failures already reported. */
  #reported = new Set<string>();
  #since = '';
  #refused: Refused[] = [];
  #running = 0;
  /** Finished calls whose results are still being examined. */
  readonly #ending = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = 0;
  #notBefore = 0;

  constructor(asked: Asked, whom: ConfiguredModels) {
    this.#asked = asked;
    this.#whom = whom;
  }

  subscribe(hears: HearsTrouble): Stop {
    if (this.#listeners.size === 0) this.#since = new Date().toISOString();
    this.#listeners.add(hears);
    return () => void this.#listeners.delete(hears);
  }

  /** Checks for problems during and after a call that may use a model or embedder. */
  watch<T>(verb: string, done: Promise<T>): Promise<T> {
    const { model, embeds } = this.#whom;
    const asks = verb === 'search' ? embeds : model || embeds;
    if (this.#listeners.size === 0 || !asks || !Object.hasOwn(REFUSED_PARTS, verb)) return done;
    const began = new Date().toISOString();
    this.#running += 1;
    this.#schedule(MEANWHILE);
    const ended = async (value: T): Promise<void> => {
      this.#refused.push(...REFUSED_PARTS[verb]!(value as never));
      if (verb === 'runSleepCycle') await this.#collectMerges(began);
    };
    const over = done
      .then(ended)
      .catch(() => undefined)
      .finally(() => {
        this.#ending.delete(over);
        this.#running -= 1;
        this.#schedule(SOON);
      });
    this.#ending.add(over);
    return done;
  }

  /** Reports the remaining problems. */
  async close(): Promise<void> {
    if (this.#listeners.size > 0) {
      // Do not wait long for a pending call, which may never end.
      await Promise.race([Promise.all(this.#ending), new Promise((resolve) => setTimeout(resolve, SOON))]);
      await this.#report();
    }
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  /** Collects the summaries refused since then. */
  async #collectMerges(from: string): Promise<void> {
    const [entries] = await this.#asked.log({ from });
    for (const entry of entries)
      if (entry.action === 'merge') this.#refused.push(...refusedRules(entry.reasons).map((rule): Refused => ({ at: entry.time, purpose: 'summary', rule })));
  }

  #schedule(ms: number): void {
    const due = Math.max(Date.now() + ms, this.#notBefore);
    if (this.#timer !== undefined && this.#dueAt <= due) return;
    clearTimeout(this.#timer);
    this.#dueAt = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const began = Date.now();
      const told = () => {
        this.#notBefore = Date.now() + REST * (Date.now() - began);
        if (this.#running > 0) this.#schedule(MEANWHILE);
      };
      void this.#report()
        .catch(() => undefined)
        .finally(told);
    }, due - Date.now());
  }

  async #report(): Promise<void> {
    const refused = this.#refused;
    this.#refused = [];
    const sent = await this.#asked.sent(RECENT).catch((): Sent[] => []);
    const times = new Map<string, number>();
    // Equal failures within the same millisecond are numbered, since each counts.
    const known = failures(sent).map((failed) => {
      const what = JSON.stringify(failed);
      times.set(what, (times.get(what) ?? 0) + 1);
      return { failed, name: `${what} ${times.get(what)}` };
    });
    const news = known.filter(({ failed, name }) => failed.at >= this.#since && !this.#reported.has(name));
    this.#reported = new Set(known.map(({ name }) => name));
    // Requests are stored newest first; report the oldest first.
    for (const { failed } of news.reverse()) this.#emit(failed);
    const codes = new Set(news.map(({ failed }) => failed.code));
    // Invalid JSON is recorded both as a failed request and as a log reason; report it once.
    for (const one of refused) if (!codes.has(one.rule)) this.#emit(findRefusedRequest(one, sent));
  }

  #emit({ detail, ...failed }: Failed): void {
    const { code, rule, purpose, to } = failed;
    const [option, isEndpoint] = EMBEDDER_PURPOSES.has(purpose) ? ['embedder', this.#whom.embeddings] : ['model', this.#whom.endpoint];
    const field = to !== undefined && isEndpoint && code in FAULTY_OPTIONS ? { field: `${option}.${FAULTY_OPTIONS[code]}` } : {};
    const means = purpose === 'judgements' ? PAIR_MESSAGES : purpose === 'embeddings' ? EMBEDDER_MESSAGES : MEANS;
    const message =
      rule === undefined
        ? (means[code] ?? 'The reply is unusable.')
        : `The reply was refused. ${detail === undefined ? (means[rule] ?? '') : `${detail}.`}`.trim();
    for (const hears of [...this.#listeners]) callSafely(() => hears({ ...failed, ...field, message, retryable: MAY_PASS.has(code) }));
  }
}
