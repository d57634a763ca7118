// The REST routes: each has its schemas, from which the OpenAPI document is made, and one operation of the memory.
import { OpenAPIHono, createRoute, z, type RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { bodyOf } from './body';
import type { Env } from './env';
import { Refusal, refused, type Fault } from './errors';
import type { Ask, Call } from './object';
import * as s from './schemas';
import type { Outcome } from './tools';

/** The logged fields of a request. */
export type Line = { method: string; route?: string; owner?: string; code?: string };
export type App = { Bindings: Env; Variables: { line: Line; act: Ask; bytes: Uint8Array } };

/** The first problem that the schemas find. */
function refusalOf({ issues: [issue] }: z.core.$ZodError): Refusal {
  if (!issue) return new Refusal('invalid_input', 'the request is invalid');
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...issue.path, ...unknown].map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`)).join('');
  if (field === '') return new Refusal('invalid_input', 'the body is not a JSON object');
  if (unknown.length > 0) return new Refusal('unknown_field', `unknown parameter \`${field}\``, { field });
  return new Refusal('invalid_field', `\`${field}\`: ${issue.message}`, { field });
}

export const api = new OpenAPIHono<App>({
  defaultHook: (result) => {
    if (!result.success) throw refusalOf(result.error);
  },
});

/** Answers with an error, and logs its code. */
export function refuse({ line }: { line: Line }, fault: Fault): Response {
  line.code = fault.code;
  return refused(fault);
}

const failed = {
  description: 'An error with a stable code, such as `unauthorized` (401), or `rate_limited` (429) for too many requests, mails or failed authentications.',
  headers: { 'retry-after': { description: 'Seconds to wait, with 429.', schema: { type: 'integer' as const } } },
  content: { 'application/json': { schema: s.Fault } },
};
const JSON_TYPE = 'application/json';

type Given<Q extends z.ZodRawShape, B extends z.ZodType> = { id: string; key: string | undefined; query: z.output<z.ZodObject<Q>>; body: z.output<B> };
type About<Q extends z.ZodRawShape, B extends z.ZodType> = {
  query?: Q;
  /** The body, its type unless JSON, and its limit in KiB. */
  body?: B;
  type?: string;
  kilobytes?: number;
  gives: z.ZodType;
  /** The type of the response, unless JSON. */
  givesType?: string;
  /** Whether a second request with the same key changes nothing. */
  keyed?: boolean;
};

