// What Gmail's page, the extension's pages and its service worker say to each other, and what counts as well said.
// Checks shapes only; who may say what is the worker's to decide.
import type { Change, LogEntry, Memory, Place } from 'memfold';
import type { Fault } from '../../shared/engine/error';

/** A message on the screen, as the reader found it: its Gmail number, and who wrote it. */
export type Shown = { id: string; from: string; name: string };

/** A thread that was opened. Nothing of a text is in it. */
export type Opened = { account: string; thread: string; subject: string; labels: string[]; messages: Shown[] };

/** A mail as it was read: the original, or one made from what the page shows. */
export type Read = { id: string; raw: string; original: boolean };

/** What Gmail's page may say. */
export type FromMail =
  | { say: 'opened'; view: Opened }
  | { say: 'mails'; view: Opened; mails: Read[] }
  | { say: 'reader'; missing: string[] }
  | { say: 'panel' };

/** What became of the open mails. Counts only: no text of another mail goes back to a page. */
export type Outcome = { remembered: number; updated: number; known: number; waiting: number; failed: number; open: number; /** Texts that give orders to an assistant. */ suspected: number };

/**
 * `wanted` are the messages to be read. `off` says why nothing is read here: left alone for good, or paused, until when where that is
 * known. `lacksModel` says that a model was chosen and none is there.
 */
export type ToMail = { wanted?: string[]; outcome?: Outcome; off?: 'alone' | 'paused'; until?: number | null; lacksModel?: boolean; fault?: string };

/** A pause: of all, of a sender or of a label, until a time or until its owner ends it. */
export type Pause = { of: 'all' | 'sender' | 'label'; name: string; until: number | null };

/** The one place in which a decision is counted; whether it needs a look is told beside. */
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
  /** What is paused; one that is over counts for nothing. */
  pauses: Pause[];
  /** Days after which what is not core is forgotten; 0 keeps it. */
  retentionDays: number;
  dailyTokens: number;
  owner: string[];
  important: string[];
  endpoint: Endpoint | null;
  builtIn: boolean;
  /** Whether the encoder on this device compares and finds texts by meaning. */
  encoder: boolean;
  /** Whether a model sees marks instead of addresses and numbers of persons. */
  mask: boolean;
  /** Whether a notification once a day tells what has changed. */
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

/** How an import of an archive stands. */
export type Import = {
  name: string;
  bytes: number;
  account: string;
  next: Place;
  drafts: number;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  failed: number;
  /** Mails that were skipped since they are never remembered. */
  skipped?: number;
  /** Tries that were begun at this place, and how far the mail that lies there reaches, where that is known. */
  tries?: number;
  upto?: number;
  /** What the engine said when it gave up there. */
  code?: string;
  fault?: string;
  startedAt: number;
  endedAt?: number;
};

/** A mail that was tried often enough and set aside, as the pages show it. */
export type Aside = { key: string; subject: string; from: string; code: string; at: number };

/** That the database was lost, and what came back. */
export type Loss = { at: number; copiedAt: number | null; memories: number };

/** What a sleep cycle did, as far as the panel tells it. */
export type Rest = { at: number; lookedAt: number; merges: number; folded: number; tagged: number; moved: number; promoted: number; finished: boolean; entries: string[] };

export type Status = {
  fault: { code: string; message: string } | null;
  reviews: number;
  memories: number;
  queued: number;
  aside: Aside[];
  missing: string[];
  /** What is paused now. */
  pauses: Pause[];
  loss: Loss | null;
  import: Import | null;
  copiedAt: number | null;
  key: 'none' | 'here' | 'locked';
  /** The code of the encoder's last failure, unless it has worked since. */
  encoder: string | null;
  /** Whether a model is named that questions can be put to. */
  answers: boolean;
  /** Whether the engine can rest, and what it did when it last did. */
  sleep: boolean;
  rest: Rest | null;
};

/** A decision about a mail of the thread, with the memories that it speaks of. */
export type Thread = { thread: string; subject: string; mails: number; entries: LogEntry[]; memories: Memory[]; open: number; failed: number; /** The message ids of its mails, by their Gmail numbers. */ sources: Record<string, string> };

/** What the panel asks Gmail's page, and the text of the messages that it shows. */
export type AskText = { say: 'text' };
export type ShownText = { id: string; from: string; name: string; at: string; text: string };
export type TextReply = { account: string; thread: string; subject: string; mails: ShownText[] };

/** Characters of a message that are shown beside it. */
export const MOST_TEXT = 60_000;

/** What the worker tells its pages unasked: what was written, or that something beside the memories is another. */
export type News = { news: Change[] };

export type FromPage = { ask: string; args: unknown[] };
export type ToPage = { value: unknown } | { fault: Fault };

const LINE = 1_000;
/** Characters of a mail that are taken in; attachments lie behind. */
export const MOST_RAW = 600_000;
const MOST_MESSAGES = 200;

const text = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most;
const texts = (value: unknown, most: number): value is string[] =>
  Array.isArray(value) && value.length <= MOST_MESSAGES && value.every((v) => text(v, most));
const number = (value: unknown): value is string => typeof value === 'string' && /^\d{1,20}$/.test(value);
const list = <T>(value: unknown, of: (v: Record<string, unknown>) => boolean): value is T[] =>
  Array.isArray(value) && value.length <= MOST_MESSAGES && value.every((v) => typeof v === 'object' && v !== null && of(v as Record<string, unknown>));

function isOpened(value: unknown): value is Opened {
  const v = (value ?? {}) as Record<string, unknown>;
  return (
    text(v.account, LINE) && number(v.thread) && text(v.subject, 4 * LINE) && texts(v.labels, LINE) &&
    list<Shown>(v.messages, (m) => number(m.id) && text(m.from, LINE) && text(m.name, LINE))
  );
}

/** Whether a value is something that Gmail's page may say. */
export function isFromMail(value: unknown): value is FromMail {
  const v = (value ?? {}) as Record<string, unknown>;
  switch (v.say) {
    case 'opened':
      return isOpened(v.view);
    case 'mails':
      return (
        isOpened(v.view) && list<Read>(v.mails, (m) => number(m.id) && text(m.raw, MOST_RAW) && typeof m.original === 'boolean')
      );
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
    text(v.account, LINE) && number(v.thread) && text(v.subject, 4 * LINE) &&
    list<ShownText>(v.mails, (m) => number(m.id) && text(m.from, LINE) && text(m.name, LINE) && text(m.at, 40) && text(m.text, MOST_TEXT))
  );
}
