// Who answers in a model's place: whoever reads the files of a folder, or a recording. A port from what is asked, in words, to
// the raw text of a reply; it judges neither.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { objects, Unusable } from './input.mjs';

/** Milliseconds between two looks at a folder. */
const LOOK = 60;

/** As the engine counts: four letters, or a syllable and a quarter of Hangul, are a token. */
export function tokens(text) {
  let twentieths = 0;
  for (const c of text) twentieths += c >= '가' && c <= '힣' ? 16 : 5;
  return Math.ceil(twentieths / 20);
}

/** The tokens of a question without its schema, as the engine counts them. */
export const promptTokens = ({ system, examples, text }) =>
  [system, text, ...(examples ?? []).flatMap((e) => [e.text, e.reply])].reduce((sum, t) => sum + tokens(t), 0);

/** A text without what differs from run to run: the random mark that fences data, and times that the run's own clock gave. */
export function settled(text, since, now = Date.now()) {
  const mark = /=== ([0-9a-f]{8})\b/.exec(text)?.[1];
  const unmarked = mark === undefined ? text : text.replaceAll(mark, 'MARK');
  const day = (ms) => new Date(ms).toISOString().slice(0, 10);
  return unmarked
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d/g, (stamp) => {
      const at = Date.parse(`${stamp}Z`);
      return at > since - 60_000 && at <= now ? 'NOW' : stamp;
    })
    .replace(/\d{4}-\d\d-\d\d/g, (stamp) => (stamp >= day(since) && stamp <= day(now) ? 'TODAY' : stamp));
}

/** What a question is known by: equal in every run that asks the same in the same words. */
export function hashOf({ system, examples = [], text, schema }, since, now) {
  const words = settled(JSON.stringify([system, examples, text]), since, now);
  return createHash('sha256').update(words).update(JSON.stringify(schema)).digest('hex').slice(0, 24);
}

/** A question as a file for people. */
export function written(hash, { system, examples = [], text, schema }) {
  const shown = examples.map((e) => `## EXAMPLE\n${e.text}\n## REPLY TO THE EXAMPLE\n${e.reply}\n`).join('');
  return `# ${hash}\n## SYSTEM\n${system}\n${shown}## QUESTION\n${text}\n## SCHEMA OF THE REPLY\n${JSON.stringify(schema)}\n`;
}

/** What a folder holds of an earlier run: replies by hash, and the last number. */
async function before(dir) {
  const replies = new Map();
  let last = 0;
  for (const name of (await readdir(dir)).sort()) {
    const n = /^q-(\d+)\.txt$/.exec(name)?.[1];
    if (n === undefined) continue;
    last = Math.max(last, Number(n));
    const hash = /^# ([0-9a-f]+)/.exec(await readFile(join(dir, name), 'utf8'))?.[1];
    const answer = join(dir, `a-${n}.txt`);
    if (hash && existsSync(answer)) replies.set(hash, await readFile(answer, 'utf8'));
  }
  return { replies, last };
}

/** The text of a file as soon as it is there, is not empty and has stopped growing. */
async function awaited(path) {
  for (let seen = ''; ; ) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text !== '' && text === seen) return text;
    seen = text;
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

async function recording(path) {
  const replies = new Map();
  for (const { value, where } of await objects(path)) {
    if (typeof value.hash !== 'string' || typeof value.reply !== 'string') throw new Unusable(`${where}: is no recorded answer`);
    replies.set(value.hash, value.reply);
  }
  return replies;
}

/**
 * A reader: `ask(question)` gives the raw reply. It is taken from `replay` (a recording) where that has it, else from the
 * folder `ask`, where the question is written to `q-NNN.txt` and the reply awaited in `a-NNN.txt`, else there is none. What was
 * answered is appended to `record`. The same question is answered once.
 */
export async function reader({ ask: dir, record, replay }, since = Date.now()) {
  const known = replay === undefined ? new Map() : await recording(replay);
  let last = 0;
  if (dir !== undefined) {
    await mkdir(dir, { recursive: true });
    await rm(join(dir, 'DONE'), { force: true });
    const earlier = await before(dir);
    last = earlier.last;
    for (const [hash, reply] of earlier.replies) known.set(hash, reply);
  }
  const counts = { asked: 0, waited: 0, unanswered: 0 };
  const recorded = new Set(record !== undefined && existsSync(record) ? (await recording(record)).keys() : []);

  async function fromFolder(hash, question) {
    last += 1;
    const n = String(last).padStart(3, '0');
    // Whoever looks sees a whole question or none.
    await writeFile(join(dir, `.q-${n}`), written(hash, question));
    await rename(join(dir, `.q-${n}`), join(dir, `q-${n}.txt`));
    counts.waited += 1;
    return awaited(join(dir, `a-${n}.txt`));
  }

  return {
    counts,
    async ask(question) {
      counts.asked += 1;
      const hash = hashOf(question, since);
      // Kept as a promise: the same question at the same time is one file.
      if (!known.has(hash) && dir !== undefined) known.set(hash, fromFolder(hash, question));
      const reply = await known.get(hash);
      if (reply === undefined) {
        counts.unanswered += 1;
        throw new Error('nobody answers');
      }
      if (record !== undefined && !recorded.has(hash)) {
        recorded.add(hash);
        await appendFile(record, `${JSON.stringify({ hash, task: question.task, system: question.system, text: question.text, reply })}\n`);
      }
      return reply;
    },
    /** Tells whoever reads the folder that nothing more is asked. */
    async close(result) {
      if (dir !== undefined) await writeFile(join(dir, 'DONE'), `${result}\n`);
    },
  };
}
