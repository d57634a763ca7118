// The messages between Gmail's page, the extension's pages and the service worker, with shape
// checks. The worker checks the senders.
import type { Change, LogEntry, Memory } from 'memfold';
import type { Place } from '../../shared/types';
import type { Fault } from '../../shared/engine/error';

/** A visible message: its Gmail id and author. */
export type Shown = { id: string; from: string; name: string };

/** An opened thread, without its texts. */
export type Opened = { account: string; thread: string; subject: string; labels: string[]; messages: Shown[] };

/** A mail: the original, or one built from the page. */
export type Read = { id: string; raw: string; original: boolean };

/** Messages from Gmail's page. */
export type FromMail =
  | { say: 'opened'; view: Opened }
  | { say: 'mails'; view: Opened; mails: Read[] }
  | { say: 'reader'; missing: string[] }
  | { say: 'panel' };

/** Counts of the open mails' results, without text. `suspected` counts prompt injections. */
export type Outcome = { remembered: number; updated: number; known: number; waiting: number; failed: number; open: number; suspected: number };

/**
 * `wanted`: messages to send. `off`: why nothing is read, by the list or a pause with its end.
 * `lacksModel`: the chosen model is missing.
 */
export type ToMail = { wanted?: string[]; outcome?: Outcome; off?: 'alone' | 'paused'; until?: number | null; lacksModel?: boolean; fault?: string };

/** A pause of everything, a sender or a label, until a time or until the owner ends it. */
export type Pause = { of: 'all' | 'sender' | 'label'; name: string; until: number | null };

/** The counter of a decision; reviews are counted separately. */
export function placeOf(e: { decision: string; wrote: boolean }): 'remembered' | 'updated' | 'known' {
  return !e.wrote || e.decision === 'SKIP' ? 'known' : e.decision === 'UPDATE' ? 'updated' : 'remembered';
}

export type ReadWhat = 'never' | 'open' | 'label';
export type Dialect = 'openai' | 'anthropic' | 'gemini';
export type Endpoint = { dialect: Dialect; url: string; model: string };

export type Settings = {
  read: ReadWhat;
  label: string;
  ignorePeople: string[];
  ignoreLabels: string[];
  /** Words of a subject. */
  ignoreTopics: string[];
  /** Pauses; expired ones have no effect. */
  pauses: Pause[];
  /** Days after which memories that are not core are erased; 0 keeps them. */
  retentionDays: number;
  dailyTokens: number;
  owner: string[];
  important: string[];
  endpoint: Endpoint | null;
  builtIn: boolean;
  /** Whether the encoder on this device is used. */
  encoder: boolean;
  /** Whether personal data is masked before it is sent to a model. */
  mask: boolean;
  /** Whether a daily notification summarises changes. */
  digest: boolean;
};

export const DEFAULTS: Settings = {
  read: 'open',
  label: '',
  ignorePeople: [],
  ignoreLabels: [],
  ignoreTopics: [],
  pauses: [],
  retentionDays: 0,
  dailyTokens: 50_000,
  owner: [],
  important: [],
  endpoint: null,
  builtIn: false,
  encoder: true,
  mask: true,
  digest: false,
};

/** The state of an archive import. */
export type Import = {
  name: string;
  bytes: number;
  account: string;
  next: Place;
  drafts: number;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  failed: number;
  /** Mails skipped because of the "Never remember" list. */
  skipped?: number;
  /** Tries at this offset, and the end of the mail there, if known. */
  tries?: number;
  upto?: number;
  /** The engine's error code there. */
  code?: string;
  fault?: string;
  startedAt: number;
  endedAt?: number;
};

/** A mail that was set aside, as the pages show it. */
export type Aside = { key: string; subject: string; from: string; code: string; at: number };

/** A loss of the database, and what was restored. */
export type Loss = { at: number; copiedAt: number | null; memories: number };

/** The results of a sleep cycle that the panel shows. */
export type Rest = {
  at: number;
  lookedAt: number;
  merges: number;
  folded: number;
  tagged: number;
  moved: number;
  promoted: number;
  finished: boolean;
  entries: string[];
};

