// Imports a mailbox into a host part by part, and measures each; then asks the questions, of the whole store and of a small one.
import { holds, normal } from '../eval/text.mjs';
import { cpuSeconds } from './processes.mjs';
import { Mailbox } from './mailbox.mjs';

/** Mails of one part. Each part is measured; a small mailbox has ten parts. */
const PART = 1_000;
const SAMPLED_EVERY = 1_000;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(0)} MB`;

/** Whether one of the first three hits holds the answer, and says of what. */
export function answered({ key, any }, hits) {
  return hits.some(({ content, subject }) => {
    const text = normal(content);
    return any.some((needle) => holds(text, needle)) && (holds(text, key) || holds(normal(subject), key));
  });
}

/** Asks all questions. Gives which were answered, and the median time of a search in milliseconds. */
async function asked(host, questions) {
  const [right, times] = [[], []];
  for (const question of questions) {
    const start = performance.now();
    const hits = await host.search(question.question);
    times.push(performance.now() - start);
    right.push(answered(question, hits));
  }
  times.sort((a, b) => a - b);
  return { right, median: times[times.length >> 1] ?? 0 };
}

function* take(mails, count) {
  for (let n = 0; n < count; n += 1) {
    const { done, value } = mails.next();
    if (done) return;
    yield value.text;
  }
}
function* only(box, numbers) {
  for (const { n, text } of box.mails()) if (numbers.has(n)) yield text;
}

/**
 * Runs the campaign of one host. After `minutes` the mailbox ends early; it is then the beginning of the whole. `say` tells of
 * each part.
 */
export async function measured(launch, { mails: wanted, seed, questions: most = 500, minutes = Infinity }, say = () => {}) {
  const host = await launch();
  const box = new Mailbox({ seed, mails: wanted });
  const size = Math.min(PART, Math.ceil(wanted / 10));
  const parts = [];
  let peak = 0;
  const sample = () => void (peak = Math.max(peak, host.memory()));
  const timer = setInterval(sample, SAMPLED_EVERY);
  try {
    await host.open('full');
    const stream = box.mails();
    const until = performance.now() + minutes * 60_000;
    const part = async (texts) => {
      const [start, before] = [performance.now(), cpuSeconds(host.processes())];
      const report = await host.importMails(texts);
      const [seconds, cpu] = [(performance.now() - start) / 1_000, cpuSeconds(host.processes()) - before];
      sample();
      return { seconds, cpu, ...report, memory: host.memory() };
    };
    let last = [];
    for (let read = 0; read < wanted && performance.now() < until; read += last.length) {
      last = [...take(stream, size)];
      parts.push({ ...(await part(last)), bytes: host.size('full') });
      const { mails, seconds, cpu, memory, bytes } = parts.at(-1);
      say(
        `${read + last.length} mails: ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU (${(mails / cpu).toFixed(0)} mails a CPU second), ${megabytes(memory)} of memory, ${megabytes(bytes)} stored`,
      );
    }
    const mails = parts.length * size;
    // Opened anew: what was closed has emptied its write-ahead log into the file.
    const openMillis = await host.open('full');
    const bytes = host.size('full');
    const questions = box.questions(most);
    const start = performance.now();
    await host.search(questions[0].question);
    const firstSearchMillis = performance.now() - start;
    const full = await asked(host, questions);
    const problems = await host.verify();
    sample();
    say('the small stores');
    // The same mails without the store before them, at the same load: what of the cost is due to the size.
    await host.open('last');
    const alone = await part(last);
    const needed = new Set(questions.flatMap((question) => question.mails));
    await host.open('small');
    const small = await host.importMails(only(new Mailbox({ seed, mails: wanted }), needed));
    const few = await asked(host, questions);
    const sum = (name, of = parts) => of.reduce((total, part) => total + part[name], 0);
    const tenth = Math.ceil(parts.length / 10);
    const rate = (of, cost) => sum('mails', of) / sum(cost, of);
    const ratio = (cost) => rate(parts.slice(-tenth), cost) / rate(parts.slice(0, tenth), cost);
    return {
      version: host.version,
      mails,
      failed: sum('failed'),
      created: sum('created'),
      updated: sum('updated'),
      linked: sum('linked'),
      skipped: sum('skipped'),
      seconds: sum('seconds'),
      cpu: sum('cpu'),
      parts,
      endToStart: { cpu: ratio('cpu'), seconds: ratio('seconds') },
      fullToEmpty: { cpu: rate(parts.slice(-1), 'cpu') / rate([alone], 'cpu'), seconds: rate(parts.slice(-1), 'seconds') / rate([alone], 'seconds') },
      peak,
      bytes,
      openMillis,
      firstSearchMillis,
      searchMillis: full.median,
      smallSearchMillis: few.median,
      questions: questions.length,
      hits: full.right.filter(Boolean).length,
      smallHits: few.right.filter(Boolean).length,
      smallMails: small.mails,
      /** Answered by the small store alone: what the size of the full store has cost. */
      lost: questions.filter((_, i) => few.right[i] && !full.right[i]).map(({ question, any }) => ({ question, any })),
      unanswered: questions.filter((_, i) => !few.right[i]).map(({ question, any }) => ({ question, any })),
      problems,
    };
  } finally {
    clearInterval(timer);
    await host.stop();
  }
}
