// What each command does with an open memory. It gives the exit code where that is not 0.
import { createReadStream } from 'node:fs';
import { rename, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { colours, cut, plain, plainJson, table } from '../terminal/table.mjs';
import { acts, serverOf } from './tools.ts';
import { waitingHere, wishes } from './wishes.ts';
import { clockIn, dayIn } from './zone.ts';

const NAMES = { CREATE_AND_LINK: 'LINK' };
const nameOf = (decision) => NAMES[decision] ?? decision;

/** An error with a code, as those of memfold. */
const failure = (code, message, more = {}) => Object.assign(new Error(message), { code, retryable: false, ...more });

/** Does `work` with the memory of `settings`, and closes it whatever comes. */
export async function within(settings, { open }, work) {
  const memories = await open(settings);
  try {
    return await work(memories);
  } finally {
    await memories.close();
  }
}

const out = ({ stdout = process.stdout }) => ({ say: (text) => stdout.write(`${text}\n`), tell: (value) => stdout.write(`${plainJson(value)}\n`), paint: colours(stdout), columns: stdout.columns ?? 120 });

/** How an export begins, whatever may stand before it. */
const EXPORT = /^\ufeff?\s*\{\s*"header"\s*:/;

/** Whether a stream is an export of memfold, told by how it begins; and the stream, of which nothing is lost. */
async function opened(stream) {
  const reader = stream.getReader();
  const first = [];
  let [begins, done] = ['', false];
  while (!done && begins.trim().length < 20) {
    const next = await reader.read();
    ({ done } = next);
    if (done) break;
    first.push(next.value);
    begins += new TextDecoder('utf-8', { ignoreBOM: true }).decode(next.value.subarray(0, 64), { stream: true });
  }
  const whole = new ReadableStream({
    async pull(to) {
      const next = first.length > 0 ? { value: first.shift() } : await reader.read();
      if (next.done) to.close();
      else to.enqueue(next.value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { stream: whole, isExport: EXPORT.test(begins) };
}

/** Takes in what `export` has written. */
async function importExport(memories, { say, tell }, { json, dryRun }, stream) {
  if (dryRun) throw failure('invalid_input', 'this is an export of memfold, which cannot be tried out; what an import writes can be taken back', { field: 'dryRun' });
  const { snapshot: _, ...report } = await memories.data.import(await new Response(stream).text());
  if (json) return void tell(report);
  const row = { memories: report.memories, links: report.edges, 'log entries': report.entries, 'known already': report.known };
  say(table(Object.keys(row).map((title) => ({ title, right: true })), [Object.values(row).map(String)]));
  for (const id of report.undo) say(`memfold undo ${id} takes it back`);
}

/** The bytes of a file, or of stdin, and how many there are. */
async function source(name, stdin) {
  if (name === '-') return { stream: Readable.toWeb(stdin) };
  const { size } = await stat(name).catch((cause) => {
    throw failure('not_found', `${name} cannot be read: ${cause.message}`, { cause });
  }).then((found) => {
    if (!found.isFile()) throw failure('invalid_input', `${name} is a folder or no file; name one mbox or mail`);
    return found;
  });
  return { stream: Readable.toWeb(createReadStream(name)), size };
}

/** A line on the terminal that is written over; where there is none, one line in ten seconds. */
function meter(stderr) {
  let last = stderr.isTTY ? 0 : Date.now();
  return {
    show(text) {
      if (Date.now() - last < (stderr.isTTY ? 100 : 10_000)) return;
      last = Date.now();
      stderr.write(stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end: () => void (stderr.isTTY && stderr.write('\r\u001b[K')),
  };
}

export async function importMail(memories, host, { json, account, dryRun }, name) {
  const { stdin = process.stdin, stderr = process.stderr, interrupts = process } = host;
  const { say, tell } = out(host);
  const { stream: bytes, size } = await source(name, stdin);
  const stop = new AbortController();
  const onStop = () => stop.abort();
  interrupts.once('SIGINT', onStop);
  const line = meter(stderr);
  let seen = { mails: 0 };
  try {
    const { stream, isExport } = await opened(bytes);
    if (isExport) return await importExport(memories, { say, tell }, { json, dryRun }, stream);
    const report = await memories.ingest(stream, {
      signal: stop.signal, ...(account === undefined ? {} : { account }), ...(dryRun ? { dryRun } : {}),
      onProgress: (progress) => {
        seen = progress;
        const part = size ? ` ${Math.round((100 * progress.bytes) / size)} %` : '';
        line.show(`${progress.mails} mails, ${progress.drafts} statements${part}`);
      },
    });
    line.end();
    if (json) return void tell(report);
    const { mails, created, updated, linked, skipped, replayed, changes = [], suspected } = report;
    // All that waits, of earlier imports too; a dry run leaves nothing that would.
    const waits = dryRun ? changes.filter((change) => change.needsReview).length + suspected : (await memories.review.list()).length;
    const row = { mails, created, updated, linked, skipped, 'seen before': replayed, 'to look at': waits };
    say(table(Object.keys(row).map((title) => ({ title, right: true })), [Object.values(row).map(String)]));
    for (const { index, messageId, code, message } of report.failed) say(`mail ${index + 1}${messageId ? ` (${plain(messageId)})` : ''}: ${plain(message)} (${code})`);
    for (const { decision, before, after, reason } of changes) {
      say(`${nameOf(decision).padEnd(6)}  ${plain(after ?? before ?? '')}${after && before && after !== before ? `  (was: ${plain(before)})` : ''}\n        ${plain(reason)}`);
    }
    return report.failed.length > 0 ? 1 : 0;
  } catch (error) {
    line.end();
    if (error.code !== 'aborted') throw error;
    stderr.write(`stopped after ${seen.mails} mails; what is done stays, and the same command goes on\n`);
    return 130;
  } finally {
    interrupts.off('SIGINT', onStop);
  }
}

export async function add(memories, host, { json }, note) {
  const { say, tell } = out(host);
  const receipt = await memories.add(note);
  if (receipt.failed) throw failure(receipt.failed.code, receipt.failed.message);
  if (json) return void tell(receipt);
  if (receipt.receipts.length === 0) return void say('nothing in it is worth remembering');
  for (const { entry, memory } of receipt.receipts) say(`${nameOf(entry.decision)}  ${plain(memory?.content ?? entry.input)}\n${' '.repeat(8)}${plain(entry.reason)}`);
}

export async function search(memories, host, { json, limit, zone }, question) {
  const { say, tell, paint, columns } = out(host);
  const { hits, nothing } = await memories.data.explainSearch(question, { k: limit });
  if (json) return void tell(hits);
  if (hits.length === 0) {
    say(`nothing was found${nothing ? ` (${plain(nothing)})` : ''}`);
    return 1;
  }
  for (const { memory, score } of hits) {
    say(`${score.toFixed(2)}  ${paint.bold(cut(memory.content, Math.max(40, columns - 6)))}`);
    if (memory.confirmedContent !== undefined) say(paint.yellow(`      not confirmed, reported by ${plain(memory.reportedBy ?? 'an unknown sender')}; before: ${plain(memory.confirmedContent)}`));
    say(paint.dim(`      ${[memory.id, memory.category, dayIn(zone, memory.occurredAt ?? memory.createdAt), plain(memory.people?.join(', ') ?? '')].filter(Boolean).join(' · ')}`));
  }
}

export async function show(memories, host, { json, zone }, id) {
  const { say, tell, paint } = out(host);
  const memory = await memories.get(id);
  if (memory === undefined) throw failure('not_found', `no memory has the id ${id}`);
  const [versions, decisions, related] = [await memories.history(id), await memories.why(id), await memories.graph.related(id)];
  if (json) return void tell({ memory, versions, decisions, related });
  say(paint.bold(plain(memory.content)));
  if (memory.confirmedContent !== undefined) say(paint.yellow(`not confirmed, reported by ${plain(memory.reportedBy ?? 'an unknown sender')}; before: ${plain(memory.confirmedContent)}`));
  say(paint.dim([memory.id, `version ${memory.version}`, memory.category, plain(memory.people?.join(', ') ?? ''), memory.deletedAt && `hidden ${dayIn(zone, memory.deletedAt)}`].filter(Boolean).join(' · ')));
  if (versions.length > 1) say(['', 'versions', ...versions.map((v) => `  ${v.version}  ${dayIn(zone, v.createdAt)}  ${plain(v.content)}`)].join('\n'));
  say(['', 'decisions', ...decisions.map((e) => `  ${dayIn(zone, e.time)}  ${nameOf(e.decision)}  ${plain(e.reason)}`)].join('\n'));
  if (related.length > 0) say(['', 'related', ...related.map(({ edge, memory: other }) => `  ${edge.relation ?? edge.kind}  ${plain(other.content)}  ${paint.dim(other.id)}`)].join('\n'));
}

export async function log(memories, host, { json, limit, decision, zone }) {
  const { say, tell, paint, columns } = out(host);
  const entries = await memories.data.log({ newestFirst: true, limit, ...(decision === undefined ? {} : { decision }) });
  if (json) return void tell(entries);
  // An entry that asked may be settled by now, or its matter is asked about by another one.
  const waiting = new Set((await memories.review.list()).map(({ entry }) => entry.id));
  for (const { id, time, decision: made, input, reason } of entries) {
    say(`${clockIn(zone, Date.parse(time))}  ${nameOf(made).padEnd(6)}  ${cut(input, Math.max(40, columns - 27))}${waiting.has(id) ? paint.yellow('  to look at') : ''}`);
    say(paint.dim(`${' '.repeat(26)}${plain(reason)} · ${id}`));
  }
}

export async function changes(memories, host, { json, limit }) {
  const { say, tell, paint } = out(host);
  const found = await memories.review.changes({ limit });
  if (json) return void tell(found);
  for (const { memory, confirmed, reportedBy, disputed } of found) {
    say(paint.bold(plain(memory.content)));
    say(`  confirmed: ${plain(confirmed)}${disputed ? '  (said again since)' : ''}`);
    say(paint.dim(`  reported by ${plain(reportedBy.join(', ')) || 'an unknown sender'} · ${memory.id}`));
  }
}

export async function confirm(memories, host, { json }, id) {
  const { say, tell } = out(host);
  const entry = await memories.review.confirm(id);
  if (json) return void tell(entry);
  say(plain(entry.reason));
}

export async function revert(memories, host, { json }, id) {
  const { say, tell } = out(host);
  const entry = await memories.review.revert(id);
  if (json) return void tell(entry);
  say(plain(entry.reason));
}

export async function undo(memories, host, { json }, id) {
  const { say, tell } = out(host);
  const entry = await memories.undo(id);
  if (json) return void tell(entry);
  say(`taken back: ${plain(entry.reason)}`);
}

export async function exportAll(memories, host, _options, to) {
  const { stdout = process.stdout } = host;
  const lines = await memories.data.export();
  if (to === undefined) return void (await new Promise((done) => stdout.write(stdout.isTTY ? plain(lines) : lines, done)));
  // Whole or not at all: what was there is not lost to a full disk.
  await writeFile(`${to}.part`, lines, { mode: 0o600 });
  await rename(`${to}.part`, to);
}

export async function check(memories, host, { json }) {
  const { say, tell } = out(host);
  const report = await memories.data.verify();
  if (json) tell(report);
  else {
    say(`${report.memories} memories with their versions, ${report.edges} links, ${report.entries} entries of the log: ${report.problems.length === 0 ? 'all is well' : `${report.problems.length} problems`}`);
    for (const { rule, message } of report.problems) say(`${rule}: ${plain(message)}`);
  }
  return report.problems.length > 0 ? 1 : 0;
}

/** Serves the tools until the assistant goes away. */
export async function mcp(memories, { version, stdin = process.stdin, stdout = process.stdout }) {
  const missing = (message) => {
    throw failure('not_found', message);
  };
  const tools = { ...acts(missing), ...wishes(waitingHere(), missing) };
  const act = async (name, ...args) => {
    try {
      return { value: await tools[name](memories, ...args) };
    } catch ({ code = 'internal', message = 'memfold failed', retryable = false, field }) {
      return { error: { code, message, retryable, ...(field && { field }) } };
    }
  };
  const server = serverOf(act, version);
  const gone = new Promise((resolve) => {
    server.server.onclose = resolve;
    stdin.once('end', resolve);
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await gone;
  await server.close();
}
