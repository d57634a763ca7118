// The table of REST routes, for dispatching and the OpenAPI document.
import { Refusal } from './errors';
import type { Call } from './object';

/** A JSON schema. */
export type Schema = { type?: string; enum?: string[]; [more: string]: unknown };

/** The parts of a request; the engine validates the content. */
export type Given = { body: any; query: Record<string, any>; params: { id: string }; headers: Headers };

/** The accepted body. */
export type Takes = { type: string; most: number; schema: Schema };

export interface Route {
  method: string;
  path: string;
  id: string;
  summary: string;
  /** The query parameters. */
  asks?: Record<string, Schema>;
  headers?: Record<string, string>;
  takes?: Takes;
  gives: Schema;
  /** The response type, if not JSON. */
  givesType?: string;
  does(given: Given): Call;
}

const KB = 1_024;
const MB = 1_024 * KB;

const string = { type: 'string' };
const boolean = { type: 'boolean' };
const integer = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };
/** A day such as `2026-05-15`, which is the same in every zone, or a time. */
const dayOrTime = { type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] };
const strings = { type: 'array', items: string };
const ruling = { type: 'string', enum: ['confirmed', 'provisional', 'review'] };
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
});

const category = { type: 'string', enum: ['task', 'decision', 'meeting', 'project', 'ads', 'misc'] };
const decision = { type: 'string', enum: ['CREATE', 'UPDATE', 'SKIP', 'CREATE_AND_LINK', 'DELETE'] };
const confirmation = { type: 'string', enum: ['confirmed', 'provisional'] };
const status = { type: 'string', enum: ['success', 'error', 'skipped', 'dry_run'] };

