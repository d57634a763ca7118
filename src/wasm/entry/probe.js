// Trying a model out with one question of the kind that is asked, over an engine of its own: what works, and what is wrong.
// It judges as the engine does, keeps nothing, and sends nothing of the user's.
import { endpoint } from './endpoint.js';

/** Milliseconds past which an answer is slow, and after which nobody waits. */
const SLOW = 10_000;
const PATIENCE = 60_000;
/** Characters of what an endpoint says that are told. */
const MOST = 300;

const PAIR = ['The Q1 marketing budget is 50 million won.', 'Marketing gets 60 million won for Q1.'];

/** What a server says of a model that it does not have, and of a key. */
const NO_MODEL = /model.{0,80}(not|unknown|invalid|exist)|(unknown|invalid|no such|unsupported).{0,20}model/is;
const NO_KEY = /api.?key/i;

/** Why nothing came back: a browser tells a page no more than that. */
async function obstacle(at, blocked) {
  if (blocked) return 'blocked';
  if (typeof globalThis.location !== 'object') return 'unreachable';
  if (location.protocol === 'https:' && at.protocol === 'http:') return 'mixed_content';
  try {
    // Whether anybody is there at all; nothing goes along, and nothing can be read.
    await fetch(at.origin, { mode: 'no-cors', credentials: 'omit', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(5_000) });
    return 'cors';
  } catch {
    return 'unreachable';
  }
}

/** The code of what went wrong on the way. */
function refused({ refusal, status }, { said = '' }) {
  if (status === 404 && /model/i.test(said)) return 'no_such_model';
  if (refusal === 'rejected' && NO_KEY.test(said)) return 'unauthorized';
  if (refusal === 'rejected' && NO_MODEL.test(said)) return 'no_such_model';
  // An answer that is no JSON at all comes from a page, not from an interface for programs.
  return refusal === 'not_json' ? 'not_an_api' : (refusal ?? 'failed');
}

/** The message within what a server said, in one line. */
function message(said) {
  let text = said;
  try {
    const { error, message, detail } = [JSON.parse(said)].flat()[0];
    text = error?.message ?? message ?? error ?? detail ?? said;
  } catch {
    // Not JSON, or cut: shown as it came.
  }
  if (typeof text !== 'string') text = said;
  return text.replace(/<(style|script|title)[^]*?<\/\1>|<[^>]*>/gi, ' ').replace(/\s+/g, ' ').trim().slice(0, MOST);
}

/** Asks once and tells what came of it; never rejects, except for options that are none. */
export async function probe(model, { signal, timeout = PATIENCE }, open, invalid) {
  const heard = {};
  let ask = model;
  if (typeof model !== 'function') {
    try {
      ask = endpoint(model, invalid, heard);
    } catch (error) {
      return { ok: false, code: /not https$/.test(error.message) ? 'insecure' : 'invalid', detail: error.message, field: error.field, ms: 0 };
    }
  }
  let blocked = false;
  const onBlocked = ({ blockedURI }) => (blocked ||= heard.at?.href.startsWith(blockedURI) ?? false);
  globalThis.addEventListener?.('securitypolicyviolation', onBlocked);
  let [ms, fault, text, counted] = [0, undefined, '', false];
  const analyst = async (question, call) => {
    const started = performance.now();
    try {
      const both = signal ? AbortSignal.any([signal, call.signal]) : call.signal;
      const reply = await ask(question, { signal: both });
      text = typeof reply === 'string' ? reply : (reply?.text ?? JSON.stringify(reply));
      counted ||= reply?.tokens > 0;
      return reply;
    } catch (error) {
      fault = { refusal: error?.refusal, status: error?.status, after: error?.after, message: error?.message };
      throw error;
    } finally {
      ms += performance.now() - started;
    }
  };
  const memories = await open({ store: 'memory', policy: 'accurate', analyst, analystTimeout: timeout });
  try {
    await memories.consolidate({ content: PAIR[0], threadId: 't' });
    const { entry } = await memories.consolidate({ content: PAIR[1], threadId: 't' }, { signal });
    const why = entry.reasons.find((reason) => reason.kind === 'model_refused')?.error;
    const { schema, temperature } = heard;
    const features = { ...(schema && { schema, temperature }), tokens: counted, right: entry.analyst === 'model' && entry.decision === 'UPDATE' };
    const told = (ok, code, detail = '') => ({ ok, code, detail: model.key ? detail.replaceAll(model.key, '•••') : detail, features, ms: Math.round(ms) });
    if (why === 'timeout') return told(false, 'timeout');
    if (fault) {
      const code = fault.refusal === 'unreachable' ? await obstacle(heard.at, blocked) : refused(fault, heard);
      const after = fault.after === undefined ? '' : ` (${Math.ceil(fault.after / 1_000)} s)`;
      return told(false, code, message(heard.said ?? (fault.refusal === undefined ? String(fault.message ?? '') : '')) + after);
    }
    if (why) return told(false, 'wrong_form', `${why}: ${message(text)}`);
    if (ms > SLOW) return told(true, 'slow');
    return told(true, schema === 'json' || schema === 'none' ? 'downgraded' : 'ok');
  } catch (error) {
    if (error?.code === 'aborted') return { ok: false, code: 'aborted', detail: '', ms: Math.round(ms) };
    throw error;
  } finally {
    globalThis.removeEventListener?.('securitypolicyviolation', onBlocked);
    await memories.close();
  }
}
