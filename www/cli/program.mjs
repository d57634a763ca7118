// The commands, their options, and what an error ends with. Results go to stdout, all else to stderr.
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { plain, plainJson } from '../terminal/table.mjs';
import * as commands from './commands.mjs';
import { zoneOf } from './zone.ts';

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

const whole = (least) => (text) => {
  const number = Number(text);
  if (text === '' || !Number.isSafeInteger(number) || number < least) throw new InvalidArgumentError(`It is not a whole number from ${least}.`);
  return number;
};

/** Where the memory is kept unless it is said; the folder is made. */
function usual() {
  const folder = join(homedir(), '.memfold');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, 'memories.sqlite');
}

function timeZone(text) {
  const zone = zoneOf(text);
  if (zone === undefined) throw new InvalidArgumentError('It is no time zone such as Europe/London or +09:00.');
  return zone;
}

const PARTS = ['user', 'agent', 'app'];

/** `user=alice` beside what was named before it; `none` is the memory of no user, agent and app. */
function scoped(text, before = {}) {
  if (text === 'none') return before;
  const at = text.indexOf('=');
  const [part, name] = [text.slice(0, at), text.slice(at + 1)];
  if (!PARTS.includes(part) || name === '') throw new InvalidArgumentError(`It is not ${PARTS.map((one) => `${one}=NAME`).join(', ')} or none.`);
  return { ...before, [part]: name };
}

/** What is said of an error where the call can be mended by an option of the command line. */
const hint = ({ code, field }, options) =>
  code === 'invalid_field' && field === 'scope' && options.scope === undefined ? '; name one: --scope user=NAME (or agent=, app=), or --scope none' : '';

/** What `open` is told: the file, its owner, and a model where one is named. */
function settings({ file, scope, zone, owner, dialect, endpoint, model, mask, dailyTokens }, env) {
  if ((endpoint === undefined) !== (model === undefined)) throw new InvalidArgumentError('--endpoint and --model go together.');
  const key = env.MEMFOLD_KEY;
  return {
    path: file ?? env.MEMFOLD_FILE ?? usual(),
    ...(scope === undefined ? {} : { scope }),
    ...(zone === undefined ? {} : { zone }),
    ...(owner === undefined ? {} : { owner }),
    ...(endpoint === undefined ? {} : { endpoint: { dialect, url: endpoint, model, ...(key ? { key } : {}) }, mask: mask === true, ...(dailyTokens === undefined ? {} : { dailyTokens }) }),
  };
}

/** Does what `args` say, with `host` as the world around it. Gives the exit code: 1 for a failure, 2 for a wrong call. */
export async function run(args, host) {
  const { env = process.env, stdout = process.stdout, stderr = process.stderr } = host;
  const cli = new Command('memfold')
    .description('Folds mail and notes into a memory that is kept in one file of this machine. Nothing leaves it unless you name an endpoint.')
    .version(version)
    .option('-f, --file <path>', 'the SQLite file (MEMFOLD_FILE, else ~/.memfold/memories.sqlite)')
    .option('--scope <part=name>', 'whose memory it is, of several in the file: user=NAME, agent=NAME, app=NAME (as often as needed), or none', scoped)
    .option('--zone <name>', 'your time zone, as Europe/London or +09:00; that of this machine where absent', timeZone)
    .option('--json', 'print JSON')
    .showHelpAfterError('(memfold --help tells more)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) });
  let status = 0;

  const asking = (command) =>
    command
      .option('--endpoint <url>', 'a model endpoint: what is read is sent there, and nowhere else')
      .option('--model <name>', 'the model of that endpoint; its key is taken from MEMFOLD_KEY')
      .addOption(new Option('--dialect <name>', 'what the endpoint speaks').choices(['openai', 'anthropic', 'gemini']).default('openai'))
      .option('--mask', 'show the model marks instead of addresses and numbers of persons')
      .option('--daily-tokens <n>', 'tokens that it may use on one day', whole(0));
  const owning = (command) => command.option('--owner <address...>', 'your own addresses');

  /** A command by its name in commands.mjs, with the memory open around it. */
  const does = (name) => async (...given) => {
    const command = given.pop();
    const options = command.optsWithGlobals();
    try {
      status = (await commands.within(settings(options, env), host, (memories) => commands[name](memories, { ...host, version }, options, ...given.slice(0, -1)))) ?? 0;
    } catch (error) {
      if (error instanceof InvalidArgumentError) command.error(`error: ${error.message}`);
      if (typeof error.code !== 'string') throw error;
      const { code, field } = error;
      const message = `${error.message}${hint(error, options)}`;
      stderr.write(options.json ? `${plainJson({ error: { code, message, ...(field && { field }) } })}\n` : `memfold: ${plain(message)} (${code})\n`);
      status = 1;
    }
  };

  asking(owning(cli.command('import <file>').description('take in a mail, a whole mbox, or what `memfold export` has written; - reads stdin. A mail is taken in once, so it can be stopped and begun again')))
    .option('--account <name>', 'the mail account')
    .option('--dry-run', 'decide, but write nothing')
    .action(does('importMail'));
  asking(owning(cli.command('add <note>').description('take in a note of yours'))).action(does('add'));
  cli.command('search <question>').description('the memories that answer a question, best first').option('-k, --limit <n>', 'how many at most', whole(1), 10).action(does('search'));
  cli.command('show <id>').description('a memory with its versions, decisions and links').action(does('show'));
  cli.command('log').description('what was decided and why, newest first').option('-n, --limit <n>', 'how many at most', whole(1), 20)
    .addOption(new Option('--decision <name>', 'only this decision').choices(['CREATE', 'UPDATE', 'SKIP', 'CREATE_AND_LINK', 'DELETE'])).action(does('log'));
  cli.command('changes').description('changes to confirm: what was reported by somebody without standing').option('-n, --limit <n>', 'how many at most', whole(1), 50).action(does('changes'));
  cli.command('confirm <id>').description('confirm what was reported of a memory').action(does('confirm'));
  cli.command('revert <id>').description('take what was reported of a memory back').action(does('revert'));
  cli.command('undo <entry>').description('take an entry of the log back: what an import changed, what a tool hid').action(does('undo'));
  cli.command('export [to]').description('everything, as JSON Lines; without a file, to stdout').action(does('exportAll'));
  cli.command('check').description('verify every rule of the store; 1 where one is broken').action(does('check'));
  asking(owning(cli.command('mcp').description('serve the memory to an assistant over stdio (Model Context Protocol)'))).action(does('mcp'));
  try {
    await cli.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : 2;
  }
  return status;
}