/** Shared response schemas; more fields may be added. */
export const SCHEMAS: Record<string, Schema> = {
  Draft: object(
    {
      content: { type: 'string', minLength: 1, maxLength: 8_000 },
      category,
      subject: string,
      threadId: string,
      people: strings,
      entities: strings,
      keywords: strings,
      properties: listOf(object({ name: string, value: string }, ['name', 'value'])),
      importance: { type: 'number', minimum: 0, maximum: 1 },
      occurredAt: dayOrTime,
      statedAt: time,
      validFrom: dayOrTime,
      validUntil: dayOrTime,
      sourceId: string,
      sourceType: {
        type: 'string',
        enum: ['user_input', 'bootstrapped', 'tool_output', 'realtime'],
        default: 'user_input',
        description:
          'The source class. The caller is the owner, so it is `user_input` unless a lower class is given; a lower class never replaces a higher one.',
      },
    },
    ['content'],
  ),
  Memory: {
    type: 'object',
    required: ['id', 'version', 'content', 'category'],
    properties: {
      id: string,
      version: integer,
      content: string,
      category,
      people: strings,
      confirmation: { ...confirmation, description: '`provisional` if an unauthorised sender reported the current value; absent if confirmed.' },
      confirmedContent: { type: 'string', description: 'The confirmed text of a provisional memory.' },
      reportedBy: string,
      supersededBy: string,
      previousVersionId: string,
      occurredAt: dayOrTime,
      validUntil: dayOrTime,
      createdAt: time,
      deletedAt: time,
    },
  },
  LogEntry: {
    type: 'object',
    required: ['seq', 'id', 'time', 'decision', 'status', 'reason'],
    properties: {
      seq: integer,
      id: string,
      time,
      decision,
      status,
      input: string,
      reason: string,
      targetId: string,
      memoryId: string,
      confidence: { type: 'number' },
      needsReview: boolean,
      confirmation: ruling,
      rule: string,
    },
  },
  ChangeToConfirm: {
    type: 'object',
    required: ['memory', 'confirmed', 'reportedBy', 'disputed'],
    properties: { memory: ref('Memory'), confirmed: string, reportedBy: strings, entry: ref('LogEntry'), disputed: boolean },
  },
  Receipt: {
    type: 'object',
    required: ['decision', 'entry', 'confirmation', 'replayed'],
    properties: { decision, memory: ref('Memory'), entry: ref('LogEntry'), confirmation: ruling, replayed: boolean },
  },
  Hit: { type: 'object', required: ['memory', 'score'], properties: { memory: ref('Memory'), score: { type: 'number' }, matched: strings } },
  Answered: {
    type: 'object',
    required: ['sources', 'hits', 'model'],
    properties: {
      answer: { type: 'string', description: 'The headline of the first source.' },
      sources: { type: 'array', items: ref('Hit'), description: 'The memories that answer, chosen by a model, the most telling first.' },
      hits: { type: 'array', items: ref('Hit'), description: 'The search hits.' },
      model: { type: 'boolean', description: 'Whether a model was asked; without sources, no stored memory answers.' },
      refused: { type: 'string', description: 'Why the model gave no answer.' },
      nothing: string,
    },
  },
  PromptText: {
    type: 'object',
    required: ['text', 'sources'],
    properties: {
      text: { type: 'string', description: 'A line for each memory, with a citation mark.' },
      sources: { type: 'object', additionalProperties: string, description: 'The memory id of each citation mark.' },
    },
  },
  Related: { type: 'object', required: ['edge', 'memory'], properties: { edge: { type: 'object' }, memory: ref('Memory') } },
  MailImportReport: {
    type: 'object',
    required: ['mails', 'drafts', 'created', 'updated', 'linked', 'skipped', 'failed'],
    properties: {
      mails: integer,
      drafts: integer,
      created: integer,
      updated: integer,
      linked: integer,
      skipped: integer,
      replayed: integer,
      suspected: integer,
      failed: listOf(ref('Failure')),
      waits: string,
    },
  },
  Failure: {
    type: 'object',
    required: ['index', 'start', 'end', 'code', 'message'],
    properties: {
      index: integer,
      start: integer,
      end: integer,
      messageId: string,
      code: string,
      message: string,
      aside: { type: 'string', description: 'For the code `set_aside`: its id in `/v1/mail/aside`.' },
    },
  },
  MailAside: {
    type: 'object',
    required: ['id', 'at', 'tries', 'bytes', 'code'],
    properties: {
      id: string,
      account: string,
      at: time,
      tries: integer,
      bytes: integer,
      code: { type: 'string', description: "The engine's error code; `stopped` if the object was stopped first." },
    },
  },
  Usage: {
    type: 'object',
    required: ['calls', 'tokens', 'cached'],
    properties: { calls: integer, tokens: integer, dailyTokens: integer, tokensLeft: integer, cached: integer, restsUntil: time },
  },
  ImportReport: {
    type: 'object',
    required: ['memories', 'edges', 'entries', 'known'],
    properties: { memories: integer, edges: integer, entries: integer, known: integer, undo: strings },
  },
  CheckReport: {
    type: 'object',
    required: ['memories', 'problems'],
    properties: { memories: integer, edges: integer, entries: integer, problems: listOf({ type: 'object' }) },
  },
  Feed: {
    type: 'object',
    required: ['format', 'from', 'after', 'upto', 'more', 'seen', 'entries', 'memories', 'edges'],
    properties: {
      format: integer,
      from: string,
      to: string,
      after: integer,
      upto: integer,
      more: boolean,
      seen: integer,
      entries: listOf(ref('LogEntry')),
      memories: listOf(ref('Memory')),
      edges: listOf({ type: 'object' }),
      twins: listOf(strings),
    },
  },
  Error: object({ error: object({ code: string, message: string, field: string, retryable: boolean }, ['code', 'message', 'retryable']) }, ['error']),
};

const flag = (value: string | undefined): boolean => value === 'true';
const number = (value: string | undefined): number | undefined => (value === undefined ? undefined : Number(value));
/** The fields that are defined. */
const some = (fields: Record<string, unknown>): Record<string, any> => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Validated here, because the engine would use another field name. */
function asked(text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '' || [...text].length > 998)
    throw new Refusal('invalid_field', '`text` is not a string of 1 to 998 characters', { field: 'text' });
  return text;
}

/** The verdict on a change. */
function verdictOf(verdict: unknown): 'confirm' | 'revert' {
  if (verdict !== 'confirm' && verdict !== 'revert') throw new Refusal('invalid_field', '`verdict` is not confirm or revert', { field: 'verdict' });
  return verdict;
}

