// Processes mails one after another and counts each try before it starts. After three failed tries
// a mail is set aside, so that the others continue. No mail is lost or processed twice.
import type { MailImportReport } from 'memfold';
import { sha256 } from './auth';
import { Refusal, told } from './errors';
import { Mails, type Row } from './mails';
import { stretchesOf } from './mbox';

const TRIES = 3;
/** Milliseconds after which waiting mail continues in another run. */
const STRETCH = 5 * 60_000;

/** Codes that any mail would cause; retryable errors are not the mail's fault either. */
const NOT_THE_MAIL = new Set(['closed', 'quota_exceeded', 'aborted', 'version_too_new', 'unsupported', 'misconfigured']);
const isTheMails = (error: unknown): boolean => {
  const { code, retryable } = (error ?? {}) as { code?: string; retryable?: boolean };
  return retryable !== true && !NOT_THE_MAIL.has(code ?? '');
};

const COUNTS = ['mails', 'drafts', 'created', 'updated', 'linked', 'skipped', 'replayed', 'suspected'] as const;

/** A mail that could not be read, with its id if it was set aside. */
type Failure = Pick<MailImportReport['failed'][number], 'index' | 'start' | 'end' | 'message'> & { code: string; aside?: string };
/** The result for some mails. */
export type Report = Record<(typeof COUNTS)[number], number> & {
  failed: Failure[];
  /** Why they wait, if so. */
  waits?: string;
};
/** A set-aside mail as shown to the owner. */
export type Aside = Omit<Row, 'state' | 'account' | 'at'> & { account?: string; at: string };
/** A single mail. */
type Mail = { id: string; account: string; bytes: Uint8Array };
/** A mail with its position in the request. */
type Placed = Mail & { index: number; start: number };

const nothing = (): Report => ({ mails: 0, drafts: 0, created: 0, updated: 0, linked: 0, skipped: 0, replayed: 0, suspected: 0, failed: [] });

/** Adds the result of one mail, with its position in the request. */
function add(report: Report, part: Report, { index, start }: Placed): void {
  for (const name of COUNTS) report[name] += part[name];
  report.failed.push(...part.failed.map((f) => ({ ...f, index: f.index + index, start: f.start + start, end: f.end + start })));
}

/** The report of a mail that is no longer read. */
function unread({ id, state, code }: Row, end: number): Report {
  const why = state === 'dropped' ? 'its owner has dropped it' : `it was tried ${TRIES} times (${code}); see /v1/mail/aside/${id}`;
  return { ...nothing(), mails: 1, failed: [{ index: 0, start: 0, end, code: 'set_aside', message: `the mail is not read: ${why}`, aside: id }] };
}

async function idOf(account: string, text: Uint8Array): Promise<string> {
  const name = new TextEncoder().encode(`${account}\n`);
  const whole = new Uint8Array(name.length + text.length);
  whole.set(name);
  whole.set(text, name.length);
  return sha256(whole);
}

/** The functions of the object that the postroom uses. */
export interface Host {
  /** Makes sure that a working engine is open. */
  open(): Promise<unknown>;
  /** Replaces the engine. */
  replaceEngine(): Promise<unknown>;
  /** Makes one try. */
  read(text: Uint8Array, account: string): Promise<Report>;
  /** Throws if there is no room for so many bytes. */
  room(bytes: number): void;
  /** Called when a mail waits, with the reason. */
  waits(code?: string): Promise<void>;
  /** Called when a mail was set aside, with the reason. */
  setAside(code: string): void;
}

export class Postroom {
  readonly #mails: Mails;
  readonly #host: Host;
  /** Serialises the work, so that after a crash only one mail has counted a try. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(storage: DurableObjectStorage, host: Host) {
    this.#mails = new Mails(storage);
    this.#host = host;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Imports the mail or mailbox of a request; the report is the sum over its mails. */
  async importMails(text: Uint8Array, account = ''): Promise<Report & { next: { bytes: number; mails: number } }> {
    const report = nothing();
    let index = 0;
    for (const stretch of stretchesOf(text)) {
      const mails = await Promise.all(
        stretch.map(async (mail, n): Promise<Placed> => ({ ...mail, account, id: await idOf(account, mail.bytes), index: index + n })),
      );
      index += mails.length;
      await this.#alone(() => this.#stretch(mails, report));
    }
    report.failed.sort((a, b) => a.index - b.index);
    return { ...report, next: { bytes: text.length, mails: report.mails } };
  }

