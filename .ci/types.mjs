// Takes the value types out of wasm-bindgen's declarations. The classes and the loader stay behind: they are
// not part of the package's face, and their `[Symbol.dispose]` would ask every user for a newer `lib`.

/** Public names of types that the engine calls otherwise. */
const RENAMED = { IngestReport: 'MailImportReport' };
const NAMES = new RegExp(`\\b(?:${Object.keys(RENAMED).join('|')})\\b`, 'g');

/** The `export type` and `export interface` statements of a declaration file, with their comments. */
export function declarations(text) {
  const kept = [];
  let comment = [];
  let block = null;
  for (const line of text.split('\n')) {
    if (block) {
      block.push(line);
    } else if (/^export (type|interface) /.test(line)) {
      block = [...comment, line];
    } else {
      comment = /^\s*(\/\*\*|\*)/.test(line) ? [...(line.trim().startsWith('/**') ? [] : comment), line] : [];
      continue;
    }
    if (isWhole(block.slice(comment.length).join('\n'))) {
      if (!/^export (type|interface) (InitInput|InitOutput|SyncInitInput)\b/.test(block[comment.length])) kept.push(block.join('\n'));
      block = null;
      comment = [];
    }
  }
  return `// Made by the build from the engine's types.\n\n${kept.join('\n\n').replace(NAMES, (name) => RENAMED[name])}\n`;
}

/** Whether every bracket is closed and, for an alias, the semicolon has come. */
function isWhole(statement) {
  const code = statement.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const depth = (open, close) => code.split(open).length - code.split(close).length;
  const closed = depth('{', '}') === 0 && depth('(', ')') === 0 && depth('[', ']') === 0;
  return closed && (code.trimEnd().endsWith(';') || (code.startsWith('export interface') && code.trimEnd().endsWith('}')));
}
