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
  return [...body.matchAll(/((?: *\/\/\/ .*\n)+) *(\w+) = "(\w+)"(?:, (\w+))?[;,]/g)].map(([, comment, name, code, retryable]) => ({
    code,
    retryable: retryable === 'true',
    mayPass: new RegExp(`Self::${name}\\b`).test(passing),
    means: comment
      .replace(/ *\/\/\/ /g, '')
      .trim()
      .replaceAll('\n', ' '),
  }));
}

/** The remedy for each code of `src/error.rs`. */
const REMEDIES = {
  invalid_field: 'Correct the field. Limits are on the page [Concepts](concepts.md#limits).',
  unknown_field: 'Correct the spelling; the message suggests a name.',
  invalid_input: 'Pass JSON, JSON Lines or the type that the message names.',
  too_large: 'Split the input, or pass less at once.',
  invalid_mail: 'Pass the raw message with its header (`.eml`), or an mbox.',
  not_found: 'Use an id from `list`, `search` or `log.list`.',
  already_undone: 'Nothing. `redo` applies the entry again.',
  already_settled: 'Undo the earlier decision first.',
  has_dependents: 'Undo `error.dependents` first, or pass all ids to `undoAll`.',
  forgotten: 'Nothing: the texts are erased for good.',
  conflict: 'Repeat the call.',
  closed: 'Call `open` again.',
  quota_exceeded: 'Free disk space, or erase memories. Then repeat the call.',
  blocked: 'Close old tabs, or the other process. Then repeat the call.',
  version_too_new: 'Update memfold. The data is unchanged.',
  connection_lost: 'Call `open` again. For a hub, try later.',
  storage: 'Repeat the call. Check the disk and its permissions; `error.cause` has the reason.',
  corrupt: 'Run `data.verify()`. Restore an export into a new memory.',
  unauthorized: 'Renew the token, and check its owner.',
  rate_limited: 'Wait a minute, then sync again.',
  embedding: 'Check the embedder. Meanwhile the built-in one is used.',
  model: 'Check the endpoint with `testEndpoint`. Then read the mails again.',
  invalid_weights: 'Deploy the file again. The URL may lead to a 404 page.',
  wrong_weights: 'Install `memfold` and `memfold-encoder` of the same version.',
  out_of_memory: 'Load the encoder without its head, or use a larger host.',
  aborted: 'Nothing: your signal stopped the call.',
  unsupported: 'Read the message: it names the missing feature and the remedy. See [troubleshooting](troubleshooting.md#install-and-open).',
  trapped: 'Repeat the call; the memory reopens. Report the input if it happens again.',
  internal: 'Look at `error.cause`. Without one, please report it.',
};

/** The remedy for each code of a failed request or refused reply (`src/decision/reply.rs`). */
const ADVICE = {
  failed: 'Look into your own function; it threw.',
  timeout: 'Raise `model.timeout`, or use a faster model.',
  too_large: 'Use a model that follows the schema.',
  not_json: "Use a model with JSON mode, or `form: 'short'`.",
  malformed: "Use a larger model, or `form: 'short'`.",
  unknown_handle: 'Nothing: that entry is ignored.',
  unanswered: 'Nothing: the local decision is used.',
  two_updates: 'Decide in the review.',
  no_evidence: 'Nothing: unsupported text is never stored.',
  wrong_language: 'Use a model for your language.',
  leak: 'Check the source: it may contain a prompt injection.',
  moved: 'Decide in the review: the target changed while the model was asked.',
  nothing_found: 'Nothing: the note is kept in its own words.',
  over_budget: 'Raise `model.dailyTokens` or `importTokens`, or wait until tomorrow.',
  resting: 'Wait until `restsUntil` in `model.usage()`.',
  unreachable: 'Start the server; check its URL and CORS with `testEndpoint`.',
  redirected: 'Use the address that it redirects to.',
  unauthorized: 'Check `model.key` or `embedder.key`.',
  not_found: 'Check `model.url` or `embedder.url`, and the name of the model.',
  rejected: 'Run `testEndpoint`: its `detail` has the message of the server.',
  rate_limited: 'Lower `concurrency`, or wait.',
  server_error: 'Wait, then import the mail again with `reread: true`.',
};

