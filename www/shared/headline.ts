// A memory in one line: topic and current value, in the words of its content.
import type { Memory, Statement } from 'memfold';
import { nameOf } from './mails';
import { statementsOf } from './statements';

/** Each part of the text starts at `from` in the memory's content; `topic` is empty if the text names it. */
export type Headline = { topic: string; text: string; parts: readonly { text: string; from: number }[] };

/** A memory from an engine version with topics. */
type Topical = Memory & { topic?: string };

const WORDS = /[\p{L}\p{N}]{2,}/gu;
/** If the text contains this share of the topic's words, the topic is not shown before it. */
const NAMED = 0.5;
const MOST_TOPIC = 60;

const flat = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

/** A speaker after a subject line, with the colon. */
const SPEAKER = /^(?: \(([^)\n]{1,80})\))?:\s+/;

/** Length of a leading subject line or speaker with its colon. Both are shown elsewhere. */
function prefixOf(memory: Memory): number {
  const authors = statementsOf(memory)
    .slice(0, 1)
    .flatMap(({ author }) => (author ? [flat(nameOf(author))] : []));
  // A subject may have colons of its own.
  const whole = (memory.subject ?? '').trim();
  const after = whole && memory.content.startsWith(whole) && SPEAKER.exec(memory.content.slice(whole.length));
  if (after && whole.length + after[0].length < memory.content.length) return whole.length + after[0].length;
  const subject = flat(whole);
  let from = 0;
  for (let cuts = 0; cuts < 2; cuts++) {
    const found = /^([^:\n]{2,120}?)(?: \([^)\n]{1,80}\))?:\s+/.exec(memory.content.slice(from));
    if (!found) break;
    const said = flat(found[1] ?? '');
    if (said !== subject && !authors.includes(said) && said !== '(no subject)') break;
    from += found[0].length;
  }
  return from < memory.content.length ? from : 0;
}

/** The length of a leading subject line or name that says who the author is, who is shown beside the text. */
function introduction(text: string, author: string | undefined): number {
  const found = /^(?:[^\n]{2,160}? \(([^)\n]{1,80})\)|([^:\n]{1,80})):\s+/.exec(text);
  return found && author && flat(found[1] ?? found[2] ?? '') === flat(nameOf(author)) ? found[0].length : 0;
}

/** A statement without its leading subject line or the name of its author. */
export const saidIn = ({ text, author }: Statement): string => text.slice(introduction(text, author));

const BETWEEN = ' · ';

/** A statement without its leading topic; a speaker stays. */
export function withoutTopic(text: string, topic: string): string {
  const said = topic && text.startsWith(topic) ? SPEAKER.exec(text.slice(topic.length)) : null;
  return said ? [said[1], text.slice(topic.length + said[0].length)].filter(Boolean).join(': ') : text;
}

/** The statements of a memory's content that another text does not contain, without a leading `topic`. */
export function differing(content: string, other: string, topic: string): string {
  const bare = (text: string) => flat(text).replace(/[.。!?]+$/, '');
  const known = bare(other);
  const own = content.split(BETWEEN).filter((part) => !known.includes(bare(part)));
  return own.map((part) => withoutTopic(part, topic)).join(BETWEEN);
}

/** The end of the leading statements without struck values. The rest of an older statement is rarely a sentence. */
function endOf(memory: Memory): number {
  const said = statementsOf(memory);
  const whole = said.findIndex(({ struck = [] }) => struck.length > 0);
  if (whole <= 0) return memory.content.length;
  let end = 0;
  for (const { text } of said.slice(0, whole)) {
    // The content omits a statement's full stop.
    end = memory.content.indexOf(BETWEEN, Math.max(end, end + text.length - 2));
    if (end < 0) return memory.content.length;
    end += BETWEEN.length;
  }
  return end - BETWEEN.length;
}

/** The statement of a content that has most words in common with a text, if it has at least a third. */
export function rivalIn(content: string, text: string): string {
  const wordsOf = (said: string): Set<string> => new Set(flat(said).match(WORDS));
  const said = wordsOf(text);
  let [best, most] = ['', 1 / 3];
  for (const part of content.split(BETWEEN)) {
    const words = [...wordsOf(part)];
    const share = words.filter((word) => said.has(word)).length / Math.max(1, Math.min(words.length, said.size));
    if (share >= most) [best, most] = [part, share];
  }
  return best;
}

export function headlineOf(memory: Memory): Headline {
  const from = prefixOf(memory);
  const author = statementsOf(memory)[0]?.author;
  let at = from;
  const parts = memory.content
    .slice(from, Math.max(from + 1, endOf(memory)))
    .split(BETWEEN)
    .map((part) => {
      const cut = at === from ? 0 : introduction(part, author);
      const start = at + cut;
      at += part.length + BETWEEN.length;
      return { text: part.slice(cut), from: start };
    });
  const text = parts.map((part) => part.text).join(BETWEEN);
  const topic = ((memory as Topical).topic ?? memory.subject ?? '').trim();
  const said = flat(text);
  const words = flat(topic).match(WORDS) ?? [];
  const repeated = words.filter((word) => said.includes(word)).length;
  const isNamed = words.length === 0 || repeated / words.length >= NAMED;
  return { topic: isNamed ? '' : topic.length > MOST_TOPIC ? `${topic.slice(0, MOST_TOPIC - 1).trimEnd()}…` : topic, text, parts };
}

/** The topic of a memory. */
export function topicOf(memory: Memory): string {
  const topic = ((memory as Topical).topic ?? memory.subject ?? '').trim();
  if (topic) return topic;
  const { text } = headlineOf(memory);
  return text.length > MOST_TOPIC ? `${text.slice(0, MOST_TOPIC - 1).trimEnd()}…` : text;
}
