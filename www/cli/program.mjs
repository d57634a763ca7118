// Parses the command line, opens the memory, runs a verb and prints its result. Results go to stdout, everything else to stderr.
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { plain, plainJson } from '../terminal/table.mjs';
import { failure } from './failure.mjs';
import { styled, writeLines } from './lines.mjs';
import { VERBS } from './registry.mjs';
import { zoneOf } from '../worker/src/zone.ts';

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));

const NOTES = `
Environment: MEMFOLD_FILE (the file), MEMFOLD_KEY (the key of --endpoint), MEMFOLD_TOKEN (the token of serve).
Exit status: 0 success; 1 nothing found, unreadable mails, problems in the store, or erase without --yes; 2 an error, with its code;
130 an interrupted import.`;

/** The default file; its folder is created. */
function defaultFile() {
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

/** Adds `user=alice` to the scope; `none` selects the memory without user, agent and app. */
function addToScope(text, before = {}) {
  if (text === 'none') return before;
  const at = text.indexOf('=');
  const [part, name] = [text.slice(0, at), text.slice(at + 1)];
  if (!PARTS.includes(part) || name === '') throw new InvalidArgumentError(`It is not ${PARTS.map((one) => `${one}=NAME`).join(', ')} or none.`);
  return { ...before, [part]: name };
}

/** Advice for errors that an option of the command line resolves. */
const hint = ({ code, field }, options) =>
  code === 'invalid_field' && field === 'storage.scope' && options.scope === undefined
    ? '; name one: --scope user=NAME (or agent=, app=), or --scope none'
    : '';

/** The options of `open`. */
function openOptions({ file, scope, zone, owner, dialect, endpoint, model, mask, dailyTokens }, env) {
  if ((endpoint === undefined) !== (model === undefined)) throw failure('invalid_input', '--endpoint and --model go together');
  const key = env.MEMFOLD_KEY;
  return {
    storage: { path: file ?? env.MEMFOLD_FILE ?? defaultFile(), ...(scope === undefined ? {} : { scope }) },
    ...(zone === undefined ? {} : { zone }),
    ...(owner === undefined ? {} : { owner }),
    ...(endpoint === undefined
      ? {}
      : { model: { dialect, url: endpoint, model, ...(key ? { key } : {}), mask: mask === true, ...(dailyTokens === undefined ? {} : { dailyTokens }) } }),
  };
}

/** Opens the memory, runs a verb, prints its result and returns the exit status. */
async function runVerb(verb, args, options, host) {
  const tell = ({ value, lines = [] }) => {
    if (!options.json) writeLines(host.stdout, lines);
    else if (value !== undefined) host.stdout.write(`${plainJson(value)}\n`);
  };
  const memories = await host.open(openOptions(options, host.env));
  try {
    const result = (await verb.run({ ...host, memories, options, version, styles: styled(host.stdout), tell }, ...args)) ?? {};
    tell(result);
    return result.status ?? 0;
  } finally {
    await memories.close();
  }
}

/** Prints an error with its code, and returns the exit status. */
function report(error, options, stderr) {
  const { field } = error;
  // Node's codes for files, such as EACCES.
  const code = /^E[A-Z0-9]+$/.test(error.code) ? 'storage' : error.code;
  const message = `${error.message}${hint(error, options)}`;
  stderr.write(options.json ? `${plainJson({ error: { code, message, ...(field && { field }) } })}\n` : `memfold: ${plain(message)} (${code})\n`);
  return 2;
}

/** Runs the command line; `host` has `open` and may replace the streams and the environment. Returns the exit status. */
export async function run(args, given) {
  const host = { env: process.env, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, interrupts: process, ...given };
  const { stdout, stderr } = host;
  let status = 0;
  const cli = new Command('memfold')
    .description('Keeps consistent memories of mail and notes in one file on this machine. Nothing leaves it unless you name an endpoint.')
    .version(version)
    .option('-f, --file <path>', 'the SQLite file (default: MEMFOLD_FILE, or ~/.memfold/memories.sqlite)')
    .option('--scope <part=name>', 'one of several memories in the file: user=NAME, agent=NAME, app=NAME (repeatable), or none', addToScope)
    .option('--zone <name>', 'your time zone, such as Europe/London or +09:00 (default: of this machine)', timeZone)
    .option('--json', 'print JSON, errors too')
    .addHelpText('after', NOTES)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text), outputError: () => {} });
  for (const verb of VERBS) {
    const command = cli.command(verb.name).description(verb.about).addHelpText('after', `\nExample: ${verb.example}`);
    for (const arg of verb.args ?? [])
      if (typeof arg === 'string') command.argument(arg);
      else command.addArgument(arg);
    for (const option of verb.options ?? []) command.addOption(option);
    command.action(async () => {
      const options = command.optsWithGlobals();
      try {
        status = await runVerb(verb, command.processedArgs, options, host);
      } catch (error) {
        if (typeof error.code !== 'string') throw error;
        status = report(error, options, stderr);
      }
    });
  }
  try {
    await cli.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    // The help that was printed because no verb was named.
    if (error.code === 'commander.help') return 2;
    return report(
      failure(
        'invalid_input',
        `${error.message
          .replace(/^error: /, '')
          .replace(/\s+/g, ' ')
          .replace(/\.$/, '')}; see memfold --help`,
      ),
      { json: args.includes('--json') },
      stderr,
    );
  }
  return status;
}
