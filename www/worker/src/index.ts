// The Worker's entry point: authenticates the caller and forwards the request to the owner's
// object.
import { createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { version } from 'memfold/package.json';
import { ownerOf } from './auth';
import { MAIL } from './body';
import { parsed, type Env } from './env';
import { told, type Fault, type Refusal } from './errors';
import { Failures, addressOf, tooMany } from './limits';
import { log, pseudonym } from './log';
import { MemoryObject, type Ask, type Call } from './object';
import { api, openapi, refuse, register, rejectOtherMethods, type App } from './routes';
import { settingsOf } from './settings';
import { answerHttp } from './tools';

export { MemoryObject };

/**
 * Failed authentications in this isolate. Callers that guess tokens must wait; valid ones are not
 * delayed.
 */
const failures = new Failures();

/** Calls the memory of an authenticated owner. */
const memoryOf = (env: Env, owner: string): Ask => {
  const object = env.MEMORY.getByName(owner);
  return ((...call: Call) => object.act(...call)) as unknown as Ask;
};

const authenticated: MiddlewareHandler<App> = async (c, next) => {
  const owner = await ownerOf(c.req.raw, c.env).catch((error: Refusal) => {
    const seconds = error.code === 'unauthorized' ? failures.count(addressOf(c.req.raw), settingsOf(c.env).failuresPerMinute) : 0;
    throw seconds > 0 ? tooMany(seconds, 'too many requests without a valid token') : error;
  });
  c.var.line.owner = await pseudonym(owner);
  c.set('act', memoryOf(c.env, owner));
  await next();
};

function faultOf(error: unknown): Fault {
  if (error instanceof HTTPException) return { code: 'invalid_input', message: 'the body is not JSON', retryable: false };
  // Without a code it is an internal error, or the object was moved or reset during the call.
  const { retryable, code } = error as Partial<Refusal>;
  return retryable === true && code === undefined ? { code: 'unavailable', message: 'the memory is being moved', retryable: true } : told(error);
}

api.onError((error, c) => refuse(c.var, faultOf(error)));
api.notFound((c) => refuse(c.var, { code: 'not_found', message: 'unknown path', retryable: false }));
api.use(async (c, next) => {
  const started = Date.now();
  c.set('line', { method: c.req.method });
  await next();
  for (const [name, value] of [
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
    ['vary', 'origin'],
  ] as const)
    c.header(name, value);
  log('request', { ...c.var.line, status: c.res.status, ms: Date.now() - started });
});
api.use(
  cors({
    origin: (origin, c) => (parsed<string[]>(c.env.ORIGINS, []).includes(origin) ? origin : null),
    allowMethods: ['GET', 'POST', 'DELETE'],
    allowHeaders: ['authorization', 'content-type', 'idempotency-key', 'mcp-protocol-version'],
    exposeHeaders: ['retry-after'],
    maxAge: 86_400,
  }),
);
api.openapi(
  createRoute({
    method: 'get',
    path: '/health',
    operationId: 'health',
    summary: 'Whether the Worker answers.',
    security: [],
    responses: { 200: { description: 'It does.', content: { 'application/json': { schema: z.object({ ok: z.boolean() }) } } } },
  }),
  (c) => c.json({ ok: true }, 200),
);
api.get('/openapi.json', (c) => c.json(openapi(new URL(c.req.url).origin)));
// Without sessions there is nothing to listen to and nothing to end.
api.post('/mcp', authenticated, (c) => {
  c.var.line.route = 'mcp';
  return answerHttp(c.req.raw, c.var.act, version);
});
register(authenticated);
rejectOtherMethods();

export default {
  fetch: api.fetch,

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
