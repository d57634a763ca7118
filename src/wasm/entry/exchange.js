// How a client and a hub exchange what has changed: one checked address, bounded replies, and, with a key, a chain of sealed
// steps of which each is verified before anything of it is taken in. It decides nothing about memories.
import { FORMAT, sealing, stampOf } from './sealed.js';

/** Bytes of an answer that are read. An honest one has 500 entries with what they touched, or about 4 MB of what is sealed. */
const MOST = 64 * 1024 * 1024;
/** Characters of what is sealed and sent at once, beside a single entry's. */
const SENT = 8 * 1024 * 1024;
/** Entries that are sent at once. */
const ENTRIES = 500;
/** Answers of one exchange; past them the hub only ever says that there is more. */
const ROUNDS = 10_000;
/** Tries to append a step before other clients. */
const TRIES = 20;

const TOO_LARGE = new Error('too large');

/** The codes of errors; a hub may say anything. */
export const CODES = new Set([
  'invalid_field', 'unknown_field', 'invalid_input', 'too_large', 'invalid_mail', 'not_found', 'already_undone', 'already_settled', 'has_dependents', 'forgotten', 'conflict', 'closed',
  'quota_exceeded', 'blocked', 'version_too_new', 'connection_lost', 'storage', 'corrupt', 'unauthorized', 'rate_limited', 'wrong_key', 'tampered', 'rolled_back', 'embedding',
  'invalid_weights', 'wrong_weights', 'out_of_memory', 'aborted', 'unsupported', 'trapped', 'internal',
]);
/** What an answer means that names no code: it may come from something in between. */
function meant(status) {
  if (status === 401 || status === 403) return { code: 'unauthorized' };
  if (status === 404 || status === 405 || status === 410) return { code: 'invalid_field', field: 'url', message: `\`url\` is not where a hub answers: it says ${status}` };
  if (status === 413) return { code: 'too_large' };
  if (status === 429) return { code: 'rate_limited', retryable: true };
  if (status === 408 || status >= 500) return { code: 'connection_lost', retryable: true };
  return { code: 'internal' };
}

/** The text of a response that is not larger than `MOST`; else it is not read to its end. */
async function bounded(response) {
  if (!response.body) return '';
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, size] = ['', 0];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > MOST) {
      await reader.cancel().catch(() => {});
      throw TOO_LARGE;
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}

