// Generates the OpenAPI document of the routes.
import { ROUTES, SCHEMAS, type Route, type Schema } from './routes';

const failed = {
  description: 'An error with a stable code, such as `unauthorized` (401), or `rate_limited` (429) for too many requests, mails or failed authentications.',
  headers: { 'retry-after': { description: 'Seconds to wait, with 429.', schema: { type: 'integer' } } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};
const parameter = (name: string, where: 'path' | 'query' | 'header', schema: Schema, rest = {}) => ({ name, in: where, schema, ...rest });

function operation({ id, summary, path, asks = {}, headers = {}, takes, gives, givesType = 'application/json' }: Route) {
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
      parameter(name, 'path', path.startsWith('/v1/mail/') ? { type: 'string' } : { type: 'string', format: 'uuid' }, { required: true }),
    ),
    ...Object.entries(asks).map(([name, schema]) => parameter(name, 'query', schema)),
    ...Object.entries(headers).map(([name, description]) => parameter(name, 'header', { type: 'string' }, { description })),
  ];
  return {
    operationId: id,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(takes ? { requestBody: { required: true, content: { [takes.type]: { schema: takes.schema } } } } : {}),
    responses: { 200: { description: 'Done.', content: { [givesType]: { schema: gives } } }, default: failed },
  };
}

/** The document for the origin that serves it. */
export function openapi(origin: string): object {
  const paths: Record<string, Record<string, object>> = {
    '/health': {
      get: {
        operationId: 'health',
        summary: 'Whether the Worker answers.',
        security: [],
        responses: {
          200: { description: 'It does.', content: { 'application/json': { schema: { type: 'object', properties: { ok: { type: 'boolean' } } } } } },
        },
      },
    },
  };
  for (const route of ROUTES) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  return {
    openapi: '3.1.0',
    info: {
      title: 'memfold',
      version: '1',
      description: 'A memory for each owner, also available to agents over MCP at `/mcp`.',
      license: { name: 'MIT OR Apache-2.0', identifier: 'MIT OR Apache-2.0' },
    },
    servers: [{ url: origin }],
    security: [{ bearer: [] }],
    paths,
    components: { schemas: SCHEMAS, securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
}
