// `memfold import` and `memfold reread`: mail, a mailbox, or an export of memfold.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { table } from '../terminal/table.mjs';
import { failed, failure } from './failure.mjs';
import { line, meter, writeLines } from './lines.mjs';
import { decisionName } from './verbs.mjs';

/** The start of an export, after an optional byte order mark. */
const EXPORT = /^\ufeff?\s*\{\s*"header"\s*:/;

/** Reads the start of a stream to tell whether it is an export; `stream` still has all bytes. */
async function detectExport(bytes) {
  const reader = bytes.getReader();
  const first = [];
  let [start, done] = ['', false];
  while (!done && start.trim().length < 20) {
    const next = await reader.read();
    ({ done } = next);
    if (done) break;
    first.push(next.value);
    start += new TextDecoder('utf-8', { ignoreBOM: true }).decode(next.value.subarray(0, 64), { stream: true });
  }
  const stream = new ReadableStream({
    async pull(to) {
      const next = first.length > 0 ? { value: first.shift() } : await reader.read();
      if (next.done) to.close();
      else to.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { stream, isExport: EXPORT.test(start) };
}

/** The bytes of a file or of stdin, and their number if known. */
async function openSource(name, stdin) {
  if (name === '-') return { bytes: Readable.toWeb(stdin) };
  const found = await stat(name).catch(failed('not_found', `${name} cannot be read`));
  if (!found.isFile()) throw failure('invalid_input', `${name} is not a file; name one mbox or mail`);
  return { bytes: Readable.toWeb(createReadStream(name)), size: found.size };
}

/** A table of one row of counts. */
const counts = (row) =>
  table(
    Object.keys(row).map((title) => ({ title, right: true })),
    [Object.values(row).map(String)],
  )
    .split('\n')
    .map((text) => line`${text}`);

async function importExport({ memories, options }, stream) {
  if (options.dryRun) throw failure('invalid_input', 'an export of memfold cannot be imported as a dry run; `undo` reverts an import', { field: 'dryRun' });
  const report = await memories.data.import(await new Response(stream).text());
  return {
    value: report,
    lines: [
      ...counts({ memories: report.memories, links: report.edges, 'log entries': report.entries, 'known already': report.known }),
      ...report.undo.map((id) => line`memfold undo ${id} reverts it`),
    ],
  };
}

async function importMail({ memories, options, stderr, styles }, stream, { verb, signal, size, progress, seen }) {
  const { account, dryRun, verbose } = options;
  const report = await memories[verb](stream, {
    signal,
    ...(account === undefined ? {} : { account }),
    ...(dryRun ? { dryRun } : {}),
    onReceipt({ index, subject, from, receipts, failed }) {
      const decisions = failed ? failed.code : receipts.map(({ entry }) => decisionName(entry.decision)).join(', ') || '-';
      if (verbose) writeLines(stderr, [line`mail ${index + 1}  ${decisions}  ${styles.fit(subject ?? from ?? '', 30)}`]);
    },
    onProgress({ mails, drafts, bytes }) {
      seen.mails = mails;
      progress.show(`${mails} mails, ${drafts} statements${size ? ` ${Math.round((100 * bytes) / size)} %` : ''}`);
    },
  });
  const { mails, created, updated, linked, skipped, replayed, gaveWay, changes = [], suspected } = report;
  // A dry run leaves nothing to review, so its own decisions are counted.
  const waiting = dryRun ? changes.filter((change) => change.needsReview).length + suspected : (await memories.review.list()).length;
  return {
    value: report,
    lines: [
      ...counts({
        mails,
        created,
        updated,
        linked,
        skipped,
        ...(gaveWay === undefined ? {} : { 'gave way': gaveWay }),
        'seen before': replayed,
        'to review': waiting,
      }),
      ...report.failed.map(({ index, messageId, code, message }) => line`mail ${index + 1}${messageId ? ` (${messageId})` : ''}: ${message} (${code})`),
      ...changes.flatMap(({ decision, before, after, reason }) => [
        line`${decisionName(decision).padEnd(6)}  ${after ?? before ?? ''}${after && before && after !== before ? `  (was: ${before})` : ''}`,
        line`        ${reason}`,
      ]),
    ],
    status: report.failed.length > 0 ? 1 : 0,
  };
}

async function read(context, name, verb) {
  const { stdin, stderr, interrupts } = context;
  const { bytes, size } = await openSource(name, stdin);
  const stop = new AbortController();
  const onStop = () => stop.abort();
  interrupts.once('SIGINT', onStop);
  const progress = meter(stderr);
  const seen = { mails: 0 };
  try {
    const { stream, isExport } = await detectExport(bytes);
    if (isExport && verb === 'importMail') return await importExport(context, stream);
    return await importMail(context, stream, { verb, signal: stop.signal, size, progress, seen });
  } catch (error) {
    if (error.code !== 'aborted') throw error;
    writeLines(stderr, [line`stopped after ${seen.mails} mails; they are kept, and the same command continues`]);
    return { status: 130 };
  } finally {
    progress.end();
    interrupts.off('SIGINT', onStop);
  }
}

export const importFile = (context, name) => read(context, name, 'importMail');

export function rereadFile(context, name) {
  const { endpoint } = context.options;
  if (endpoint === undefined) throw failure('invalid_input', 'only a model can read mails again; name one with --endpoint and --model', { field: 'endpoint' });
  return read(context, name, 'reread');
}