/** The meaning of each code of `testEndpoint`, beyond those above. */
const TESTED = {
  ok: ['It works.', 'Nothing.'],
  downgraded: ['It works, but does not enforce the schema of the reply.', 'Expect more refused replies, or use another model.'],
  slow: ['A reply took more than ten seconds.', 'Use a smaller model, or raise `model.timeout`.'],
  invalid: ['An option is invalid; `field` names it. Nothing was sent.', 'Correct it.'],
  insecure: ['Plain http to another machine. Nothing was sent.', 'Use https.'],
  cors: ['The server does not allow the origin of the page.', 'Allow it; for Ollama set `OLLAMA_ORIGINS`.'],
  blocked: ['The content security policy of the page forbids the address.', 'Add it to `connect-src`.'],
  mixed_content: ['An https page cannot call http.', 'Serve the model over https, or open the page from this machine.'],
  no_such_model: ['The server does not have this model.', 'Correct the name, or download the model.'],
  not_an_api: ['The address returned an HTML page.', 'Correct the path; it often ends with `/v1`.'],
  wrong_form: ['The reply does not have the requested form; `rule` is a code of a refused reply.', "Use a larger model, or `form: 'short'`."],
  aborted: ['Your signal stopped the test.', 'Nothing.'],
};

/** The codes of `EndpointCode` in the types. */
function endpointCodes() {
  const source = readFileSync(at('src/wasm/entry/model.ts'), 'utf8').replace(/\/\*[^]*?\*\//g, '');
  const [, union = ''] = /export type EndpointCode =([^;]+);/.exec(source) ?? [];
  return [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
}

/** Returns the codes that have no text, or a text without a code. */
const uneven = (codes, texts) => [...codes.filter((code) => !(code in texts)), ...Object.keys(texts).filter((code) => !codes.includes(code))];

/** A section for each code, so that a search finds it by its heading. */
const sections = (list, parts) =>
  list
    .map((one) => {
      const [code, means, remedy, retry] = parts(one);
      return `### \`${code}\`\n\n${means}\n\n**What to do:** ${remedy}${retry ? ' A retry can succeed.' : ''}`;
    })
    .join('\n\n');

/** Returns the page. */
export function errorsPage() {
  const codes = listed('src/error.rs', 'codes');
  const refusals = listed('src/decision/reply.rs', 'wire');
  const tested = endpointCodes();
  if (codes.length < 20 || refusals.length < 15 || tested.length < 15) throw new Error('codes are missing');
  const missing = [
    ...uneven(
      codes.map(({ code }) => code),
      REMEDIES,
    ),
    ...uneven(
      refusals.map(({ code }) => code),
      ADVICE,
    ),
    ...uneven(
      tested.filter((code) => !(code in ADVICE)),
      TESTED,
    ),
  ];
  if (missing.length > 0) throw new Error(`no code, or no text for it: ${missing}`);
  return `<!-- Made by docs/.vitepress/errors.mjs. -->
# Errors

Every call rejects with a \`MemfoldError\`. Branch on its \`code\`: the codes are part of the API, the messages are not. For symptoms without a
code, see [troubleshooting](troubleshooting.md).

\`\`\`js
try {
  await memories.undo(id);
} catch (error) {
  if (error.code === 'has_dependents') console.log(error.dependents); // error.field names an option at fault
  else if (error.retryable) setTimeout(again, 1_000);
  else throw error;
}
\`\`\`

## Codes

${sections(codes, ({ code, means, retryable }) => [code, means, REMEDIES[code], retryable])}

## What goes wrong with a model

A failing model never loses a memory. The local decision is used instead, and flagged for review. It is not flagged if the failure is unrelated to
the text (a \`timeout\`, a broken connection).

| where | what it reports |
|---|---|
| the log entry | the cause (\`reasons\`, of the kind \`model_refused\`) |
| \`model.sent()\` | the same for each request |
| \`onTrouble\` of \`open\` | each failure when it happens |
| \`model.usage().lastFailure\` | the last failure |

If a reply was refused, \`onTrouble\` and \`lastFailure\` have the \`code\` \`wrong_form\`, and \`rule\` is one of these codes. Otherwise \`code\` is
one of them.

${sections(refusals, ({ code, means, mayPass }) => [code, means, ADVICE[code], mayPass])}

### Summaries and embeddings

Replies to a summary request have their own rules: \`empty\`, \`too_long\`, \`longer_than_its_sources\`, \`lost_a_fact\` and
\`invented_a_fact\`. Rules then write the summary. Embeddings can have a \`wrong_dimension\` or be \`indistinct\`: they hardly separate paraphrases from
unrelated texts, so they are not used for decisions.

## Codes of \`testEndpoint\`

\`testEndpoint(endpoint)\` sends two made-up notes and returns a code. It has the codes of a failed request,
and these:

${sections(
  tested.filter((code) => code in TESTED),
  (code) => [code, ...TESTED[code]],
)}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(at('docs/errors.md'), errorsPage());
