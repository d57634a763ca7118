// The schemas of requests and responses. The engine checks the values further; responses may have more fields.
import { z } from '@hono/zod-openapi';
import type { Feed as SyncFeed } from 'memfold';

const string = z.string();
const strings = z.array(string);
const count = z.int().min(0);
const object = z.looseObject;
export const anything = object({});
const time = string.openapi({ format: 'date-time' });
/** A day such as `2026-05-15`, which is the same in every zone, or a time. */
const dayOrTime = string.openapi({ anyOf: [{ format: 'date' }, { format: 'date-time' }] });
const category = z.enum(['task', 'decision', 'meeting', 'project', 'ads', 'misc']);
const decision = z.enum(['CREATE', 'UPDATE', 'SKIP', 'CREATE_AND_LINK', 'DELETE']);
const ruling = z.enum(['confirmed', 'provisional', 'review']);
/** A text with at most this many characters. */
const textOf = (most: number) =>
  string.refine((text) => text.trim() !== '' && [...text].length <= most, `not a text of 1 to ${most} characters`).openapi({ minLength: 1, maxLength: most });
const limitOf = (most: number) => z.int().min(1).max(most).optional();

/** Values of a query arrive as text. */
const flag = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .openapi({ type: 'boolean' })
  .optional();
const whole = string
  .regex(/^\d{1,9}$/, 'not a number')
  .transform(Number)
  .openapi({ type: 'integer', minimum: 0 })
  .optional();
const day = dayOrTime.optional();
const at = time.optional();

export const Id = z.guid().openapi({ format: 'uuid' });
export const AsideId = string.regex(/^[\w-]{1,64}$/, 'not an id');
export const queries = {
  add: { dryRun: flag },
  mail: { account: string.optional(), dryRun: flag },
  context: { question: string, tokens: whole, from: day, to: day, now: at, asOf: at, category: category.optional() },
  profile: { tokens: whole },
  list: { after: string.optional(), limit: whole, includeSuperseded: flag, asOf: at, validAt: at },
  history: { asOf: at, validAt: at },
  log: {
    decision: decision.optional(),
    status: z.enum(['success', 'error', 'skipped', 'dry_run']).optional(),
    target: string.optional(),
    source: string.optional(),
    from: day,
    to: day,
    text: string.optional(),
    needsReview: flag,
    limit: whole,
    newestFirst: flag,
  },
  changes: { limit: whole },
};

export const Draft = object({
  content: textOf(8_000),
  category: category.optional(),
  subject: string.optional(),
  threadId: string.optional(),
  people: strings.optional(),
  entities: strings.optional(),
  keywords: strings.optional(),
  properties: z.array(object({ name: string, value: string, normalised: string.optional() })).optional(),
  importance: z.number().min(0).max(1).optional(),
  occurredAt: day,
  statedAt: at,
  validFrom: day,
  validUntil: day,
  sourceId: string.optional(),
  sourceType: z.enum(['user_input', 'bootstrapped', 'tool_output', 'realtime']).default('user_input').openapi({
    description: 'The source class. The caller is the owner, so it is `user_input` unless a lower class is given; a lower class never replaces a higher one.',
  }),
}).openapi('Draft');
export const Search = object({
  text: textOf(998),
  limit: limitOf(100),
  from: day,
  to: day,
  asOf: at,
  validAt: at,
  category: category.optional(),
  people: strings.optional(),
  includeSuperseded: z.boolean().optional(),
});
export const Question = object({ question: textOf(998), limit: limitOf(30), from: day, to: day, now: at, category: category.optional() });
export const Verdict = object({ verdict: z.enum(['accept', 'reject', 'CREATE', 'UPDATE', 'SKIP', 'CREATE_AND_LINK']) });
export const ChangeVerdict = z.strictObject({ verdict: z.enum(['confirm', 'revert']) });
export const Ids = object({ ids: strings });

