// Output of the verbs. A `Line` escapes every value put into it, so stored text can neither control a terminal nor add lines.
import { colours, cut, plain } from '../terminal/table.mjs';

class Line {
  constructor(text) {
    this.text = text;
  }
}

const textOf = (value) => (value instanceof Line ? value.text : plain(String(value)).replace(/[\n\t]+/g, ' '));

/** Template tag for a line: values are escaped, lines are inserted as they are. */
export const line = (parts, ...values) => new Line(String.raw({ raw: parts }, ...values.map(textOf)));

/** The style functions of a stream, and `fit(text, used)`, which shortens a text to one line of the terminal. */
export function styled(stream) {
  const paint = colours(stream);
  const styles = Object.fromEntries(['bold', 'dim', 'yellow'].map((name) => [name, (value) => new Line(paint[name](textOf(value)))]));
  return { ...styles, fit: (text, used) => cut(text, Math.max(40, (stream.columns ?? 120) - used)) };
}

/** Writes lines; anything else is a mistake of a verb. */
export function writeLines(stream, lines) {
  for (const one of lines) {
    if (!(one instanceof Line)) throw new TypeError('a verb returned text that was not escaped');
    stream.write(`${one.text}\n`);
  }
}

/** One line that a terminal overwrites; in a file, at most one line in ten seconds. */
export function meter(stderr) {
  let last = stderr.isTTY ? 0 : Date.now();
  return {
    show(text) {
      if (Date.now() - last < (stderr.isTTY ? 100 : 10_000)) return;
      last = Date.now();
      stderr.write(stderr.isTTY ? `\r\u001b[K${textOf(text)}` : `${textOf(text)}\n`);
    },
    end: () => void (stderr.isTTY && stderr.write('\r\u001b[K')),
  };
}
