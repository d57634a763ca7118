// Consolidates a mailbox in the terminal and prints every decision, with the same wasm as everywhere else.
import { colours, cut, pad, table, width } from './table.mjs';

const NAMES = { CREATE: 'CREATE', UPDATE: 'UPDATE', SKIP: 'SKIP', CREATE_AND_LINK: 'LINK', DELETE: 'DELETE' };

/** The widths of the table's columns within `total` columns: texts share what the short ones leave. */
function layout(total) {
  const short = { number: 3, decision: 6, category: 8, score: 5 };
  const gaps = 2 * 6;
  const rest = Math.max(60, total - Object.values(short).reduce((a, b) => a + b) - gaps);
  const mail = Math.floor(rest * 0.2);
  const reason = Math.floor(rest * 0.32);
  return { ...short, mail, reason, memory: rest - mail - reason };
}

/** A text over several lines of at most `limit` columns. */
function wrap(text, limit) {
  const lines = [];
  let line = '';
  for (const word of text.replace(/\s+/g, ' ').trim().split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (width(longer) <= limit) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (width(line) > limit) {
      const head = cut(line, limit).slice(0, -1);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** What a decision did, in two or three lines: the new text, and what it is about. */
function memoryLines(receipt, targets, limit, paint) {
  const { entry } = receipt;
  const target = targets.get(entry.targetId);
  const lines = wrap(receipt.memory && entry.decision !== 'SKIP' ? receipt.memory.content : entry.input, limit).slice(0, 3);
  const [first] = entry.propertyChanges ?? [];
  if (entry.decision === 'UPDATE' && first) {
    lines.push(...wrap(`${first.property}: ${first.oldValue ?? '–'} → ${first.newValue ?? '–'}`, limit).slice(0, 2).map(paint.yellow));
  }
  if (target) {
    const sign = { UPDATE: '↻ was: ', SKIP: '= ', CREATE_AND_LINK: `↔ ${entry.relation ?? 'related'}: ` }[entry.decision] ?? '';
    lines.push(paint.dim(cut(`${sign}${target}`, limit)));
  }
  return lines;
}

/** One decision as the lines of a table row. */
export function rowOf(number, mail, receipt, targets, columns, paint) {
  const { entry } = receipt;
  const tint = { CREATE: paint.green, UPDATE: paint.yellow, SKIP: paint.dim, CREATE_AND_LINK: paint.cyan, DELETE: paint.red }[entry.decision];
  const replayed = receipt.replayed ? 'SEEN' : NAMES[entry.decision];
  const cells = [
    [String(number)],
    wrap(mail, columns.mail).slice(0, 3),
    [(receipt.replayed ? paint.dim : tint)(replayed)],
    [entry.category],
    memoryLines(receipt, targets, columns.memory, paint),
    [entry.similarity ? entry.similarity.score.toFixed(2) : ''],
    wrap(entry.reason, columns.reason).slice(0, 4).map(paint.dim),
  ];
  const widths = [columns.number, columns.mail, columns.decision, columns.category, columns.memory, columns.score, columns.reason];
  const height = Math.max(...cells.map((c) => c.length));
  return Array.from({ length: height }, (_, i) => cells.map((c, n) => pad(c[i] ?? '', widths[n], n === 0 || n === 5)).join('  ').trimEnd()).join('\n');
}

/** Takes in `bytes`, printing each decision as it falls, then a summary. Returns the open memory. */
export async function consolidateInbox({ open }, bytes, options, out = process.stdout) {
  const paint = colours(out);
  const columns = layout(out.columns ?? 150);
  const memories = await open({ store: 'memory', ...options });
  const targets = new Map();
  const say = (text) => out.write(`${text}\n`);
  const heads = ['#', 'mail', 'what', 'category', 'memory', 'score', 'why'];
  const widths = [columns.number, columns.mail, columns.decision, columns.category, columns.memory, columns.score, columns.reason];
  say(paint.bold(heads.map((h, i) => pad(h, widths[i], i === 0 || i === 5)).join('  ').trimEnd()));
  say(widths.map((w) => '─'.repeat(w)).join('  '));
  let number = 0;
  const start = performance.now();
  const report = await memories.ingest(bytes, {
    onReceipt: (mail) => {
      const title = `${mail.date ? `${mail.date.slice(5, 10)} ` : ''}${mail.subject ?? mail.messageId ?? ''}`;
      if (mail.failed) say(`${pad('', columns.number)}  ${paint.red(`${title}: ${mail.failed.code}: ${mail.failed.message}`)}`);
      for (const receipt of mail.receipts) {
        number += 1;
        say(rowOf(number, title, receipt, targets, columns, paint));
        if (receipt.memory) targets.set(receipt.memory.id, receipt.memory.content);
      }
    },
  });
  const seconds = (performance.now() - start) / 1000;
  const { currentMemories, storedMemories, modelCalls } = await memories.analytics();
  const links = await memories.links();
  say('');
  say(table(['mails', 'created', 'updated', 'linked', 'skipped', 'seen before', 'failed', 'memories now', 'with versions', 'links', 'model calls'].map((title) => ({ title, right: true })), [
    [report.mails, report.created, report.updated, report.linked, report.skipped, report.replayed, report.failed.length, currentMemories, storedMemories, links.length, modelCalls].map(String),
  ]));
  say(paint.dim(`in ${seconds.toFixed(2)} s, on this device, with no request to anybody`));
  return memories;
}
