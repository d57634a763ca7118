// Aligned tables for a terminal, in which a Hangul syllable or an emoji is two columns wide.
import { spawnSync } from 'node:child_process';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}|[\u{20000}-\u{3FFFD}]/u;
const NARROW = /^[\p{Mark}\p{Control}\p{Format}]+$/u;
const STYLE = /\u001b\[[0-9;]*m/g;

/** Control and bidirectional characters, except line breaks and tabs. */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
const escaped = (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A stored text with these characters escaped, so that the terminal does not interpret them. */
export const plain = (text) => text.replace(OBEYED, escaped);
/** The same for a value as JSON. */
export const plainJson = (value) => JSON.stringify(value).replace(OBEYED, escaped);

const graphemes = (text) => Array.from(segmenter.segment(text), (s) => s.segment);
const columns = (grapheme) => (NARROW.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1);

/** The columns that a text takes, without colours. */
export function width(text) {
  return graphemes(text.replace(STYLE, '')).reduce((sum, g) => sum + columns(g), 0);
}

/** The text on one line, cut with an ellipsis at `limit` columns. */
export function cut(text, limit) {
  const line = plain(text).replace(/\s+/g, ' ').trim();
  if (width(line) <= limit) return line;
  let out = '';
  let used = 0;
  for (const g of graphemes(line)) {
    if (used + columns(g) > limit - 1) break;
    out += g;
    used += columns(g);
  }
  return `${out}…`;
}

/** Pads a text to `limit` columns; numbers are right-aligned. */
export function pad(text, limit, right = false) {
  const blanks = ' '.repeat(Math.max(0, limit - width(text)));
  return right ? blanks + text : text + blanks;
}

/** Rows of cells as aligned lines. `heads` are titles; `{title, right}` aligns right. */
export function table(heads, rows) {
  const columnsOf = heads.map((h) => (typeof h === 'string' ? { title: h, right: false } : h));
  const widths = columnsOf.map((c, i) => Math.max(width(c.title), ...rows.map((r) => width(r[i] ?? ''))));
  const line = (cells) =>
    cells
      .map((cell, i) => pad(cell ?? '', widths[i], columnsOf[i].right))
      .join('  ')
      .trimEnd();
  return [line(columnsOf.map((c) => c.title)), widths.map((w) => '─'.repeat(w)).join('  '), ...rows.map(line)].join('\n');
}

/** Whether the terminal can strike text through, by its terminfo entry. */
const strikes = () => spawnSync('tput', ['smxx'], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout?.length > 0;

/** Colours, or none if the output is not a terminal; `strike` is undefined if unsupported. */
export function colours(stream = process.stdout) {
  const on = stream.isTTY && !process.env.NO_COLOR;
  const paint = (code) => (text) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    strike: on && strikes() ? paint(9) : undefined,
    bold: paint(1),
    dim: paint(2),
    red: paint(31),
    green: paint(32),
    yellow: paint(33),
    blue: paint(34),
    cyan: paint(36),
  };
}
