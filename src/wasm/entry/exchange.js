// Sync between a client and a hub: one validated URL, bounded replies and, with a key, a chain of sealed steps. Each
// step is verified before its content is merged. It makes no decisions about memories.
import { FORMAT, sealing, stampOf } from './sealed.js';

/** The most bytes of an answer. A regular one has up to 500 entries with their memories, or about 4 MB of sealed data. */
const MOST = 64 * 1024 * 1024;
/** The most sealed characters in a request, unless a single entry is larger. */
const SENT = 8 * 1024 * 1024;
/** The most entries in a request. */
const ENTRIES = 500;
/** The most answers in one sync; a hub that always announces more is faulty. */
const ROUNDS = 10_000;
/** Attempts to append a step before another client does. */
const TRIES = 20;

const TOO_LARGE = new Error('too large');

/** All known error codes; a hub's answer may contain anything. */
export const CODES = new Set([
  'invalid_field', 'unknown_field', 'invalid_input', 'too_large', 'invalid_mail', 'not_found', 'already_undone', 'already_settled', 'has_dependents', 'forgotten', 'conflict', 'closed',
  'quota_exceeded', 'blocked', 'version_too_new', 'connection_lost', 'storage', 'corrupt', 'unauthorized', 'rate_limited', 'wrong_key', 'tampered', 'rolled_back', 'embedding',
  'invalid_weights', 'wrong_weights', 'out_of_memory', 'aborted', 'unsupported', 'trapped', 'internal',
]);
/** The error for a status without a known code, which may come from a proxy. */
function errorForStatus(status) {
  if (status === 401 || status === 403) return { code: 'unauthorized' };
  if (status === 404 || status === 405 || status === 410) return { code: 'invalid_field', field: 'url', message: `\`url\` is not where a hub answers: it says ${status}` };
  if (status === 413) return { code: 'too_large' };
  if (status === 429) return { code: 'rate_limited', retryable: true };
  if (status === 408 || status >= 500) return { code: 'connection_lost', retryable: true };
  return { code: 'internal' };
}

