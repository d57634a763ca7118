// Adapts the declarations of wasm-bindgen for TypeScript users, and takes the value types out of them. The classes and the loader stay behind: they are
// not part of the package's face, and their `[Symbol.dispose]` would ask every user for a newer `lib`.
import { readFileSync, readdirSync } from 'node:fs';

/** Public names of types that the engine calls otherwise. */
const RENAMED = { IngestReport: 'MailImportReport', Doomed: 'DeletionCandidate', Census: 'StoreCounts', Pulse: 'UsageStats', Nothing: 'NothingFound' };
const NAMES = new RegExp(`\\b(?:${Object.keys(RENAMED).join('|')})\\b`, 'g');

/** Types that applications pass in: their times may be `Date` objects. */
const INPUTS = ['Draft', 'Turn', 'SearchOptions', 'ListOptions', 'LogQuery', 'DateRange', 'When', 'SleepOptions'];

/** Fields that the engine has as text, with their closed sets. */
const FIELDS = [
  ['Memory', 'metadata', 'Record<string, unknown>'],
  ['ReviewItem', 'draft', 'StoredDraft'],
  ['LogEntry', 'draft', 'StoredDraft'],
  ['Sent', 'purpose', 'RequestPurpose'],
  ['Sent', 'outcome', "'answered' | 'given_up' | ModelFault"],
  ['Answered', 'refused', 'ModelFault'],
  ['RefusedEntry', 'error', 'ModelFault'],
  ['KeyFactor', 'code', 'KeyFactorCode'],
];

/** The codes of failed requests and refused replies. */
function faults() {
  const source = readFileSync(new URL('../src/decision/reply.rs', import.meta.url), 'utf8');
  const body = source.slice(source.indexOf('\nwire! {'));
  return [...body.slice(0, body.indexOf('\n}\n')).matchAll(/= "(\w+)",/g)].map(([, code]) => `'${code}'`);
}

/** The codes of key factors: rules, features, the encoder and a model. */
function keyFactors() {
  const read = (path) => readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8');
  const names = (text, pattern) => [...text.matchAll(pattern)].map(([, name]) => name);
  const rules = ['analysis/rules.rs', 'decision/rules.rs'].flatMap((path) => names(read(path), /\brule\(\s*"(\w+)"/g));
  const sheets = readdirSync(new URL('../src/analysis/features', import.meta.url)).flatMap((file) => names(read(`analysis/features/${file}`), /"([a-z]\w*)"/g));
  const wording = names(/\bNAMES: .*;/.exec(read('analysis/ngram_weights.rs'))[0], /"(\w+)"/g);
  const features = new Set([...sheets, ...wording]);
  const { features: fitted } = JSON.parse(read('analysis/weights.json'));
  if (features.size !== fitted) throw new Error(`the sources name ${features.size} features, the weights were fitted for ${fitted}`);
  return [...new Set(['model', 'encoder', ...rules, ...features])].map((code) => `'${code}'`);
}

/** The declarations with public names, `Date` inputs, closed sets and comments for TypeScript. */
export function adapted(text) {
  const within = (name, change) => {
    const block = new RegExp(`^export interface ${name} \\{$[^]*?^\\}$`, 'm');
    if (!block.test(text)) throw new Error(`the engine has no type ${name}`);
    text = text.replace(block, change);
  };
  for (const name of INPUTS) within(name, (block) => block.replace(/(\w\??: )(DayOrTime|Time)\b/g, '$1Date | $2'));
  for (const [name, field, type] of FIELDS) {
    within(name, (block) => {
      const changed = block.replace(new RegExp(`^(    ${field}\\??: ).*;$`, 'm'), `$1${type};`);
      if (changed === block) throw new Error(`${name} has no field ${field}`);
      return changed;
    });
  }
  const fields = new Set([...text.matchAll(/^    (\w+)\??: /gm)].map(([, name]) => name));
  const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
  return (
    text
      .replace(NAMES, (name) => RENAMED[name])
      .replace('export type Metadata = Record<string, unknown>;', 'export type Metadata = object;')
      .replace('kind: "model_refused"; error: string', 'kind: "model_refused"; error: ModelFault')
      .replace('kind: "failed"; error: string', 'kind: "failed"; error: Code')
      .replace('kind: "sensitive_change"; detail: string', "kind: \"sensitive_change\"; detail: 'bank' | 'payment' | 'delivery' | 'login'")
      // Examples in Rust, and links to items of the crate.
      .replace(/(?: \*\n)? \* ```\n(?: \*.*\n)*? \* ```\n/g, '')
      .replace(/\[`([\w:]+)`\]/g, (_, path) => `\`${path.split('::').at(-1)}\``)
      .replace(/`([a-z]+(?:_[a-z]+)+)`/g, (code, name) => (fields.has(camel(name)) ? `\`${camel(name)}\`` : code))
      .concat(
        `\n/**\n * Why a request to a model or embedder failed, or why its reply was refused.\n */\nexport type ModelFault = ${faults().join(' | ')} | 'wrong_dimension' | 'indistinct';\n`,
      )
      .concat(
        `\n/**\n * What weighed in a decision: a rule, a feature of the local analyst, the encoder or a model. Entries of an earlier version may have other codes.\n */\nexport type KeyFactorCode = ${keyFactors().join(' | ')};\n`,
      )
      .concat(
        '\n/**\n * A draft as the engine returns it: its times are text.\n */\nexport type StoredDraft = Draft & { occurredAt?: DayOrTime; statedAt?: Time; validFrom?: DayOrTime; validUntil?: DayOrTime };\n',
      )
      .concat(
        "\n/**\n * What a request to a model or embedder was for.\n */\nexport type RequestPurpose = 'mail' | 'answer' | 'summary' | 'tags' | 'embeddings' | 'judgements';\n",
      )
  );
}

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
  return `// Made by the build from the engine's types.\n\n${kept.join('\n\n')}\n`;
}

/** Whether every bracket is closed and, for an alias, the semicolon has come. */
function isWhole(statement) {
  const code = statement.replace(/\/\*[\s\S]*?\*\//g, '').replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const depth = (open, close) => code.split(open).length - code.split(close).length;
  const closed = depth('{', '}') === 0 && depth('(', ')') === 0 && depth('[', ']') === 0;
  return closed && (code.trimEnd().endsWith(';') || (code.startsWith('export interface') && code.trimEnd().endsWith('}')));
}
