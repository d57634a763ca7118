// Stores incoming mails in the object's database: being processed, waiting, set aside or dropped.

const PIECE = 1 << 20;
/** Milliseconds after which an abandoned row is deleted. */
const STALE = 30 * 86_400_000;

/**
 * A row's `state`: `trying` while a request that still has the text is processed, `waiting` for
 * accepted mail, `aside` for mail given up, and `dropped` by the owner.
 * Waiting and set-aside mail has its text stored.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS mail (id TEXT PRIMARY KEY, state TEXT NOT NULL, account TEXT NOT NULL, at INTEGER NOT NULL, tries INTEGER NOT NULL, bytes INTEGER NOT NULL, code TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS mail_text (id TEXT NOT NULL, n INTEGER NOT NULL, piece BLOB NOT NULL, PRIMARY KEY (id, n)) WITHOUT ROWID;`;

export type State = 'trying' | 'waiting' | 'aside' | 'dropped';

/** The stored fields of a mail, without its text. */
export type Row = { id: string; state: State; account: string; at: number; tries: number; bytes: number; code: string | null };

type Value = string | number | null | ArrayBuffer;

export class Mails {
  readonly #storage: DurableObjectStorage;
  #ready = false;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  #sql<T extends Record<string, SqlStorageValue>>(query: string, ...values: Value[]): T[] {
    if (!this.#ready) this.#storage.sql.exec(TABLES);
    this.#ready = true;
    return this.#storage.sql.exec<T>(query, ...values).toArray();
  }

  get(id: string): Row | undefined {
    return this.#sql<Row>('SELECT * FROM mail WHERE id = ?', id)[0];
  }

  /** Adds a mail whose sender still has the text. */
  begin(id: string, account: string, bytes: number): void {
    this.#sql("INSERT INTO mail VALUES (?, 'trying', ?, ?, 0, ?, NULL) ON CONFLICT DO NOTHING", id, account, Date.now(), bytes);
  }

  /** Stores a mail with its text; earlier tries still count. */
  hold(id: string, account: string, text: Uint8Array): void {
    this.begin(id, account, text.length);
    this.#sql("UPDATE mail SET state = 'waiting', at = ? WHERE id = ?", Date.now(), id);
    for (let n = 0; n * PIECE < text.length; n += 1) {
      this.#sql('INSERT INTO mail_text VALUES (?, ?, ?) ON CONFLICT DO NOTHING', id, n, text.slice(n * PIECE, (n + 1) * PIECE).buffer as ArrayBuffer);
    }
  }

  /** Counts a try for each mail and waits until this is on disk. */
  async count(mails: readonly { id: string }[]): Promise<void> {
    for (const { id } of mails) this.#sql('UPDATE mail SET tries = tries + 1 WHERE id = ?', id);
    await this.#storage.sync();
  }

  /** Takes back a counted try, because the mail was not the cause. */
  uncount(id: string): void {
    this.#sql('UPDATE mail SET tries = max(tries - 1, 0) WHERE id = ?', id);
  }

  /** Stores the error code of a failed try. */
  blame(id: string, code: string): void {
    this.#sql('UPDATE mail SET code = ? WHERE id = ?', code, id);
  }

  turn(id: string, state: State, code: string): void {
    this.#sql('UPDATE mail SET state = ?, code = ?, at = ? WHERE id = ?', state, code, Date.now(), id);
  }

  /** Makes the mail wait again with no tries. */
  renew(id: string): void {
    this.#sql("UPDATE mail SET state = 'waiting', tries = 0, code = NULL, at = ? WHERE id = ?", Date.now(), id);
  }

  text(id: string): Uint8Array {
    const pieces = this.#sql<{ piece: ArrayBuffer }>('SELECT piece FROM mail_text WHERE id = ? ORDER BY n', id);
    const text = new Uint8Array(pieces.reduce((sum, { piece }) => sum + piece.byteLength, 0));
    let at = 0;
    for (const { piece } of pieces) {
      text.set(new Uint8Array(piece), at);
      at += piece.byteLength;
    }
    return text;
  }

  /** Deletes a mail with its text. */
  remove(id: string): void {
    this.#sql('DELETE FROM mail_text WHERE id = ?', id);
    this.#sql('DELETE FROM mail WHERE id = ?', id);
  }

  /** Deletes the text and marks the mail as dropped. */
  drop(id: string): void {
    this.#sql('DELETE FROM mail_text WHERE id = ?', id);
    this.#sql("UPDATE mail SET state = 'dropped', at = ?, bytes = 0 WHERE id = ?", Date.now(), id);
  }

  /** The waiting mails, those with the fewest tries first. */
  waiting(): string[] {
    return this.#sql<{ id: string }>("SELECT id FROM mail WHERE state = 'waiting' ORDER BY tries, at LIMIT 1000").map(({ id }) => id);
  }

  aside(): Omit<Row, 'state'>[] {
    return this.#sql<Omit<Row, 'state'>>("SELECT id, account, at, tries, bytes, code FROM mail WHERE state = 'aside' ORDER BY at DESC LIMIT 1000");
  }

  tidy(): void {
    this.#sql("DELETE FROM mail WHERE state IN ('trying', 'dropped') AND at < ?", Date.now() - STALE);
  }
}
