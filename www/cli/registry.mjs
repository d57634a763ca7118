// The verbs of `memfold`, in the order of its help: arguments, options, an example, and the function that runs them.
import { Argument, InvalidArgumentError, Option } from 'commander';
import { importFile, rereadFile } from './import.mjs';
import { mcp, serve } from './serve.mjs';
import * as verbs from './verbs.mjs';

/** A parser of whole numbers. */
export const whole =
  (least, most = Number.MAX_SAFE_INTEGER) =>
  (text) => {
    const number = Number(text);
    if (text === '' || !Number.isSafeInteger(number) || number < least || number > most)
      throw new InvalidArgumentError(`It is not a whole number from ${least}${most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : ''}.`);
    return number;
  };

const option = (flags, about, { parse, choices, preset } = {}) => {
  const made = new Option(flags, about);
  if (parse) made.argParser(parse);
  if (choices) made.choices(choices);
  return preset === undefined ? made : made.default(preset);
};
const limit = (preset) => option('-n, --limit <n>', 'the most results', { parse: whole(1), preset });

/** Options of the verbs that may call a model. */
const MODEL = [
  option('--endpoint <url>', 'a model endpoint; texts are sent only there'),
  option('--model <name>', 'the model at the endpoint; MEMFOLD_KEY has its key'),
  option('--dialect <name>', 'the API of the endpoint', { choices: ['openai', 'anthropic', 'gemini'], preset: 'openai' }),
  option('--mask', 'hide addresses and personal numbers from the model'),
  option('--daily-tokens <n>', 'the most tokens a day', { parse: whole(0) }),
];
const OWNER = option('--owner <address...>', 'your own mail addresses');
const CATEGORIES = ['task', 'decision', 'meeting', 'project', 'ads', 'misc'];
const DECISIONS = ['CREATE', 'UPDATE', 'SKIP', 'CREATE_AND_LINK', 'DELETE'];

export const VERBS = [
  {
    name: 'import',
    args: ['<file>'],
    run: importFile,
    example: 'memfold import mail.mbox --owner me@example.org',
    about: 'import a mail, an mbox or an export of memfold; - reads stdin. Each mail is imported once, so you can stop and repeat',
    options: [
      OWNER,
      option('--account <name>', 'the mail account'),
      option('--dry-run', 'decide, but write nothing'),
      option('-v, --verbose', 'print a line for each mail to stderr'),
      ...MODEL,
    ],
  },
  {
    name: 'reread',
    args: ['<file>'],
    run: rereadFile,
    example: 'memfold reread mail.mbox --owner me@example.org --endpoint http://localhost:11434/v1 --model qwen3',
    about: 'let a model read mails again that rules alone have imported. What you have changed or confirmed stays',
    options: [
      OWNER,
      option('--account <name>', 'the mail account of the import'),
      option('--dry-run', 'ask the model, but write nothing'),
      option('-v, --verbose', 'print a line for each mail to stderr'),
      ...MODEL,
    ],
  },
  {
    name: 'add',
    args: ['<note>'],
    run: verbs.add,
    about: 'remember a note of yours',
    example: 'memfold add "The dentist is on 12 March at 10"',
    options: [OWNER, ...MODEL],
  },
  {
    name: 'search',
    args: ['<question>'],
    run: verbs.search,
    about: 'find memories, best first',
    example: 'memfold search "When is the kickoff?"',
    options: [limit(10)],
  },
  {
    name: 'context',
    args: ['<question>'],
    run: verbs.context,
    about: 'print the memories about a question as text for a prompt',
    example: 'memfold context "When is the kickoff?" --tokens 500',
    options: [option('--tokens <n>', 'the most tokens', { parse: whole(1), preset: 1_000 })],
  },
  {
    name: 'ask',
    args: ['<question>'],
    run: verbs.ask,
    about: 'answer a question from the memories; without a model, show what a search finds',
    example: 'memfold ask "What is the budget?" --endpoint http://localhost:11434/v1 --model qwen3',
    options: [option('-n, --limit <n>', 'the most memories to read', { parse: whole(1, 30), preset: 20 }), ...MODEL],
  },
  {
    name: 'list',
    run: verbs.list,
    about: 'list memories, last stored first',
    example: 'memfold list --category task --from 2026-05-01',
    options: [
      limit(20),
      option('--category <name>', 'only this category', { choices: CATEGORIES }),
      option('--person <name...>', 'only memories that involve all of these people'),
      option('--from <day>', 'only what happens on or after this day or time'),
      option('--to <day>', 'only what happens before this day or time'),
      option('--oldest', 'first stored first'),
      option('--after <id>', 'the next page, after this id'),
    ],
  },
  {
    name: 'show',
    args: ['<id>'],
    run: verbs.show,
    about: 'show a memory with its versions, decisions and links',
    example: 'memfold show 01a20982-9788-700e-adbe-5ef90fcfaa85',
  },
  {
    name: 'review',
    args: ['[id]', new Argument('[verdict]', 'your decision').choices(verbs.verdicts)],
    run: verbs.review,
    options: [limit(50)],
    about: 'list what waits for your decision, or decide it',
    example: 'memfold review 01a20982-9788-700e-adbe-5ef90fcfaa85 accept',
  },
  {
    name: 'erase',
    args: ['[id...]'],
    run: verbs.erase,
    example: 'memfold erase --request "everything about the lease"',
    about: 'erase memories for good, with all versions and their words in the log; without --yes, only show them',
    options: [option('--request <text>', 'find the memories by a request in words'), option('--yes', 'erase them')],
  },
  {
    name: 'log',
    run: verbs.log,
    about: 'list decisions with their reasons, newest first',
    example: 'memfold log --decision UPDATE',
    options: [limit(20), option('--decision <name>', 'only this decision', { choices: DECISIONS })],
  },
  {
    name: 'undo',
    args: ['<entry>'],
    run: verbs.undo,
    about: 'undo a log entry, such as an import or what a tool hid',
    example: 'memfold undo 01a20982-9788-700e-adbe-5ef90fcfaa85',
  },
  { name: 'export', args: ['[file]'], run: verbs.exportAll, about: 'write everything as JSON Lines to a file or stdout', example: 'memfold export copy.jsonl' },
  { name: 'check', run: verbs.check, about: 'verify every invariant of the store', example: 'memfold check' },
  {
    name: 'mcp',
    run: mcp,
    about: 'serve an assistant over stdio (Model Context Protocol)',
    example: 'memfold mcp --file notes.sqlite',
    options: [OWNER, ...MODEL],
  },
  {
    name: 'serve',
    run: serve,
    example: 'memfold serve --port 7333',
    about: 'serve assistants over HTTP (Model Context Protocol at /mcp); needs the printed token, or the one in MEMFOLD_TOKEN',
    options: [
      option('--port <n>', 'the port; 0 chooses a free one', { parse: whole(0, 65_535), preset: 7333 }),
      option('--host <address>', 'the address to listen at', { preset: '127.0.0.1' }),
      OWNER,
      ...MODEL,
    ],
  },
];
