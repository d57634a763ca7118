// The Worker's entry point: authenticates the caller and forwards the request to the owner's
// object.
import { ownerOf } from './auth';
import { parsed, type Env } from './env';
import { Refusal, refused, told } from './errors';
import { objectOf } from './json';
import { Failures, addressOf, tooMany } from './limits';
import { log, pseudonym } from './log';
import { version } from '../../../pkg/package.json';
import { answerHttp, type Outcome } from '../../cli/tools';
import { MemoryObject, type Ask, type Call } from './object';
import { openapi } from './openapi';
import { routed, type Route, type Takes } from './routes';
import { settingsOf } from './settings';

export { MemoryObject };

const MAIL = 25 * 1_024 * 1_024;

/**
 * Failed authentications in this isolate. Callers that guess tokens must wait; valid ones are not
 * delayed.
 */
const failures = new Failures();

/** The logged fields of a request. */
type Line = { method: string; route?: string; owner?: string; code?: string };

async function authenticated(request: Request, env: Env): Promise<string> {
  try {
    return await ownerOf(request, env);
  } catch (error) {
    const seconds = (error as Refusal).code === 'unauthorized' ? failures.count(addressOf(request), settingsOf(env).failuresPerMinute) : 0;
    throw seconds > 0 ? tooMany(seconds, 'too many requests without a valid token') : error;
  }
}

/** Calls the memory of an authenticated owner. */
const memoryOf = (env: Env, owner: string): Ask => {
  const object = env.MEMORY.getByName(owner);
  return ((...call: Call) => object.act(...call)) as unknown as Ask;
};

/** Bytes read of a rejected body, because a sender that is cut off may not read the answer. */
const MAX_REJECTED_BODY = 2 * MAIL;

/** Reads a body of at most `most` bytes. */
async function bytesOf(request: Request, most: number): Promise<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > MAX_REJECTED_BODY) break;
    if (size > most) chunks = [];
    else chunks.push(chunk);
  }
  if (size > most) throw new Refusal('too_large', `the body is larger than ${most} bytes`);
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

async function bodyOf(request: Request, { type, most }: Takes): Promise<unknown> {
  const [sent = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (sent.trim().toLowerCase() !== type) throw new Refusal('unsupported_media_type', `the body must be ${type}`);
  const bytes = await bytesOf(request, most);
  return type === 'application/json' ? objectOf(bytes) : bytes;
}

/** The query parameters of a route; unknown ones are rejected, so that a typo is noticed. */
function queryOf({ searchParams }: URL, { asks = {} }: Route): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [name, value] of searchParams) {
    const asked = Object.hasOwn(asks, name) ? asks[name] : undefined;
    if (!asked) throw new Refusal('unknown_field', `unknown parameter \`${name}\``, { field: name });
    const { type, enum: words } = asked;
    const fits = type === 'boolean' ? /^(true|false)$/.test(value) : type === 'integer' ? /^\d{1,9}$/.test(value) : !words || words.includes(value);
    if (!fits)
      throw new Refusal('invalid_field', `\`${name}\` is not ${type === 'string' ? `one of ${words?.join(', ')}` : `of type ${type}`}`, { field: name });
    query[name] = value;
  }
  return query;
}

async function answer(request: Request, env: Env, url: URL, line: Line): Promise<Response> {
  const { pathname } = url;
  if (pathname === '/health') return Response.json({ ok: true });
  if (pathname === '/openapi.json') return Response.json(openapi(url.origin));
  const { route, params = { id: '' }, methods } = routed(request.method, pathname);
  const isMcp = pathname === '/mcp';
  const what = isMcp ? 'mcp' : route?.id;
  if (what !== undefined) line.route = what;
  if (!isMcp && !route) {
    if (methods.length === 0) throw new Refusal('not_found', 'unknown path');
    throw new Refusal('method_not_allowed', `this path takes ${methods.join(', ')}`, { headers: { allow: methods.join(', ') } });
  }
  const owner = await authenticated(request, env);
  line.owner = await pseudonym(owner);
  const act = memoryOf(env, owner);
  if (isMcp || !route) {
    // Without sessions there is nothing to listen to and nothing to end.
    if (request.method !== 'POST') throw new Refusal('method_not_allowed', 'this path takes POST', { headers: { allow: 'POST' } });
    return answerHttp(request, act, version);
  }
  const query = queryOf(url, route);
  const body = route.takes ? await bodyOf(request, route.takes) : undefined;
  const { value, error } = await (act as (...call: Call) => Promise<Outcome<unknown>>)(...route.does({ body, query, params, headers: request.headers }));
  if (error) {
    line.code = error.code;
    return refused(error);
  }
  return route.givesType ? new Response(value as BodyInit, { headers: { 'content-type': route.givesType } }) : Response.json(value);
}

/** The CORS headers for allowed origins. */
function corsOf(request: Request, env: Env): Record<string, string> {
  const origin = request.headers.get('origin');
  if (origin === null || !parsed<string[]>(env.ORIGINS, []).includes(origin)) return { vary: 'origin' };
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-max-age': '86400',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, mcp-protocol-version',
    'access-control-expose-headers': 'retry-after',
  };
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const started = Date.now();
    const line: Line = { method: request.method };
    const url = new URL(request.url);
    let response: Response;
    try {
      response = request.method === 'OPTIONS' ? new Response(null, { status: 204 }) : await answer(request, env, url, line);
    } catch (error) {
      // Without a code it is an internal error, or the object was moved or reset during the call.
      const { retryable, code } = error as Partial<Refusal>;
      const said = retryable === true && code === undefined ? { code: 'unavailable', message: 'the memory is being moved', retryable: true } : told(error);
      line.code = said.code;
      response = refused(said);
    }
    response = new Response(response.body, response);
    const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...corsOf(request, env) };
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    log('request', { ...line, status: response.status, ms: Date.now() - started });
    return response;
  },

  /**
   * Mail forwarded to an owner's address. The sender is not authenticated, so it is only handled as
   * mail.
   */
  async email(message: ForwardableEmailMessage, env: Env): Promise<void> {
    const to = message.to.toLowerCase();
    const mailboxes = parsed<Record<string, string>>(env.MAILBOXES, {});
    const owner = Object.hasOwn(mailboxes, to) ? mailboxes[to] : undefined;
    if (owner === undefined) {
      log('mail', { code: 'not_found' });
      return message.setReject('there is no such mailbox');
    }
    const line = { owner: await pseudonym(owner), bytes: message.rawSize };
    if (message.rawSize > MAIL) {
      log('mail', { ...line, code: 'too_large' });
      return message.setReject('the mail is too large');
    }
    const raw = new Uint8Array(await new Response(message.raw).arrayBuffer());
    const { value, error } = await memoryOf(env, owner)('deliver', raw, to);
    log('mail', { ...line, code: error?.code ?? value?.waits, drafts: value?.drafts, failed: value?.failed.length });
    // Rejected, so that the sender's server retries; a repeated mail changes nothing.
    if (error) throw new Error(error.code);
  },
};