/** The exchanges of a memory. `fail(code, message, more)` makes an error. */
export function exchanges(engine, fail, { url, token, fetch: send, key, again, signal, watched, check }) {
  const invalid = (field, rule) => fail('invalid_field', `\`${field}\` ${rule}`, { field });
  const tampered = (why, cause) => fail('tampered', `what the hub answered is not what a client has sealed: ${why}`, { cause });
  /** What is noted of the chain at this address, kept with the memories. */
  const NOTE = () => `chain/${new URL(url).href}`;
  const NEW = { at: 0, hash: '', sent: null, agreed: { pushed: 0, made: [], about: [] }, hub: null, heard: 0, erased: 0 };

  async function noted() {
    const [text] = await engine.exchange('aside', [NOTE()]);
    return { text, note: text === null ? NEW : JSON.parse(text) };
  }

  /** Changes what is noted; another tab may have gone on meanwhile, and then this one begins again. */
  async function note(change) {
    const { text, note: known } = await noted();
    await engine.exchange('putAside', [[NOTE(), JSON.stringify({ ...known, ...change(known) })]], [NOTE(), text]);
  }

  /** What the hub answers, an object. */
  async function asked(body) {
    check();
    let response;
    let text;
    try {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      response = await send(url, { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error', signal });
      text = await bounded(response);
    } catch (error) {
      check();
      if (error === TOO_LARGE) throw fail('too_large', `the hub's answer is larger than ${MOST} bytes`);
      throw fail('connection_lost', 'the hub did not answer', { retryable: true, cause: error });
    }
    let answer;
    try {
      answer = JSON.parse(text);
    } catch (error) {
      if (!response.ok) throw refusal(response.status);
      // What is not JSON at all was cut off, or comes from something between; what is too deep is a fault of the hub.
      if (!(error instanceof SyntaxError)) throw fail('invalid_input', "the hub's answer is nested too deeply", { cause: error });
      throw fail('connection_lost', "the hub's answer is not JSON", { retryable: true, cause: error });
    }
    if (response.ok && typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer;
    throw response.ok ? fail('invalid_input', "the hub's answer is not a JSON object") : refusal(response.status, answer?.error);
  }

  /** An error that the hub told, as far as it is one. */
  function refusal(status, said) {
    const { message: plain = `the hub answered ${status}`, ...by } = meant(status);
    const message = typeof said?.message === 'string' ? said.message.slice(0, 500) : plain;
    if (!CODES.has(said?.code)) return fail(by.code, message, by);
    const field = typeof said.field === 'string' ? said.field.slice(0, 100) : undefined;
    return fail(said.code, message, { retryable: said.retryable === true, field });
  }

  /** With a hub that reads what it is told, and joins it. */
  async function plainly() {
    const told = { sent: 0, received: 0 };
    for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
      const feed = await engine.changes(url);
      const answer = await asked(feed);
      const more = await engine.settle(url, feed.upto, answer);
      told.sent += feed.entries.length;
      told.received += answer.entries.length;
      if (!more) return told;
    }
    throw fail('too_large', 'the hub never comes to an end');
  }

  /** With one that reads nothing: the others' steps are taken in, and what came of them and of this side is the next step. */
  async function sealedly() {
    const seals = await sealing(key);
    const told = { sent: 0, received: 0 };
    const refused = [];
    if (again) await note(() => NEW);
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        // What the hub has, by name: what is alike need not be sent.
        const there = new Map();
        told.received += await pulled(seals, there);
        if (tries === 0) told.received += await listened(seals, refused);
        const { sent, done } = await pushed(seals, there);
        told.sent += sent;
        if (done) return refused.length === 0 ? told : { ...told, refused };
      } catch (error) {
        if (error?.code !== 'conflict') throw error;
      }
    }
    throw fail('conflict', 'others were faster too often; try again', { retryable: true });
  }

  const request = (seals, after, steps = [], records = []) => asked({ format: FORMAT, key: seals.check, after, steps, records });

  /** An answer to a request of what is sealed: of the right shape, and not behind what was seen. */
  function shaped(answer, after) {
    const text = (value) => typeof value === 'string';
    const records = Array.isArray(answer.records) && answer.records.every((r) => Array.isArray(r) && r.length === 2 && r.every(text));
    if (!records || !Array.isArray(answer.steps) || !answer.steps.every(text) || !Number.isSafeInteger(answer.head)) {
      throw tampered('it has another shape');
    }
    if (answer.head < after) throw rolledBack();
    return answer;
  }

  const rolledBack = () =>
    fail('rolled_back', 'the hub has not what it had at an earlier exchange: it was made anew, or it hides something. `again: true` begins anew with what it has');

  /** Reads the steps after the last one that was taken over, verifies them, and takes in what they wrote. */
  async function pulled(seals, there) {
    const { note: known } = await noted();
    let [seen, from] = [known, known.at];
    /** By name: its stamp, the step that wrote it last, and when it was first met. */
    const last = new Map();
    const texts = new Map();
    for (let head = Infinity; seen.at < head; ) {
      const answer = shaped(await request(seals, seen.at), seen.at);
      ({ head } = answer);
      if (answer.steps.length === 0 && seen.at < head) throw tampered('steps are missing');
      if (answer.steps.length > head - seen.at) throw tampered('there are more steps than it says');
      for (const sealed of answer.steps) {
        const next = await followed(seals, seen, sealed, seen.at === known.at);
        seen = next.step;
        if (known.sent?.hash === seen.hash) {
          // Its own last one, of which no answer came.
          await appended(known.sent.hash);
          from = seen.at;
          for (const [name, stamp] of next.records) there.set(name, stamp);
          continue;
        }
        for (const [name, stamp] of next.records) last.set(name, { stamp, at: seen.at, first: last.get(name)?.first ?? last.size });
      }
      for (const [name, sealed] of answer.records) texts.set(name, sealed);
    }
    if ([...texts.keys()].some((name) => !last.has(name) && !there.has(name))) throw tampered('there are records that no step wrote');
    if (seen.at === from) return 0;
    const nodes = [];
    const entries = [];
    for (const [name, { stamp, at }] of [...last].sort(([, a], [, b]) => a.first - b.first)) {
      const sealed = texts.get(name);
      if (sealed === undefined || stampOf(sealed) !== stamp) throw tampered('a record is missing, or is an older one');
      const { node, entry } = await seals.opened([name, sealed], at).catch((error) => {
        throw tampered('a record does not open', error);
      });
      if (node) nodes.push(node);
      else entries.push(entry);
      there.set(name, stamp);
    }
    const { note: { at, agreed } } = await noted();
    if (at !== from) throw fail('conflict', 'another tab has read this meanwhile; try again', { retryable: true });
    const [after, received] = await engine.exchange('pull', agreed, { entries, nodes });
    await note(() => ({ at: seen.at, hash: seen.hash, agreed: after }));
    return received;
  }

  /** Notes that the step that was sent has been appended. */
  const appended = (hash) => note(({ at, sent, agreed }) => {
    if (sent?.hash !== hash) throw fail('conflict', 'another tab has told this meanwhile; try again', { retryable: true });
    return { at: at + 1, hash, sent: null, agreed: past(agreed, sent.upto) };
  });

  /** What is agreed once all up to a number of the log is known to others. */
  const past = ({ made }, upto) => ({ pushed: upto, made: made.filter((seq) => seq > upto), about: [] });

  async function followed(seals, seen, sealed, first) {
    let next;
    try {
      next = await seals.following(seen, sealed);
    } catch (error) {
      // The first one of all does not open: then it is the key. Whoever has opened one has the right one.
      if (seen.at === 0) throw fail('wrong_key', 'what the hub has was sealed with another key', { cause: error });
      throw tampered('a step does not open', error);
    }
    if (!next.follows) throw first ? rolledBack() : tampered('a step does not follow the one before it');
    if (next.format > FORMAT) throw fail('version_too_new', `a client has told in format ${next.format}; this version reads ${FORMAT}`);
    return next;
  }

  /** Appends what is left to tell. `done` is false where another client was faster. */
  async function pushed(seals, there) {
    let [sent, most] = [0, ENTRIES];
    for (;;) {
      const { note: { at, hash, agreed } } = await noted();
      const { told, upto, more } = await engine.exchange('push', agreed, most);
      const all = await seals.records(told);
      const records = all.filter(([name, sealed]) => there.get(name) !== stampOf(sealed));
      const size = records.reduce((sum, [, sealed]) => sum + sealed.length, 0);
      if (size > SENT && most > 1) {
        most = Math.ceil(most / 2);
        continue;
      }
      if (records.length === 0) {
        await note(({ agreed: known }) => ({ agreed: past(known, upto) }));
      } else {
        const { sealed, step } = await seals.step({ at, hash }, records);
        await note(() => ({ sent: { hash: step.hash, upto } }));
        const answer = shaped(await request(seals, at, [sealed], records), at);
        if (answer.head !== step.at || answer.steps.length > 0) return { sent, done: false };
        await appended(step.hash);
        for (const [name, text] of records) there.set(name, stampOf(text));
        sent += told.entries.length;
      }
      if (!more) return { sent, done: true };
    }
  }

  /** Hears what the hub was told itself; gives how much of it was taken in. */
  async function listened(seals, refused) {
    let taken = 0;
    for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
      const { note: known } = await noted();
      const inquiry = await engine.exchange('inquire', known.erased);
      const answer = await asked({ ...inquiry, ...(known.hub && { to: known.hub }), seen: known.heard, key: seals.check });
      if (known.hub && answer.from !== known.hub) {
        // Another one at this address: it tells from the start.
        await note(() => ({ hub: answer.from, heard: 0, erased: 0 }));
        continue;
      }
      const heard = await engine.exchange('hear', answer, undefined, watched);
      await note(() => ({ hub: answer.from, heard: Math.max(known.heard, answer.upto), erased: inquiry.upto }));
      taken += heard.taken;
      refused.push(...heard.refused);
      if (!answer.more || answer.upto <= known.heard) return taken;
    }
    throw fail('too_large', 'the hub never comes to an end');
  }

  /** The address is checked where those of endpoints are. */
  const to = (work) => async () => {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(token)) throw invalid('token', 'has a character that no header takes, such as a line break');
    await engine.exchange('address', url);
    return work();
  };
  if (key === undefined) return to(plainly);
  if (!(key instanceof Uint8Array && key.length === 32)) throw invalid('key', 'is not 32 bytes');
  if (!globalThis.crypto?.subtle) throw fail('unsupported', 'this host seals nothing: it has no WebCrypto, as a page that is not https');
  return to(sealedly);
}
