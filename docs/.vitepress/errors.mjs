// The table of errors, made of the codes in the source: `node docs/.vitepress/errors.mjs` writes docs/errors.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What a macro of this name lists in a file: the words of the comment, the code, and whether it may pass by itself. */
export function listed(file, macro) {
  const source = readFileSync(at(file), 'utf8');
  const start = source.indexOf(`\n${macro}! {`);
  if (start < 0) throw new Error(`${file} has no ${macro}!`);
  const body = source.slice(start, source.indexOf('\n}\n', start));
  const passing = /fn may_pass[^]*?matches!\(([^]*?)\n {8}\)/.exec(source)?.[1] ?? '';
  return [...body.matchAll(/((?: *\/\/\/ .*\n)+) *(\w+) = "(\w+)"(?:, (\w+))?;/g)].map(([, comment, name, code, retryable]) => ({
    code, retryable: retryable === 'true', mayPass: new RegExp(`Self::${name}\\b`).test(passing), means: comment.replace(/ *\/\/\/ /g, '').trim().replaceAll('\n', ' '),
  }));
}

const rows = (list, row) => list.map((one) => `| ${row(one).join(' | ')} |`).join('\n');

/** The page, with the one line that sends a reader on. */
export function errorsPage() {
  const codes = listed('src/error.rs', 'codes');
  const refusals = listed('src/decision/reply.rs', 'refusals');
  if (codes.length < 20 || refusals.length < 15) throw new Error('codes are missing');
  return `<!-- Made by docs/.vitepress/errors.mjs. -->
# Errors

Every call rejects with a \`MemfoldError\`. Branch on its \`code\`: the codes are part of the API, the sentences are not.

\`\`\`js
try {
  await memories.undo(id);
} catch (error) {
  if (error.code === 'has_dependents') console.log(error.dependents); // error.field names an option at fault
  else if (error.retryable) setTimeout(again, 1_000);
  else throw error;
}
\`\`\`

| code | what has happened | may the same call succeed later? |
|---|---|---|
${rows(codes, ({ code, means, retryable }) => [`\`${code}\``, means, retryable ? 'yes' : 'no'])}

## What goes wrong with a model

No model costs a memory: where it fails the local answer stands, flagged for review unless the failure says nothing of the text (a \`timeout\`, a
broken connection). The log entry says why (\`reasons\`, of the kind
\`model_refused\`), and so does \`model.sent()\`. \`onTrouble\` of \`open\` hears of each as it happens, and \`model.usage().lastFailure\` has the
last. Where a reply came and was refused their \`code\` is \`wrong_form\`, and \`rule\` is that of this table; else \`code\` is.

| \`error\` | what has happened | may it pass by itself? |
|---|---|---|
${rows(refusals, ({ code, means, mayPass }) => [`\`${code}\``, means, mayPass ? 'yes' : 'no'])}

The reply to a request for a summary has rules of its own: \`empty\`, \`too_long\`, \`longer_than_its_sources\`, \`lost_a_fact\` and
\`invented_a_fact\`. Vectors may be of a \`wrong_dimension\`, or \`indistinct\`: they hardly tell what says the same from what
is unrelated, and nothing is decided by them. \`testEndpoint\` looks closer at an endpoint that fails: at the words of the
server, and in a browser at why nothing came back (\`EndpointCode\` in the types).
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(at('docs/errors.md'), errorsPage());
