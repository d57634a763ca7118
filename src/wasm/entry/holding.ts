// The hub's side of sealed sync: stores a chain of sealed steps and their records, without reading them. A step is
// appended if it follows the last one. A new record replaces the one with the same name, so replaced or erased data is
// gone here too.
import type { Verbs } from './engine.js';
import type { Fail } from './error.js';
import { FORMAT } from './sealed.js';

/** Characters after which an answer takes no further step. */
const ANSWER = 4 * 1024 * 1024;
/** The most records of a step. */
const MOST = 20_000;
/** The alphabets of sealed texts and of names. */
const SEALED = /^[\w-]+$/;
const NAME = /^[\w-]{1,64}$/;

/** A message of sealed sync. Clients share a key that the hub does not know. */
export interface Sealed {
  format: number;
  /** A fingerprint of the key; it reveals nothing about it. */
  key: string;
  /** The number of the last known step; an answer continues after it. */
  after: number;
  /** In an answer: the number of the hub's last step. */
  head?: number;
  /** In a request: none, or the step to append. In an answer: the following steps. */
  steps: string[];
  /** The current records of these steps, each a name and a sealed text. */
  records: [string, string][];
}

type Answer = Sealed & { head: number };

/**
 * The hub's operations on a memory. `fail(code, message, more)` creates an error.
 * @internal
 */
export function hub(engine: Verbs, fail: Fail) {
  const aside = (...names: string[]) => engine.exchange('aside', names, undefined) as Promise<(string | null)[]>;
  const invalid = (field: string, rule: string) => fail('invalid_field', `\`${field}\` ${rule}`, { field });

  /** Checks the key's fingerprint against that of earlier clients; stores the first one. */
  async function sameKey(key: string | undefined): Promise<void> {
    const [known] = await aside('key');
    if (known === null && key !== undefined) await engine.exchange('putAside', [['key', key]], ['key', null]);
    else if (known !== (key ?? null)) throw fail('wrong_key', 'the data on this hub was sealed with another key');
  }

  function checked({ format, key, after, head: _, steps, records, ...unknown }: Sealed): void {
    const [extra] = Object.keys(unknown);
    if (extra !== undefined) throw fail('unknown_field', `unknown field \`${extra}\``, { field: extra });
    if (format > FORMAT) throw fail('version_too_new', `the sealed data has format ${format}; this version stores ${FORMAT}`);
    if (format !== FORMAT) throw invalid('format', 'is no longer supported');
    const named = (text: unknown) => typeof text === 'string' && NAME.test(text);
    if (!named(key)) throw invalid('key', 'is not the name of a key');
    if (!Number.isSafeInteger(after) || after < 0) throw invalid('after', 'is not a step number');
    const sealed = (text: unknown) => typeof text === 'string' && SEALED.test(text);
    if (!Array.isArray(steps) || steps.length > 1 || !steps.every(sealed)) throw invalid('steps', 'must be at most one sealed text');
    const record = (r: unknown) => Array.isArray(r) && r.length === 2 && named(r[0]) && sealed(r[1]);
    if (!Array.isArray(records) || records.length > MOST * steps.length || !records.every(record)) throw invalid('records', 'are not valid records of a step');
  }

  /** Appends a client's step, if it follows the last one, and returns what the client has not seen yet. */
  async function hold(told: Sealed): Promise<Sealed> {
    checked(told);
    await sameKey(told.key);
    const [stored] = await aside('head');
    const head = Number(stored ?? 0);
    const answer: Answer = { format: FORMAT, key: told.key, after: told.after, head, steps: [], records: [] };
    if (told.steps.length === 0 || told.after !== head) return page(answer);
    const at = head + 1;
    const names = told.records.map(([name]) => name);
    const texts: [string, string][] = [['head', `${at}`], [`step/${at}`, told.steps[0]!], [`names/${at}`, names.join(' ')]];
    for (const [name, sealed] of told.records) texts.push([`record/${name}`, `${at} ${sealed}`]);
    try {
      await engine.exchange('putAside', texts, ['head', stored]);
    } catch (error) {
      // Another client was faster; its step comes with the next answer.
      if ((error as { code?: string })?.code === 'conflict') return answer;
      throw error;
    }
    return { ...answer, head: at };
  }

  /** Fills an answer with the following steps and their current records. */
  async function page(answer: Answer): Promise<Sealed> {
    let size = 0;
    for (let at = answer.after + 1; at <= answer.head && size < ANSWER; at += 1) {
      const [sealed = '', names = ''] = (await aside(`step/${at}`, `names/${at}`)) as string[];
      answer.steps.push(sealed);
      size += sealed.length;
      const written = names === '' ? [] : names.split(' ');
      const records = await aside(...written.map((name) => `record/${name}`));
      for (const [n, name] of written.entries()) {
        const [by, record = ''] = (records[n] ?? '').split(' ');
        if (by !== `${at}`) continue;
        answer.records.push([name, record]);
        size += record.length;
      }
    }
    return answer;
  }

  return { hold, sameKey };
}
