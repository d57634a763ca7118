// Generates docs/errors.md from the codes in the source: `node docs/.vitepress/errors.mjs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Lists a macro's codes in a file: the doc comment, the code, and whether it is retryable or transient. */
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

/** Returns the page. */
export function errorsPage() {
  const codes = listed('src/error.rs', 'codes');
  const refusals = listed('src/decision/reply.rs', 'refusals');
  if (codes.length < 20 || refusals.length < 15) throw new Error('codes are missing');
  return `<!-- Made by docs/.vitepress/errors.mjs. -->
# Errors

Every call rejects with a \`MemfoldError\`. Branch on its \`code\`: the codes are part of the API, the messages are not.

\`\`\`js
try {
  await memories.undo(id);
} catch (error) {
  if (error.code === 'has_dependents') console.log(error.dependents); // error.field names an option at fault
  else if (error.retryable) setTimeout(again, 1_000);
  else throw error;
}
\`\`\`

| code | cause | can a retry succeed? |
|---|---|---|
${rows(codes, ({ code, means, retryable }) => [`\`${code}\``, means, retryable ? 'yes' : 'no'])}

## What goes wrong with a model

A failing model never loses a memory. The local decision is used instead, and flagged for review. It is not flagged if the failure says nothing about the
text (a \`timeout\`, a broken connection).

| where | what it reports |
|---|---|
| the log entry | the cause (\`reasons\`, of the kind \`model_refused\`) |
| \`model.sent()\` | the same for each request |
| \`onTrouble\` of \`open\` | each failure when it happens |
| \`model.usage().lastFailure\` | the last failure |

If a reply was refused, \`onTrouble\` and \`lastFailure\` have the \`code\` \`wrong_form\`, and \`rule\` is a value of this table. Otherwise \`code\` is a value of
this table:

| \`error\` | cause | transient? |
|---|---|---|
${rows(refusals, ({ code, means, mayPass }) => [`\`${code}\``, means, mayPass ? 'yes' : 'no'])}

Replies to a summary request have their own rules: \`empty\`, \`too_long\`, \`longer_than_its_sources\`, \`lost_a_fact\` and
\`invented_a_fact\`. Embeddings can have a \`wrong_dimension\` or be \`indistinct\`: they hardly separate paraphrases from unrelated texts, so they
are not used for decisions. \`testEndpoint\` examines a failing endpoint: it reads the server's error message, and in a browser it finds the reason for a missing reply
(\`EndpointCode\` in the types).
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(at('docs/errors.md'), errorsPage());
