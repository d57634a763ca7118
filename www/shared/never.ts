// The rule for mail that is never remembered, by sender, domain or subject. The page and the
// extension share it.

/**
 * `people`: addresses, or domains such as `@shop.example`. `topics`: words or phrases of a subject.
 */
export type Never = { people: readonly string[]; topics: readonly string[] };

/** The domain of an address in the list's format. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@')).toLowerCase();

/** Whether an address, its domain or a parent domain is on the list. */
export function isPerson(address: string, people: readonly string[]): boolean {
  const who = address.trim().toLowerCase();
  return people.some((entry) => (entry.startsWith('@') ? who.endsWith(entry) || who.endsWith(`.${entry.slice(1)}`) : who === entry));
}

const flat = (text: string): string => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
const isLetter = (text: string): boolean => /^[\p{L}\p{N}]$/u.test(text);
const isHangul = (text: string): boolean => /^[\uac00-\ud7a3]$/.test(text);

/** Whether a subject contains whole words; a Korean word may have a particle. */
function containsWords(subject: string, topic: string): boolean {
  if (topic === '') return false;
  const first = topic.at(0) ?? '';
  const last = topic.at(-1) ?? '';
  for (let at = subject.indexOf(topic); at >= 0; at = subject.indexOf(topic, at + 1)) {
    const before = subject.charAt(at - 1);
    const after = subject.charAt(at + topic.length);
    if (!(isLetter(first) && isLetter(before)) && !(isLetter(last) && isLetter(after) && !isHangul(last))) return true;
  }
  return false;
}

export const isTopic = (subject: string, topics: readonly string[]): boolean => topics.some((topic) => containsWords(flat(subject), flat(topic)));

/** Normalises entries: trimmed and unique; people in lower case, bare domains with `@`. */
export function tidied({ people, topics }: Never): { people: string[]; topics: string[] } {
  const person = (entry: string): string => {
    const who = entry.trim().toLowerCase();
    return who === '' || who.includes('@') ? who : `@${who}`;
  };
  const once = (list: readonly string[]): string[] => [...new Set(list)].filter(Boolean).slice(0, 500);
  return { people: once(people.map(person)), topics: once(topics.map((topic) => topic.trim().slice(0, 200))) };
}