export const Memory = object({
  id: string,
  version: count,
  content: string,
  category,
  people: strings.optional(),
  confirmation: z
    .enum(['confirmed', 'provisional'])
    .optional()
    .openapi({ description: '`provisional` if an unauthorised sender reported the current value; absent if confirmed.' }),
  confirmedContent: string.optional().openapi({ description: 'The confirmed text of a provisional memory.' }),
  reportedBy: string.optional(),
  supersededBy: string.optional(),
  previousVersionId: string.optional(),
  occurredAt: day,
  validUntil: day,
  createdAt: at,
  deletedAt: at,
}).openapi('Memory');
export const LogEntry = object({
  seq: count,
  id: string,
  time,
  decision,
  status: z.enum(['success', 'error', 'skipped', 'dry_run']),
  input: string.optional(),
  reason: string,
  targetId: string.optional(),
  memoryId: string.optional(),
  confidence: z.number().optional(),
  needsReview: z.boolean().optional(),
  confirmation: ruling.optional(),
  rule: string.optional(),
}).openapi('LogEntry');
export const ChangeToConfirm = object({
  memory: Memory,
  confirmed: string,
  reportedBy: strings,
  entry: LogEntry.optional(),
  disputed: z.boolean(),
}).openapi('ChangeToConfirm');
export const Receipt = object({ decision, memory: Memory.optional(), entry: LogEntry, confirmation: ruling, replayed: z.boolean() }).openapi('Receipt');
export const Hit = object({ memory: Memory, score: z.number(), matched: strings.optional() }).openapi('Hit');
export const Answered = object({
  answer: string.optional().openapi({ description: 'The headline of the first source.' }),
  sources: z.array(Hit).openapi({ description: 'The memories that answer, chosen by a model, the most telling first.' }),
  hits: z.array(Hit).openapi({ description: 'The search hits.' }),
  model: z.boolean().openapi({ description: 'Whether a model was asked; without sources, no stored memory answers.' }),
  refused: string.optional().openapi({ description: 'Why the model gave no answer.' }),
  nothing: string.optional(),
}).openapi('Answered');
export const PromptText = object({
  text: string.openapi({ description: 'A line for each memory, with a citation mark.' }),
  sources: z.record(string, string).openapi({ description: 'The memory id of each citation mark.' }),
}).openapi('PromptText');
export const Related = object({ edge: anything, memory: Memory }).openapi('Related');
export const Why = object({ memory: Memory, entries: z.array(LogEntry) });
const Failure = object({
  index: count,
  start: count,
  end: count,
  messageId: string.optional(),
  code: string,
  message: string,
  aside: string.optional().openapi({ description: 'For the code `set_aside`: its id in `/v1/mail/aside`.' }),
}).openapi('Failure');
export const MailImportReport = object({
  mails: count,
  drafts: count,
  created: count,
  updated: count,
  linked: count,
  skipped: count,
  replayed: count.optional(),
  suspected: count.optional(),
  failed: z.array(Failure),
  waits: string.optional(),
}).openapi('MailImportReport');
export const MailAside = object({
  id: string,
  account: string.optional(),
  at: time,
  tries: count,
  bytes: count,
  code: string.openapi({ description: "The engine's error code; `stopped` if the object was stopped first." }),
}).openapi('MailAside');
export const Dropped = object({ dropped: string });
export const Usage = object({
  calls: count,
  tokens: count,
  dailyTokens: count.optional(),
  tokensLeft: count.optional(),
  cached: count,
  restsUntil: at,
}).openapi('Usage');
export const ImportReport = object({ memories: count, edges: count, entries: count, known: count, undo: strings.optional() }).openapi('ImportReport');
export const CheckReport = object({ memories: count, edges: count.optional(), entries: count.optional(), problems: z.array(anything) }).openapi('CheckReport');
/** Only described: the engine checks a feed, which is too large to be copied here. */
export const Feed = z
  .custom<SyncFeed>((given) => typeof given === 'object' && given !== null)
  .openapi('Feed', {
    type: 'object',
    required: ['format', 'from', 'after', 'upto', 'more', 'seen', 'entries', 'memories', 'edges'],
    properties: {
      format: { type: 'integer' },
      from: { type: 'string' },
      to: { type: 'string' },
      after: { type: 'integer' },
      upto: { type: 'integer' },
      more: { type: 'boolean' },
      seen: { type: 'integer' },
      entries: { type: 'array', items: { $ref: '#/components/schemas/LogEntry' } },
      memories: { type: 'array', items: { $ref: '#/components/schemas/Memory' } },
      edges: { type: 'array', items: { type: 'object' } },
      twins: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
    },
  });
export const Fault = z
  .strictObject({ error: z.strictObject({ code: string, message: string, field: string.optional(), retryable: z.boolean() }) })
  .openapi('Error');