/** Registers the routes. `authenticated` runs before a body is read. */
export function register(authenticated: MiddlewareHandler<App>): void {
  const route = <Q extends z.ZodRawShape = Record<never, never>, B extends z.ZodType = z.ZodUnknown>(
    method: 'get' | 'post' | 'delete',
    path: string,
    operationId: string,
    summary: string,
    { query, body, type = JSON_TYPE, kilobytes = 16, gives, givesType = JSON_TYPE, keyed = false }: About<Q, B>,
    call: (given: Given<Q, B>) => Call,
  ): void => {
    const named: MiddlewareHandler<App> = async (c, next) => {
      c.var.line.route = operationId;
      await next();
    };
    const id = path.startsWith('/v1/mail/') ? s.AsideId : s.Id;
    const key = z.string().optional().openapi({ description: 'A second request with the same key changes nothing.' });
    const described: RouteConfig & { getRoutingPath(): string } = createRoute({
      method,
      path,
      operationId,
      summary,
      middleware: [named, authenticated, ...(body ? [bodyOf(type, kilobytes)] : [])],
      request: {
        query: z.strictObject(query ?? {}),
        ...(path.includes('{id}') && { params: z.object({ id }) }),
        ...(keyed && { headers: z.object({ 'idempotency-key': key }) }),
        ...(body && { body: { required: true, content: { [type]: { schema: body } } } }),
      },
      responses: { 200: { description: 'Done.', content: { [givesType]: { schema: gives } } }, default: failed },
    });
    api.openapi(described, async (c) => {
      const valid = (target: string): any => c.req.valid(target as never);
      const operation = call({
        id: c.req.param('id') ?? '',
        key: c.req.header('idempotency-key'),
        query: valid('query'),
        body: type === JSON_TYPE ? valid('json') : c.var.bytes,
      } as Given<Q, B>);
      const { value, error } = await (c.var.act as (...call: Call) => Promise<Outcome<unknown>>)(...operation);
      if (error) return refuse(c.var, error);
      return givesType === JSON_TYPE ? Response.json(value) : new Response(value as BodyInit, { headers: { 'content-type': givesType } });
    });
  };
  const list = z.array;
  const text = z.string();
  const bytes = z.custom<Uint8Array>().openapi({ type: 'string' });

  route(
    'post',
    '/v1/memories',
    'add',
    'Compare a statement of the owner with the stored memories, decide, and write the decision.',
    { query: s.queries.add, body: s.Draft, kilobytes: 256, gives: s.Receipt, keyed: true },
    ({ body, query, key }) => ['add', body, { ...query, ...(key !== undefined && { key }) }],
  );
  route(
    'post',
    '/v1/mail',
    'importMail',
    'Import a raw mail or an mbox, as statements by others (`realtime`). A mail imported before changes nothing; one that fails three times is set aside.',
    { query: s.queries.mail, body: bytes, type: 'message/rfc822', kilobytes: 25_600, gives: s.MailImportReport },
    ({ body, query }) => ['importMail', body, query],
  );
  route('get', '/v1/mail/aside', 'mailAside', 'The mails set aside after three failed tries, newest first.', { gives: list(s.MailAside) }, () => ['mailAside']);
  route('get', '/v1/mail/aside/{id}', 'mailText', 'The raw text of a set-aside mail.', { gives: text, givesType: 'message/rfc822' }, ({ id }) => [
    'mailText',
    id,
  ]);
  route('post', '/v1/mail/aside/{id}/retry', 'mailAgain', 'Retry a set-aside mail as if it had just arrived.', { gives: s.MailImportReport }, ({ id }) => [
    'mailAgain',
    id,
  ]);
  route('delete', '/v1/mail/aside/{id}', 'mailDrop', 'Drop a set-aside mail; if it is sent again, it is not read.', { gives: s.Dropped }, ({ id }) => [
    'mailDrop',
    id,
  ]);
  route(
    'post',
    '/v1/search',
    'search',
    'The memories that answer a question, best first.',
    { body: s.Search, gives: list(s.Hit) },
    ({ body: { text, ...options } }) => ['search', text, options],
  );
  route(
    'post',
    '/v1/ask',
    'ask',
    'Answer a question from the memories with one call of the configured model, with the sources. Without a model, return the search hits.',
    { body: s.Question, gives: s.Answered },
    ({ body: { question, ...options } }) => ['ask', question, options],
  );
  route(
    'get',
    '/v1/context',
    'context',
    'The memories about a question, as text for a prompt of at most `tokens` tokens: dated lines that can be cited. Equal requests get equal texts.',
    { query: s.queries.context, gives: s.PromptText },
    ({ query: { question, ...options } }) => ['context', question, options],
  );
  route(
    'get',
    '/v1/profile',
    'profile',
    'What is known of the owner, as text for a prompt in the same form, the most important first.',
    { query: s.queries.profile, gives: s.PromptText },
    ({ query }) => ['profile', query],
  );
  route('get', '/v1/memories', 'list', 'A page of memories by ascending id.', { query: s.queries.list, gives: list(s.Memory) }, ({ query }) => ['list', query]);
  route('get', '/v1/memories/{id}', 'get', 'One memory of any version.', { gives: s.Memory }, ({ id }) => ['get', id]);
  route(
    'delete',
    '/v1/memories/{id}',
    'delete',
    'Delete a memory with all versions. It can be restored. The `forget` tool of `/mcp` does the same.',
    { gives: s.Receipt },
    ({ id }) => ['remove', [id]],
  );
  route('post', '/v1/memories/{id}/restore', 'restore', 'Restore a deleted memory.', { gives: s.Receipt }, ({ id }) => ['restore', id]);
  route(
    'get',
    '/v1/memories/{id}/history',
    'history',
    'All versions of a memory, oldest first.',
    { query: s.queries.history, gives: list(s.Memory) },
    ({ id, query }) => ['history', id, query],
  );
  route('get', '/v1/memories/{id}/related', 'related', 'The memories linked to this one.', { gives: list(s.Related) }, ({ id }) => ['related', id]);
  route('get', '/v1/memories/{id}/why', 'why', 'A memory and the decisions about it, each with its reasons.', { gives: s.Why }, ({ id }) => ['why', id]);
  route('get', '/v1/log', 'log', 'The log of decisions.', { query: s.queries.log, gives: list(s.LogEntry) }, ({ query }) => ['log', query]);
  route('post', '/v1/log/{id}/undo', 'undo', 'Undo a decision.', { gives: s.Receipt }, ({ id }) => ['undo', id]);
  route('post', '/v1/log/{id}/redo', 'redo', 'Redo an undone decision.', { gives: s.Receipt }, ({ id }) => ['redo', id]);
  route('get', '/v1/reviews', 'reviews', "The items that need the owner's review.", { gives: list(s.anything) }, () => ['reviews']);
  route(
    'post',
    '/v1/reviews/{id}',
    'review',
    "Apply the owner's verdict on a decision.",
    { body: s.Verdict, gives: s.Receipt },
    ({ id, body: { verdict, ...options } }) => ['review', id, verdict, options],
  );
  route(
    'get',
    '/v1/changes',
    'changes',
    'Changes to confirm: memories whose current value an unauthorised sender reported, newest first.',
    { query: s.queries.changes, gives: list(s.ChangeToConfirm) },
    ({ query }) => ['changes', query],
  );
  route(
    'post',
    '/v1/changes/{id}',
    'settleChange',
    'Confirm or revert the provisional statements of a memory. The id is that of the memory.',
    { body: s.ChangeVerdict, gives: s.Receipt },
    ({ id, body: { verdict } }) => ['settleChange', id, verdict],
  );
  route(
    'post',
    '/v1/erase',
    'erase',
    'Permanently erase memories: versions, links and all text in the log that could repeat them. Tools cannot do this.',
    { body: s.Ids, kilobytes: 64, gives: s.Receipt },
    ({ body: { ids } }) => ['erase', ids],
  );
  route(
    'post',
    '/v1/sync',
    'sync',
    'Exchange changes with a client of the same owner: `memories.sync.run(url, token)` of the npm package.',
    { body: s.Feed, kilobytes: 25_600, gives: s.Feed },
    ({ body }) => ['sync', body],
  );
  route('get', '/v1/usage', 'usage', "Today's model usage and the remaining tokens.", { gives: s.Usage }, () => ['usage']);
  route('get', '/v1/check', 'check', 'Verify every invariant of the memory.', { gives: s.CheckReport }, () => ['check']);
  route('get', '/v1/export', 'export', 'Export all data as JSON Lines.', { gives: text, givesType: 'application/x-ndjson' }, () => ['export']);
  route(
    'post',
    '/v1/import',
    'import',
    'Import an export. Existing memories stay unchanged.',
    { body: bytes, type: 'application/x-ndjson', kilobytes: 25_600, gives: s.ImportReport },
    ({ body }) => ['import', new TextDecoder().decode(body)],
  );
}

/** Rejects other methods of the registered paths. */
export function rejectOtherMethods(): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of api.routes) if (method !== 'ALL') methods.set(path, (methods.get(path) ?? new Set()).add(method));
  for (const [path, allowed] of methods) {
    const allow = [...allowed].join(', ');
    api.all(path, () => {
      throw new Refusal('method_not_allowed', `this path takes ${allow}`, { headers: { allow } });
    });
  }
}

const license = { name: 'MIT OR Apache-2.0', identifier: 'MIT OR Apache-2.0' };

/** The OpenAPI document for the origin that serves it. */
export function openapi(origin: string): object {
  return api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'memfold',
      version: '1',
      description: 'A memory for each owner, also available to agents over MCP at `/mcp`.',
      license,
    },
    servers: [{ url: origin }],
    security: [{ bearer: [] }],
  });
}
api.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer' });
