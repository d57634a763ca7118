// A hub that keeps for its clients what it cannot read: a chain of sealed steps, and the records that they wrote. It judges
// nothing that is sealed: a step is appended where it follows the last one, and a record replaces what had its name, so that what
// a client has replaced or forgotten is gone here as well.
import type { Verbs } from './engine.js';
import type { Fail } from './error.js';
import { FORMAT } from './sealed.js';

/** Characters after which no further step goes into an answer. */
const ANSWER = 4 * 1024 * 1024;
/** Records that one step may write. */
const MOST = 20_000;
/** What is sealed, and what names it. */
const SEALED = /^[\w-]+$/;
const NAME = /^[\w-]{1,64}$/;

/** What clients of one key tell each other through a hub that cannot read it. */
export interface Sealed {
  format: number;
  /** Which key it is sealed with; it says nothing about the key. */
  key: string;
  /** The steps begin after this number. */
  after: number;
  /** The number of the hub's last step, in its answer. */
  head?: number;
  /** In what a client tells, none or the one to append. */
  steps: string[];
  /** What these steps wrote and no later one has written again: a name and a sealed text each. */
  records: [string, string][];
}

type Answer = Sealed & { head: number };

/**
 * The hub's side of a memory. `fail(code, message, more)` makes an error.
 * @internal
 */
export function hub(engine: Verbs, fail: Fail) {
  const aside = (...names: string[]) => engine.exchange('aside', names, undefined) as Promise<(string | null)[]>;
  const invalid = (field: string, rule: string) => fail('invalid_field', `\`${field}\` ${rule}`, { field });

  /** Refuses another key than the one that clients of this hub have sealed with before; notes the first. */
  async function sameKey(key: string | undefined): Promise<void> {
    const [known] = await aside('key');
    if (known === null && key !== undefined) await engine.exchange('putAside', [['key', key]], ['key', null]);
    else if (known !== (key ?? null)) throw fail('wrong_key', 'what is here was sealed with another key');
  }

  function checked({ format, key, after, head: _, steps, records, ...unknown }: Sealed): void {
    const [extra] = Object.keys(unknown);
    if (extra !== undefined) throw fail('unknown_field', `unknown field \`${extra}\``, { field: extra });
    if (format > FORMAT) throw fail('version_too_new', `what is sealed has format ${format}; this version keeps ${FORMAT}`);
    if (format !== FORMAT) throw invalid('format', 'is one that is not kept any more');
    const named = (text: unknown) => typeof text === 'string' && NAME.test(text);
    if (!named(key)) throw invalid('key', 'is not the name of a key');
    if (!Number.isSafeInteger(after) || after < 0) throw invalid('after', 'is not the number of a step');
    const sealed = (text: unknown) => typeof text === 'string' && SEALED.test(text);
    if (!Array.isArray(steps) || steps.length > 1 || !steps.every(sealed)) throw invalid('steps', 'are not one sealed text at most');
    const record = (r: unknown) => Array.isArray(r) && r.length === 2 && named(r[0]) && sealed(r[1]);
    if (!Array.isArray(records) || records.length > MOST * steps.length || !records.every(record)) throw invalid('records', 'are not what a step may write');
  }

  /** Appends the step that a client brings, if it follows the last one, and answers with what comes after what the client has seen. */
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
      // Another client was faster: what it told comes with the next answer.
      if ((error as { code?: string })?.code === 'conflict') return answer;
      throw error;
    }
    return { ...answer, head: at };
  }

  /** The steps after a number with what they wrote and no later one has written again, until they fill an answer. */
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