  async #stretch(mails: Placed[], report: Report): Promise<void> {
    await this.#host.open();
    const first = new Map(mails.map((mail) => [mail.id, mail] as const).reverse());
    const fresh = mails.filter((mail) => first.get(mail.id) === mail && !this.#mails.get(mail.id));
    const doubtful = mails.filter((mail) => !fresh.includes(mail));
    for (const { id, account, bytes } of fresh) this.#mails.begin(id, account, bytes.length);
    // In one batch, since failures are rare. After a failure, each mail is processed separately.
    await this.#mails.count(fresh);
    let read: Placed[] = [];
    try {
      for (const mail of fresh) {
        this.#host.room(0);
        const part = await this.#try(mail);
        if (part) {
          add(report, part, mail);
          read.push(mail);
        } else doubtful.push(mail);
      }
    } catch (error) {
      // The sender still has these mails, and a try without a fault of the mail does not count.
      read = fresh.filter(({ id }) => this.#isBlameless(id));
      throw error;
    } finally {
      for (const { id } of read) this.#mails.remove(id);
    }
    for (const mail of doubtful) {
      this.#host.room(0);
      add(report, await this.#read(mail), mail);
    }
  }

  #isBlameless(id: string): boolean {
    const row = this.#mails.get(id);
    return row?.state === 'trying' && !row.code;
  }

  /** Accepts a mail that may not be sent again: stores it first, then reads it now or later. */
  async deliver(text: Uint8Array, account: string): Promise<Report> {
    const id = await idOf(account, text);
    const state = this.#mails.get(id)?.state ?? 'trying';
    if (state === 'trying') {
      this.#host.room(text.length);
      this.#mails.hold(id, account, text);
    }
    await this.#host.waits();
    return this.#alone(() => this.#held(id));
  }

  /** Processes waiting mail for a while; returns whether none is left. */
  async resume(): Promise<boolean> {
    this.#mails.tidy();
    const begun = Date.now();
    for (const id of this.#mails.waiting()) {
      if (Date.now() - begun > STRETCH) return false;
      // Scheduled before the work, which may stop the object.
      await this.#host.waits();
      const { waits } = await this.#alone(() => this.#held(id));
      if (waits) return false;
    }
    return true;
  }

  /** Processes a stored mail; it keeps waiting if the failure is not its fault. */
  async #held(id: string): Promise<Report> {
    const row = this.#mails.get(id);
    if (row === undefined) return nothing();
    if (row.state !== 'waiting') return unread(row, row.bytes);
    try {
      await this.#host.open();
      this.#host.room(0);
      return await this.#read({ id, account: row.account, bytes: this.#mails.text(id) });
    } catch (error) {
      const { code } = told(error);
      await this.#host.waits(code);
      return { ...nothing(), waits: code };
    }
  }

  /** Tries one mail until it is processed or set aside. */
  async #read(mail: Mail): Promise<Report> {
    for (;;) {
      let row = this.#mails.get(mail.id);
      if (row === undefined) {
        this.#mails.begin(mail.id, mail.account, mail.bytes.length);
        row = this.#mails.get(mail.id)!;
      }
      if (row.tries >= TRIES && (row.state === 'trying' || row.state === 'waiting')) row = this.#setAside(mail, row);
      if (row.state === 'aside' || row.state === 'dropped') return unread(row, mail.bytes.length);
      await this.#mails.count([mail]);
      const part = await this.#try(mail);
      if (part) {
        this.#mails.remove(mail.id);
        return part;
      }
    }
  }

  /**
   * One counted try: the report, or undefined if the mail is at fault. Throws if no mail can be
   * processed.
   */
  async #try({ id, account, bytes }: Mail): Promise<Report | undefined> {
    try {
      return await this.#host.read(bytes, account);
    } catch (error) {
      if (!isTheMails(error)) {
        this.#mails.uncount(id);
        throw error;
      }
      // The mail is blamed even if reopening fails, because an engine worked before it.
      this.#mails.blame(id, told(error).code);
      await this.#host.replaceEngine();
      return undefined;
    }
  }

  #setAside({ id, account, bytes }: Mail, { state, code }: Row): Row {
    // Without a code, the object was stopped.
    const why = code ?? 'stopped';
    if (state === 'trying') this.#mails.hold(id, account, bytes);
    this.#mails.turn(id, 'aside', why);
    this.#host.setAside(why);
    return this.#mails.get(id)!;
  }

  /** The set-aside mails, newest first. */
  aside(): Aside[] {
    return this.#mails.aside().map(({ at, account, ...row }) => ({ ...row, ...(account ? { account } : {}), at: new Date(at).toISOString() }));
  }

  #given(id: string): string {
    if (this.#mails.get(id)?.state !== 'aside') throw new Refusal('not_found', `no set-aside mail has the id ${id}`);
    return id;
  }

  text(id: string): Uint8Array {
    return this.#mails.text(this.#given(id));
  }

  drop(id: string): { dropped: string } {
    this.#mails.drop(this.#given(id));
    return { dropped: id };
  }

  /** Retries a mail as if it had just arrived. */
  async again(id: string): Promise<Report> {
    this.#mails.renew(this.#given(id));
    await this.#host.waits();
    return this.#alone(() => this.#held(id));
  }
}