/**
 * The routes. `does` converts a request to an operation; `takes` describes the body and its maximum
 * size; `asks` lists the query parameters.
 */
export const ROUTES: Route[] = [
  {
    method: 'POST',
    path: '/v1/memories',
    id: 'add',
    summary: 'Compare a statement of the owner with the stored memories, decide, and write the decision.',
    headers: { 'idempotency-key': 'A second request with the same key changes nothing.' },
    asks: { dryRun: boolean },
    takes: { type: 'application/json', most: 256 * KB, schema: ref('Draft') },
    gives: ref('Receipt'),
    does: ({ body, query, headers }) => [
      'add',
      { sourceType: 'user_input', ...body },
      some({ dryRun: flag(query.dryRun), key: headers.get('idempotency-key') ?? undefined }),
    ],
  },
  {
    method: 'POST',
    path: '/v1/mail',
    id: 'importMail',
    summary:
      'Import a raw mail or an mbox, as statements by others (`realtime`). A mail imported before changes nothing; one that fails three times is set aside.',
    asks: { account: string, dryRun: boolean },
    takes: { type: 'message/rfc822', most: 25 * MB, schema: { type: 'string' } },
    gives: ref('MailImportReport'),
    does: ({ body, query }) => ['importMail', body, some({ account: query.account, dryRun: flag(query.dryRun) })],
  },
  {
    method: 'GET',
    path: '/v1/mail/aside',
    id: 'mailAside',
    summary: 'The mails set aside after three failed tries, newest first.',
    gives: listOf(ref('MailAside')),
    does: () => ['mailAside'],
  },
  {
    method: 'GET',
    path: '/v1/mail/aside/{id}',
    id: 'mailText',
    summary: 'The raw text of a set-aside mail.',
    givesType: 'message/rfc822',
    gives: string,
    does: ({ params: { id } }) => ['mailText', id],
  },
  {
    method: 'POST',
    path: '/v1/mail/aside/{id}/retry',
    id: 'mailAgain',
    summary: 'Retry a set-aside mail as if it had just arrived.',
    gives: ref('MailImportReport'),
    does: ({ params: { id } }) => ['mailAgain', id],
  },
  {
    method: 'DELETE',
    path: '/v1/mail/aside/{id}',
    id: 'mailDrop',
    summary: 'Drop a set-aside mail; if it is sent again, it is not read.',
    gives: object({ dropped: string }, ['dropped']),
    does: ({ params: { id } }) => ['mailDrop', id],
  },
  {
    method: 'POST',
    path: '/v1/search',
    id: 'search',
    summary: 'The memories that answer a question, best first.',
    takes: {
      type: 'application/json',
      most: 16 * KB,
      schema: object(
        {
          text: { type: 'string', minLength: 1, maxLength: 998 },
          limit: { type: 'integer', minimum: 1, maximum: 100 },
          from: dayOrTime,
          to: dayOrTime,
          asOf: time,
          validAt: time,
          category,
          people: strings,
          includeSuperseded: boolean,
        },
        ['text'],
      ),
    },
    gives: listOf(ref('Hit')),
    does: ({ body: { text, ...options } }) => ['search', asked(text), options],
  },
  {
    method: 'POST',
    path: '/v1/ask',
    id: 'ask',
    summary: 'Answer a question from the memories with one call of the configured model, with the sources. Without a model, return the search hits.',
    takes: {
      type: 'application/json',
      most: 16 * KB,
      schema: object(
        {
          question: { type: 'string', minLength: 1, maxLength: 998 },
          limit: { type: 'integer', minimum: 1, maximum: 30 },
          from: dayOrTime,
          to: dayOrTime,
          now: time,
          category,
        },
        ['question'],
      ),
    },
    gives: ref('Answered'),
    does: ({ body: { question, ...options } }) => ['ask', question, options],
  },
  {
    method: 'GET',
    path: '/v1/context',
    id: 'context',
    summary: 'The memories about a question, as text for a prompt of at most `tokens` tokens: dated lines that can be cited. Equal requests get equal texts.',
    asks: { question: string, tokens: integer, from: dayOrTime, to: dayOrTime, now: time, asOf: time, category },
    gives: ref('PromptText'),
    does: ({ query: { question, tokens, from, to, now, asOf, category } }) => [
      'context',
      question,
      some({ tokens: number(tokens), from, to, now, asOf, category }),
    ],
  },
  {
    method: 'GET',
    path: '/v1/profile',
    id: 'profile',
    summary: 'What is known of the owner, as text for a prompt in the same form, the most important first.',
    asks: { tokens: integer },
    gives: ref('PromptText'),
    does: ({ query: { tokens } }) => ['profile', some({ tokens: number(tokens) })],
  },
  {
    method: 'GET',
    path: '/v1/memories',
    id: 'list',
    summary: 'A page of memories by ascending id.',
    asks: { after: string, limit: integer, includeSuperseded: boolean, asOf: time, validAt: time },
    gives: listOf(ref('Memory')),
    does: ({ query: { after, limit, asOf, validAt, includeSuperseded } }) => [
      'list',
      some({ after, limit: number(limit), asOf, validAt, includeSuperseded: flag(includeSuperseded) }),
    ],
  },
  {
    method: 'GET',
    path: '/v1/memories/{id}',
    id: 'get',
    summary: 'One memory of any version.',
    gives: ref('Memory'),
    does: ({ params: { id } }) => ['get', id],
  },
  {
    method: 'DELETE',
    path: '/v1/memories/{id}',
    id: 'delete',
    summary: 'Delete a memory with all versions. It can be restored. The `forget` tool of `/mcp` does the same.',
    gives: ref('Receipt'),
    does: ({ params: { id } }) => ['remove', [id]],
  },
  {
    method: 'POST',
    path: '/v1/memories/{id}/restore',
    id: 'restore',
    summary: 'Restore a deleted memory.',
    gives: ref('Receipt'),
    does: ({ params: { id } }) => ['restore', id],
  },
  {
    method: 'GET',
    path: '/v1/memories/{id}/history',
    id: 'history',
    summary: 'All versions of a memory, oldest first.',
    asks: { asOf: time, validAt: time },
    gives: listOf(ref('Memory')),
    does: ({ params: { id }, query: { asOf, validAt } }) => ['history', id, some({ asOf, validAt })],
  },
  {
    method: 'GET',
    path: '/v1/memories/{id}/related',
    id: 'related',
    summary: 'The memories linked to this one.',
    gives: listOf(ref('Related')),
    does: ({ params: { id } }) => ['related', id],
  },
  {
    method: 'GET',
    path: '/v1/memories/{id}/why',
    id: 'why',
    summary: 'A memory and the decisions about it, each with its reasons.',
    gives: { type: 'object', required: ['memory', 'entries'], properties: { memory: ref('Memory'), entries: listOf(ref('LogEntry')) } },
    does: ({ params: { id } }) => ['why', id],
  },
  {
    method: 'GET',
    path: '/v1/log',
    id: 'log',
    summary: 'The log of decisions.',
    asks: {
      decision,
      status,
      target: string,
      source: string,
      from: dayOrTime,
      to: dayOrTime,
      text: string,
      needsReview: boolean,
      limit: integer,
      newestFirst: boolean,
    },
    gives: listOf(ref('LogEntry')),
    does: ({ query: { limit, needsReview, newestFirst, decision, status, target, source, from, to, text } }) => [
      'log',
      some({
        decision,
        status,
        target,
        source,
        from,
        to,
        text,
        limit: number(limit),
        needsReview: needsReview === undefined ? undefined : flag(needsReview),
        newestFirst: flag(newestFirst),
      }),
    ],
  },
  { method: 'POST', path: '/v1/log/{id}/undo', id: 'undo', summary: 'Undo a decision.', gives: ref('Receipt'), does: ({ params: { id } }) => ['undo', id] },
  {
    method: 'POST',
    path: '/v1/log/{id}/redo',
    id: 'redo',
    summary: 'Redo an undone decision.',
    gives: ref('Receipt'),
    does: ({ params: { id } }) => ['redo', id],
  },
  {
    method: 'GET',
    path: '/v1/reviews',
    id: 'reviews',
    summary: "The items that need the owner's review.",
    gives: listOf({ type: 'object' }),
    does: () => ['reviews'],
  },
  {
    method: 'POST',
    path: '/v1/reviews/{id}',
    id: 'review',
    summary: "Apply the owner's verdict on a decision.",
    takes: {
      type: 'application/json',
      most: 16 * KB,
      schema: {
        type: 'object',
        required: ['verdict'],
        properties: { verdict: { type: 'string', enum: ['accept', 'reject', 'CREATE', 'UPDATE', 'SKIP', 'CREATE_AND_LINK'] } },
      },
    },
    gives: ref('Receipt'),
    does: ({ params: { id }, body: { verdict, ...options } }) => ['review', id, verdict, options],
  },
  {
    method: 'GET',
    path: '/v1/changes',
    id: 'changes',
    summary: 'Changes to confirm: memories whose current value an unauthorised sender reported, newest first.',
    asks: { limit: integer },
    gives: listOf(ref('ChangeToConfirm')),
    does: ({ query: { limit } }) => ['changes', some({ limit: number(limit) })],
  },
  {
    method: 'POST',
    path: '/v1/changes/{id}',
    id: 'settleChange',
    summary: 'Confirm or revert the provisional statements of a memory. The id is that of the memory.',
    takes: { type: 'application/json', most: 16 * KB, schema: object({ verdict: { type: 'string', enum: ['confirm', 'revert'] } }, ['verdict']) },
    gives: ref('Receipt'),
    does: ({ params: { id }, body }) => ['settleChange', id, verdictOf(body?.verdict)],
  },
  {
    method: 'POST',
    path: '/v1/erase',
    id: 'erase',
    summary: 'Permanently erase memories: versions, links and all text in the log that could repeat them. Tools cannot do this.',
    takes: { type: 'application/json', most: 64 * KB, schema: object({ ids: strings }, ['ids']) },
    gives: ref('Receipt'),
    does: ({ body: { ids } }) => ['erase', ids],
  },
  {
    method: 'POST',
    path: '/v1/sync',
    id: 'sync',
    summary: 'Exchange changes with a client of the same owner: `memories.sync.run(url, token)` of the npm package.',
    takes: { type: 'application/json', most: 25 * MB, schema: ref('Feed') },
    gives: ref('Feed'),
    does: ({ body }) => ['sync', body],
  },
  { method: 'GET', path: '/v1/usage', id: 'usage', summary: "Today's model usage and the remaining tokens.", gives: ref('Usage'), does: () => ['usage'] },
  { method: 'GET', path: '/v1/check', id: 'check', summary: 'Verify every invariant of the memory.', gives: ref('CheckReport'), does: () => ['check'] },
  {
    method: 'GET',
    path: '/v1/export',
    id: 'export',
    summary: 'Export all data as JSON Lines.',
    givesType: 'application/x-ndjson',
    gives: { type: 'string' },
    does: () => ['export'],
  },
  {
    method: 'POST',
    path: '/v1/import',
    id: 'import',
    summary: 'Import an export. Existing memories stay unchanged.',
    takes: { type: 'application/x-ndjson', most: 25 * MB, schema: { type: 'string' } },
    gives: ref('ImportReport'),
    does: ({ body }) => ['import', new TextDecoder().decode(body)],
  },
];

const SEGMENT = '[0-9A-Za-z-]{1,64}';
const matchers = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/\{(\w+)\}/g, `(?<$1>${SEGMENT})`)}$`),
}));

/** The route and path parameters of a request, or the methods that the path allows. */
export function routed(method: string, path: string): { route?: Route; params?: Given['params']; methods: string[] } {
  const methods: string[] = [];
  for (const { route, pattern } of matchers) {
    const found = pattern.exec(path);
    if (!found) continue;
    if (route.method === method) return { route, params: { id: '', ...found.groups }, methods };
    methods.push(route.method);
  }
  return { methods };
}
