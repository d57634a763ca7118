// `make eval`: how well memories are told apart, and how well an inbox is remembered, on data given by the user.
import { parseArgs } from 'node:util';
import { measureCopied } from './copied.mjs';
import { encoderOf, withEmbedder } from './encoder.mjs';
import { Unusable } from './input.mjs';
import { leftOut } from './left-out.mjs';
import { measureInbox } from './measure-inbox.mjs';
import { measureInboxes } from './measure-inboxes.mjs';
import { measurePairs, measureWithModel } from './measure-pairs.mjs';
import { measureSearch } from './measure-search.mjs';

const USAGE = `Usage: make -s eval ARGS="[options] FILE…"

FILE…            labelled pairs as JSON Lines (tests/eval/pairs/*.jsonl where none is named)
--inbox FILE     an mbox instead of pairs, and
--expect FILE    what is expected to be remembered of it
--ledger FILE    what each of its mails says: a memory of a matter that is over in it is not spurious
--inboxes        all mailboxes of tests/inbox that have a ledger, a line each and one for all
--left-out       of these, each with weights that were fitted without it: strangers' mail
--copied         of all mailboxes, and those that are kept back: how far the mails' own words reach, whoever copies them
--search         the questions of all mailboxes over correct memories, as their ledgers word the facts: how many are answered within
                 the limit, of the mailboxes for development and of those that are kept back
--embedder FILE  for --search: a module whose default export, async (texts, { kind }) => Float32Array[], embeds the texts, such as
                 tests/eval/e5.mjs; "perfect" knows each question's facts
--encoder        the encoder of this package embeds texts and judges pairs (src/encoder/data, laid out by node .ci/build.mjs)
--mode MODE      fast, balanced (default) or accurate
--json           one JSON object instead of a table
--rows FILE      writes the outcome and reason of each pair as JSON Lines
--help           this text

Without the following nobody is asked anything.
--oracle         the labels of the pairs answer as a model would, and what is written is measured; of an inbox, its ledger
                 answers: which memories it was shown is measured too
--noise SHARE    of its answers are wrong (0); of an inbox, of the entries of its answers, beside a run in which none is
--seed N         which ones, and how (1)
--ask DIR        each question is written to DIR/q-NNN.txt, and the raw reply awaited in DIR/a-NNN.txt; DIR/DONE ends the run
--replay FILE    answers that were recorded come from there first
--record FILE    keeps what was answered, by the hash of what was asked
--answers DIR    of an inbox: its questions are put to \`ask\` too, and whoever reads DIR answers them, in the same way; with
                 --oracle, --ask or --replay, which read the mail
--verbose        names each pair whose answer was refused, overruled or withheld

Figures of pairs are those of the most probable answer (\`outcome\`), with two exceptions: \`falseUpdate\` counts what
would really be written, and \`written\` holds the same figures for it. With somebody to ask all are of what was written; an
UPDATE that a source of higher priority withholds counts as an UPDATE, and as \`withheld\`. Status 0 whatever the figures, 2
for bad input.
`;

const MODES = ['fast', 'balanced', 'accurate'];

function settings(argv) {
  let parsed;
  try {
    parsed = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        mode: { type: 'string', default: 'balanced' },
        json: { type: 'boolean', default: false },
        rows: { type: 'string' },
        inbox: { type: 'string' },
        expect: { type: 'string' },
        ledger: { type: 'string' },
        inboxes: { type: 'boolean', default: false },
        'left-out': { type: 'boolean', default: false },
        copied: { type: 'boolean', default: false },
        search: { type: 'boolean', default: false },
        embedder: { type: 'string' },
        encoder: { type: 'boolean', default: false },
        oracle: { type: 'boolean', default: false },
        noise: { type: 'string' },
        seed: { type: 'string' },
        ask: { type: 'string' },
        answers: { type: 'string' },
        record: { type: 'string' },
        replay: { type: 'string' },
        verbose: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (e) {
    throw new Unusable(`${e.message}\n\n${USAGE}`);
  }
  const { values, positionals: files } = parsed;
  const given = (name) => values[name] !== undefined;
  const reads = given('ask') || given('replay');
  const noise = Number(values.noise ?? 0);
  const seed = Number(values.seed ?? 1);
  if (!MODES.includes(values.mode)) throw new Unusable(`--mode ${values.mode}: is not one of ${MODES.join(', ')}`);
  if (given('inbox') !== given('expect')) throw new Unusable('--inbox and --expect go together');
  if (given('ledger') && !given('inbox')) throw new Unusable('--ledger is for --inbox');
  if (given('inbox') && values.inboxes) throw new Unusable('--inbox names one, --inboxes takes all: not both');
  if (values['left-out'] && !values.inboxes) throw new Unusable('--left-out is for --inboxes');
  if (values.copied && (given('inbox') || values.inboxes || values.oracle || reads || files.length > 0))
    throw new Unusable('--copied takes all mailboxes, and nobody is asked');
  if (values.search && (given('inbox') || values.inboxes || values.copied || values.oracle || reads || files.length > 0))
    throw new Unusable('--search takes all mailboxes, and nobody is asked');
  if (given('embedder') && !values.search) throw new Unusable('--embedder is for --search');
  if (values.encoder && (given('embedder') || values.copied)) throw new Unusable('--encoder stands alone: neither --embedder nor --copied goes with it');
  const mail = given('inbox') || values.inboxes;
  if (mail && files.length > 0) throw new Unusable('pairs and an inbox are measured in two runs');
  if (mail && given('rows')) throw new Unusable('--rows is for pairs');
  if (given('inbox') && values.oracle && !given('ledger')) throw new Unusable('--oracle speaks for an inbox by its --ledger');
  if (values.oracle && reads) throw new Unusable('--oracle answers alone: neither --ask nor --replay goes with it');
  if (given('answers') && !(mail && (values.oracle || reads))) throw new Unusable('--answers is for an inbox that --oracle, --ask or --replay reads');
  if ((given('noise') || given('seed')) && !values.oracle) throw new Unusable('--noise and --seed are for --oracle');
  if (given('record') && !reads) throw new Unusable('--record keeps what --ask or --replay answers');
  if (values.noise === '' || !(noise >= 0 && noise <= 1)) throw new Unusable(`--noise ${values.noise}: is not a share from 0 to 1`);
  if (values.seed === '' || !Number.isSafeInteger(seed)) throw new Unusable(`--seed ${values.seed}: is not a whole number`);
  return { ...values, noise, seed, reads, files };
}

async function main() {
  const chosen = settings(process.argv.slice(2));
  if (chosen.help) return USAGE.trimEnd();
  if (chosen.copied) return measureCopied(chosen);
  const plain = await import('../../pkg/node.js');
  const encoder = chosen.encoder ? await encoderOf() : undefined;
  if (chosen.search) return measureSearch({ ...chosen, encoder }, plain);
  const equipped = (memfold) => (encoder ? withEmbedder(memfold, encoder) : memfold);
  const memfold = equipped(plain);
  if (chosen.inboxes) return measureInboxes(chosen, chosen['left-out'] ? async (name) => equipped(await leftOut(name)) : () => memfold);
  if (chosen.inbox !== undefined) return measureInbox(chosen, memfold);
  return chosen.oracle || chosen.reads ? measureWithModel(chosen, memfold) : measurePairs(chosen, memfold);
}

try {
  process.stdout.write(`${await main()}\n`);
} catch (e) {
  process.stderr.write(`eval: ${e instanceof Unusable ? e.message : e.stack}\n`);
  process.exitCode = e instanceof Unusable ? 2 : 1;
}