export type Status = {
  fault: { code: string; message: string } | null;
  reviews: number;
  memories: number;
  queued: number;
  aside: Aside[];
  missing: string[];
  /** The active pauses. */
  pauses: Pause[];
  loss: Loss | null;
  import: Import | null;
  copiedAt: number | null;
  key: 'none' | 'here' | 'locked';
  /** The encoder's last error code, unless it has worked since. */
  encoder: string | null;
  /** Whether a model can answer questions. */
  answers: boolean;
  /** Whether the engine can run sleep cycles, and the last result. */
  sleep: boolean;
  rest: Rest | null;
};

/** The decisions about a thread's mails, with their memories. */
export type Thread = {
  thread: string;
  subject: string;
  mails: number;
  entries: LogEntry[];
  memories: Memory[];
  open: number;
  failed: number;
  sources: Record<string, string>;
};

/** The panel's request to Gmail's page for the visible text. */
export type AskText = { say: 'text' };
export type ShownText = { id: string; from: string; name: string; at: string; text: string };
export type TextReply = { account: string; thread: string; subject: string; mails: ShownText[] };

/** Most characters of a message shown in the panel. */
export const MOST_TEXT = 60_000;

/** A notification to the pages: changes, or an empty list if other data has changed. */
export type News = { news: Change[] };

export type FromPage = { ask: string; args: unknown[] };
export type ToPage = { value: unknown } | { fault: Fault };

const LINE = 1_000;
/** Most characters of a mail; attachments come later. */
export const MOST_RAW = 600_000;
const MOST_MESSAGES = 200;

const text = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most;
const texts = (value: unknown, most: number): value is string[] => Array.isArray(value) && value.length <= MOST_MESSAGES && value.every((v) => text(v, most));
const number = (value: unknown): value is string => typeof value === 'string' && /^\d{1,20}$/.test(value);
const list = <T>(value: unknown, of: (v: Record<string, unknown>) => boolean): value is T[] =>
  Array.isArray(value) && value.length <= MOST_MESSAGES && value.every((v) => typeof v === 'object' && v !== null && of(v as Record<string, unknown>));

function isOpened(value: unknown): value is Opened {
  const v = (value ?? {}) as Record<string, unknown>;
  return (
    text(v.account, LINE) &&
    number(v.thread) &&
    text(v.subject, 4 * LINE) &&
    texts(v.labels, LINE) &&
    list<Shown>(v.messages, (m) => number(m.id) && text(m.from, LINE) && text(m.name, LINE))
  );
}

/** Whether a value is a valid message from Gmail's page. */
export function isFromMail(value: unknown): value is FromMail {
  const v = (value ?? {}) as Record<string, unknown>;
  switch (v.say) {
    case 'opened':
      return isOpened(v.view);
    case 'mails':
      return isOpened(v.view) && list<Read>(v.mails, (m) => number(m.id) && text(m.raw, MOST_RAW) && typeof m.original === 'boolean');
    case 'reader':
      return texts(v.missing, 40);
    case 'panel':
      return true;
    default:
      return false;
  }
}

export const isFromPage = (value: unknown): value is FromPage => {
  const v = (value ?? {}) as Record<string, unknown>;
  return text(v.ask, 40) && Array.isArray(v.args);
};

export const isNews = (value: unknown): value is News => Array.isArray((value as Partial<News> | null)?.news);

export const isAskText = (value: unknown): value is AskText => (value as Partial<AskText> | null)?.say === 'text';

export function isTextReply(value: unknown): value is TextReply {
  const v = (value ?? {}) as Record<string, unknown>;
  return (
    text(v.account, LINE) &&
    number(v.thread) &&
    text(v.subject, 4 * LINE) &&
    list<ShownText>(v.mails, (m) => number(m.id) && text(m.from, LINE) && text(m.name, LINE) && text(m.at, 40) && text(m.text, MOST_TEXT))
  );
}
