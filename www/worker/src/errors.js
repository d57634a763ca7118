// Errors with a stable code, and the status of each.

/** The statuses of codes, the engine's and the Worker's own; 500 where none is named. */
const STATUS = {
  invalid_field: 400, unknown_field: 400, invalid_input: 400, unauthorized: 401, wrong_key: 403, not_found: 404, method_not_allowed: 405,
  conflict: 409, already_undone: 409, already_settled: 409, has_dependents: 409, forgotten: 410, too_large: 413,
  unsupported_media_type: 415, invalid_mail: 422, rate_limited: 429, storage: 503, blocked: 503, connection_lost: 503,
  closed: 503, unavailable: 503, timeout: 504, quota_exceeded: 507,
};

export class Refusal extends Error {
  constructor(code, message, { field, retryable = false, headers } = {}) {
    super(message);
    Object.assign(this, { code, field, retryable, headers });
  }
}

/** What may be told of an error, as plain data: it crosses between objects. */
export function told(error) {
  const { code, message, field, retryable = false, headers } = error;
  if (typeof code !== 'string') return { code: 'internal', message: 'memfold failed', retryable: false };
  return { code, message, retryable, ...(field === undefined ? {} : { field }), ...(headers === undefined ? {} : { headers }) };
}

export const statusOf = (code) => STATUS[code] ?? 500;

export function refused({ headers, ...error }) {
  return Response.json({ error }, { status: statusOf(error.code), headers });
}