/** The text of a response of at most `MOST` bytes; throws for a larger one. */
async function readBounded(response) {
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

/** Creates the sync functions of a memory. `fail(code, message, more)` creates an error. */
export function exchanges(engine, fail, { url, token, fetch: send, key, again, signal, watched, check }) {
  const invalid = (field, rule) => fail('invalid_field', `\`${field}\` ${rule}`, { field });
  const tampered = (why, cause) => fail('tampered', `the hub's answer is not what a client has sealed: ${why}`, { cause });
  /** The key of the stored chain state for this hub. */
  const NOTE = () => `chain/${new URL(url).href}`;
  const NEW = { at: 0, hash: '', sent: null, agreed: { pushed: 0, made: [], about: [] }, hub: null, heard: 0, erased: 0 };

  async function readNote() {
    const [text] = await engine.exchange('aside', [NOTE()]);
    return { text, note: text === null ? NEW : JSON.parse(text) };
  }

  /** Updates the chain state; the write fails with a conflict if another tab changed it meanwhile. */
  async function updateNote(change) {
    const { text, note: known } = await readNote();
    await engine.exchange('putAside', [[NOTE(), JSON.stringify({ ...known, ...change(known) })]], [NOTE(), text]);
  }

  /** Sends a request and returns the hub's answer, an object. */
  async function post(body) {
    check();
    let response;
    let text;
    try {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      response = await send(url, { method: 'POST', headers, body: JSON.stringify(body), redirect: 'error', signal });
      text = await readBounded(response);
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
      // A syntax error may be a truncated or proxied answer; too deep nesting is the hub's fault.
      if (!(error instanceof SyntaxError)) throw fail('invalid_input', "the hub's answer is nested too deeply", { cause: error });
      throw fail('connection_lost', "the hub's answer is not JSON", { retryable: true, cause: error });
    }
    if (response.ok && typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer;
    throw response.ok ? fail('invalid_input', "the hub's answer is not a JSON object") : refusal(response.status, answer?.error);
  }

  /** An error from the hub's answer, with its fields validated. */
  function refusal(status, said) {
    const { message: plain = `the hub answered ${status}`, ...by } = errorForStatus(status);
    const message = typeof said?.message === 'string' ? said.message.slice(0, 500) : plain;
    if (!CODES.has(said?.code)) return fail(by.code, message, by);
    const field = typeof said.field === 'string' ? said.field.slice(0, 100) : undefined;
    return fail(said.code, message, { retryable: said.retryable === true, field });
  }

  /** Syncs with a hub that reads and merges the data. */
  async function syncPlain() {
    const told = { sent: 0, received: 0 };
    for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
      const feed = await engine.changes(url);
      const answer = await post(feed);
      const more = await engine.settle(url, feed.upto, answer);
      told.sent += feed.entries.length;
      told.received += answer.entries.length;
      if (!more) return told;
    }
    throw fail('too_large', 'the hub keeps announcing more data');
  }

  /** Syncs through a hub that sees only sealed data: merges the other clients' steps, then appends an own step. */
  async function syncSealed() {
    const seals = await sealing(key);
    const told = { sent: 0, received: 0 };
    const refused = [];
    if (again) await updateNote(() => NEW);
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        // The stamps of the hub's records by name; unchanged ones are not sent.
        const there = new Map();
        told.received += await pullSteps(seals, there);
        if (tries === 0) told.received += await fetchHubEntries(seals, refused);
        const { sent, done } = await pushSteps(seals, there);
        told.sent += sent;
        if (done) return refused.length === 0 ? told : { ...told, refused };
      } catch (error) {
        if (error?.code !== 'conflict') throw error;
      }
    }
    throw fail('conflict', 'other clients wrote first too often; try again', { retryable: true });
  }

  const request = (seals, after, steps = [], records = []) => post({ format: FORMAT, key: seals.check, after, steps, records });

  /** Checks the shape of an answer with sealed data, and that the hub has not lost steps. */
  function checkShape(answer, after) {
    const text = (value) => typeof value === 'string';
    const records = Array.isArray(answer.records) && answer.records.every((r) => Array.isArray(r) && r.length === 2 && r.every(text));
    if (!records || !Array.isArray(answer.steps) || !answer.steps.every(text) || !Number.isSafeInteger(answer.head)) {
      throw tampered('it is malformed');
    }
    if (answer.head < after) throw rolledBack();
    return answer;
  }

  const rolledBack = () =>
    fail('rolled_back', 'the hub lacks data of an earlier sync: it was reset or withholds data. `again: true` starts over with what it has');

  /** Reads the steps after the last known one, verifies them and merges their records. */
  async function pullSteps(seals, there) {
    const { note: known } = await readNote();
    let [seen, from] = [known, known.at];
    /** By record name: its stamp, the last step that wrote it, and its order of first appearance. */
    const last = new Map();
    const texts = new Map();
    for (let head = Infinity; seen.at < head; ) {
      const answer = checkShape(await request(seals, seen.at), seen.at);
      ({ head } = answer);
      if (answer.steps.length === 0 && seen.at < head) throw tampered('steps are missing');
      if (answer.steps.length > head - seen.at) throw tampered('there are more steps than announced');
      for (const sealed of answer.steps) {
        const next = await openStep(seals, seen, sealed, seen.at === known.at);
        seen = next.step;
        if (known.sent?.hash === seen.hash) {
          // This client's last step, whose answer was lost.
          await markAppended(known.sent.hash);
          from = seen.at;
          for (const [name, stamp] of next.records) there.set(name, stamp);
          continue;
        }
        for (const [name, stamp] of next.records) last.set(name, { stamp, at: seen.at, first: last.get(name)?.first ?? last.size });
      }
      for (const [name, sealed] of answer.records) texts.set(name, sealed);
    }
    if ([...texts.keys()].some((name) => !last.has(name) && !there.has(name))) throw tampered('some records belong to no step');
    if (seen.at === from) return 0;
    const nodes = [];
    const entries = [];
    for (const [name, { stamp, at }] of [...last].sort(([, a], [, b]) => a.first - b.first)) {
      const sealed = texts.get(name);
      if (sealed === undefined || stampOf(sealed) !== stamp) throw tampered('a record is missing or outdated');
      const { node, entry } = await seals.opened([name, sealed], at).catch((error) => {
        throw tampered('a record cannot be decrypted', error);
      });
      if (node) nodes.push(node);
      else entries.push(entry);
      there.set(name, stamp);
    }
    const { note: { at, agreed } } = await readNote();
    if (at !== from) throw fail('conflict', 'another tab has synced in the meantime; try again', { retryable: true });
    const [after, received] = await engine.exchange('pull', agreed, { entries, nodes });
    await updateNote(() => ({ at: seen.at, hash: seen.hash, agreed: after }));
    return received;
  }

  /** Records that the sent step was appended. */
  const markAppended = (hash) => updateNote(({ at, sent, agreed }) => {
    if (sent?.hash !== hash) throw fail('conflict', 'another tab has sent this in the meantime; try again', { retryable: true });
    return { at: at + 1, hash, sent: null, agreed: agreedUpTo(agreed, sent.upto) };
  });

  /** The agreed state after all entries up to a log number were sent. */
  const agreedUpTo = ({ made }, upto) => ({ pushed: upto, made: made.filter((seq) => seq > upto), about: [] });

  async function openStep(seals, seen, sealed, first) {
    let next;
    try {
      next = await seals.following(seen, sealed);
    } catch (error) {
      // If the very first step cannot be opened, the key is wrong. After that, the data was altered.
      if (seen.at === 0) throw fail('wrong_key', 'the data on the hub was sealed with another key', { cause: error });
      throw tampered('a step cannot be decrypted', error);
    }
    if (!next.follows) throw first ? rolledBack() : tampered('a step does not follow the one before it');
    if (next.format > FORMAT) throw fail('version_too_new', `a client has sent format ${next.format}; this version reads ${FORMAT}`);
    return next;
  }

  /** Appends the remaining changes as steps. `done` is false if another client was faster. */
  async function pushSteps(seals, there) {
    let [sent, most] = [0, ENTRIES];
    for (;;) {
      const { note: { at, hash, agreed } } = await readNote();
      const { told, upto, more } = await engine.exchange('push', agreed, most);
      const all = await seals.records(told);
      const records = all.filter(([name, sealed]) => there.get(name) !== stampOf(sealed));
      const size = records.reduce((sum, [, sealed]) => sum + sealed.length, 0);
      if (size > SENT && most > 1) {
        most = Math.ceil(most / 2);
        continue;
      }
      if (records.length === 0) {
        await updateNote(({ agreed: known }) => ({ agreed: agreedUpTo(known, upto) }));
      } else {
        const { sealed, step } = await seals.step({ at, hash }, records);
        await updateNote(() => ({ sent: { hash: step.hash, upto } }));
        const answer = checkShape(await request(seals, at, [sealed], records), at);
        if (answer.head !== step.at || answer.steps.length > 0) return { sent, done: false };
        await markAppended(step.hash);
        for (const [name, text] of records) there.set(name, stampOf(text));
        sent += told.entries.length;
      }
      if (!more) return { sent, done: true };
    }
  }

  /** Fetches entries that were added at the hub itself; returns the number merged. */
  async function fetchHubEntries(seals, refused) {
    let taken = 0;
    for (let rounds = 0; rounds < ROUNDS; rounds += 1) {
      const { note: known } = await readNote();
      const inquiry = await engine.exchange('inquire', known.erased);
      const answer = await post({ ...inquiry, ...(known.hub && { to: known.hub }), seen: known.heard, key: seals.check });
      if (known.hub && answer.from !== known.hub) {
        // A different hub at this URL, so start over.
        await updateNote(() => ({ hub: answer.from, heard: 0, erased: 0 }));
        continue;
      }
      const heard = await engine.exchange('hear', answer, undefined, watched);
      await updateNote(() => ({ hub: answer.from, heard: Math.max(known.heard, answer.upto), erased: inquiry.upto }));
      taken += heard.taken;
      refused.push(...heard.refused);
      if (!answer.more || answer.upto <= known.heard) return taken;
    }
    throw fail('too_large', 'the hub keeps announcing more data');
  }

  /** Validates the token and URL before a sync; the engine applies the same URL rules as for endpoints. */
  const to = (work) => async () => {
    if (/[^\t\x20-\x7e\x80-\xff]/.test(token)) throw invalid('token', 'has a character that is invalid in a header, such as a line break');
    await engine.exchange('address', url);
    return work();
  };
  if (key === undefined) return to(syncPlain);
  if (!(key instanceof Uint8Array && key.length === 32)) throw invalid('key', 'is not 32 bytes');
  if (!globalThis.crypto?.subtle) throw fail('unsupported', 'this host has no WebCrypto; pages need https');
  return to(syncSealed);
}
