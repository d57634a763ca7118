// How a needle matches a text: the four steps that the inbox format prescribes.

const KEPT = '\u0000';

/** NFKC, lower case, no thousands commas, no white space except one blank between two digits. */
export function normal(text) {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(?<=\p{Nd}),(?=\p{Nd}{3}(?!\p{Nd}))/gu, '')
    .replace(/(?<=\p{Nd})\s+(?=\p{Nd})/gu, KEPT)
    .replace(/\s+/gu, '')
    .replaceAll(KEPT, ' ');
}

const isDigit = (c) => c !== undefined && /\p{Nd}/u.test(c);

/** Whether a normalised text holds a needle; one that begins or ends with a digit does not match inside a number. */
export function holds(text, needle) {
  const wanted = normal(needle);
  if (wanted === '') return true;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const inNumber = (isDigit(wanted[0]) && isDigit(text[at - 1])) || (isDigit(wanted.at(-1)) && isDigit(text[at + wanted.length]));
    if (!inNumber) return true;
  }
  return false;
}

/** Whether a normalised text holds at least one needle of each list. */
export function holdsAll(text, lists) {
  return lists.every((any) => any.some((needle) => holds(text, needle)));
}
