// Consolidates a mailbox in the terminal and prints every decision.
import { colours, cut, pad, plain, table, width } from './table.mjs';

const NAMES = { CREATE: 'CREATE', UPDATE: 'UPDATE', SKIP: 'SKIP', CREATE_AND_LINK: 'LINK', DELETE: 'DELETE' };

/** Column widths for `total` columns: texts share what the short columns leave. */
function layout(total) {
  const short = { number: 3, decision: 6, category: 8, score: 5 };
  const gaps = 2 * 6;
  const rest = Math.max(60, total - Object.values(short).reduce((a, b) => a + b) - gaps);
  const mail = Math.floor(rest * 0.2);
  const reason = Math.floor(rest * 0.32);
  return { ...short, mail, reason, memory: rest - mail - reason };
}

/** Wraps a text at `limit` columns; `paint` formats each word, by its index. */
function wrap(text, limit, paint = (word) => word) {
  const words = plain(text)
    .replace(/\s+/g, ' ')
    .trim()
    .split(' ')
    .flatMap((word, nth) => parts(word, limit).map((part) => ({ part, nth })));
  const lines = [];
  let used = 0;
  for (const { part, nth } of words) {
    const wide = width(part);
    if (lines.length > 0 && used + 1 + wide <= limit) {
      lines[lines.length - 1] += ` ${paint(part, nth)}`;
      used += 1 + wide;
    } else {
      lines.push(paint(part, nth));
      used = wide;
    }
  }
  return lines;
}

/** Splits a word that is wider than a line. */
function parts(word, limit) {
  const out = [];
  let rest = word;
  while (width(rest) > limit) {
    const head = cut(rest, limit).slice(0, -1);
    out.push(head);
    rest = rest.slice(head.length);
  }
  return [...out, rest];
}

/**
 * The words of a memory's statements with their outdated parts, or of its content if a model worded
 * it.
 */
export function wordsOf({ content, statements = [] }) {
  const words = [];
  let open = false;
  const add = (text, struck) => {
    for (const piece of text.split(/(\s+)/)) {
      const isBlank = piece.trim() === '';
      if (!isBlank && open) words.at(-1).push({ text: piece, struck });
      else if (!isBlank) words.push([{ text: piece, struck }]);
      if (piece !== '') open = !isBlank;
    }
  };
  statements.forEach(({ text, struck = [] }, i) => {
    add(i > 0 ? ' · ' : '', false);
    let done = 0;
    for (const [from, to] of [...struck, [text.length, text.length]]) {
      add(text.slice(done, from), false);
      add(text.slice(from, to), true);
      done = to;
    }
  });
  const letters = (text) => text.match(/[\p{L}\p{N}\p{S}]/gu)?.join('');
  const held = words
    .flat()
    .filter((part) => !part.struck)
    .map((part) => part.text)
    .join('');
  return letters(held) === letters(content)
    ? words
    : content
        .split(/\s+/)
        .filter(Boolean)
        .map((text) => [{ text, struck: false }]);
}

/**
 * The current text of a memory: outdated parts are struck through, or left out if the terminal
 * cannot.
 */
export function memoryText(memory, limit, { strike }) {
  if (!strike) return wrap(memory.content, limit);
  const words = wordsOf(memory);
  const whole = words.map((word) => word.map((part) => part.text).join(''));
  // A word split over lines is not struck through.
  const paint = (text, nth) => (text === whole[nth] ? words[nth].map((part) => (part.struck ? strike(part.text) : part.text)).join('') : text);
  return wrap(whole.join(' '), limit, paint);
}

/** What a decision did, in two or three lines: the new text and its target. */
function memoryLines(receipt, targets, limit, paint) {
  const { entry } = receipt;
  const target = targets.get(entry.targetId);
  const says = receipt.memory && entry.decision !== 'SKIP';
  const lines = (says ? memoryText(receipt.memory, limit, paint) : wrap(entry.input, limit)).slice(0, 3);
  const [first] = entry.propertyChanges ?? [];
  if (entry.decision === 'UPDATE' && first) {
    lines.push(
      ...wrap(`${first.property}: ${first.oldValue ?? '–'} → ${first.newValue ?? '–'}`, limit)
        .slice(0, 2)
        .map(paint.yellow),
    );
  }
  if (target) {
    const sign = { UPDATE: '↻ was: ', SKIP: '= ', CREATE_AND_LINK: `↔ ${entry.relation ?? 'related'}: ` }[entry.decision] ?? '';
    lines.push(paint.dim(cut(`${sign}${target}`, limit)));
  }
  return lines;
}

/** A decision as the lines of a table row. */
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
  return Array.from({ length: height }, (_, i) =>
    cells
      .map((c, n) => pad(c[i] ?? '', widths[n], n === 0 || n === 5))
      .join('  ')
      .trimEnd(),
  ).join('\n');
}

/** Imports `bytes`, prints each decision and then a summary. Returns the open memory. */
export async function consolidateInbox({ open }, bytes, options, out = process.stdout) {
  const paint = colours(out);
  const columns = layout(out.columns ?? 150);
  const memories = await open({ storage: 'memory', ...options });
  const targets = new Map();
  const say = (text) => out.write(`${text}\n`);
  const heads = ['#', 'mail', 'what', 'category', 'memory', 'score', 'why'];
  const widths = [columns.number, columns.mail, columns.decision, columns.category, columns.memory, columns.score, columns.reason];
  say(
    paint.bold(
      heads
        .map((h, i) => pad(h, widths[i], i === 0 || i === 5))
        .join('  ')
        .trimEnd(),
    ),
  );
  say(widths.map((w) => '─'.repeat(w)).join('  '));
  let number = 0;
  const start = performance.now();
  const report = await memories.importMail(bytes, {
    onReceipt: (mail) => {
      const title = `${mail.date ? `${mail.date.slice(5, 10)} ` : ''}${mail.subject ?? mail.messageId ?? ''}`;
      if (mail.failed) say(`${pad('', columns.number)}  ${paint.red(plain(`${title}: ${mail.failed.code}: ${mail.failed.message}`))}`);
      for (const receipt of mail.receipts) {
        number += 1;
        say(rowOf(number, title, receipt, targets, columns, paint));
        if (receipt.memory) targets.set(receipt.memory.id, receipt.memory.content);
      }
    },
  });
  const seconds = (performance.now() - start) / 1000;
  const { currentMemories, storedMemories, modelCalls } = await memories.log.stats();
  const links = await memories.graph.edges();
  say('');
  say(
    table(
      ['mails', 'created', 'updated', 'linked', 'skipped', 'seen before', 'failed', 'memories now', 'with versions', 'links', 'model calls'].map((title) => ({
        title,
        right: true,
      })),
      [
        [
          report.mails,
          report.created,
          report.updated,
          report.linked,
          report.skipped,
          report.replayed,
          report.failed.length,
          currentMemories,
          storedMemories,
          links.length,
          modelCalls,
        ].map(String),
      ],
    ),
  );
  say(paint.dim(`in ${seconds.toFixed(2)} s, on this device, with no request to anybody`));
  return memories;
}
