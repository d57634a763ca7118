// Errors with a stable code and an HTTP status.

/** The status of each code; 500 if not listed. */
const STATUS: Record<string, number> = {
  invalid_field: 400,
  unknown_field: 400,
  invalid_input: 400,
  unauthorized: 401,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  already_undone: 409,
  already_settled: 409,
  has_dependents: 409,
  forgotten: 410,
  too_large: 413,
  unsupported_media_type: 415,
  invalid_mail: 422,
  rate_limited: 429,
  storage: 503,
  blocked: 503,
  connection_lost: 503,
  closed: 503,
  unsupported: 501,
  unavailable: 503,
  timeout: 504,
  quota_exceeded: 507,
};

/** The public fields of an error. */
export interface Fault {
  code: string;
  message: string;
  retryable: boolean;
  field?: string;
  headers?: Record<string, string>;
}

export class Refusal extends Error {
  readonly code: string;
  readonly field: string | undefined;
  readonly retryable: boolean;
  readonly headers: Record<string, string> | undefined;

  constructor(code: string, message: string, { field, retryable = false, headers }: Partial<Pick<Fault, 'field' | 'retryable' | 'headers'>> = {}) {
    super(message);
    this.code = code;
    this.field = field;
    this.retryable = retryable;
    this.headers = headers;
  }
}

/** Converts an error to plain public fields, which can cross between objects. */
export function told(error: unknown): Fault {
  const { code, message = '', field, retryable = false, headers } = (error ?? {}) as Partial<Fault>;
  if (typeof code !== 'string') return { code: 'internal', message: 'memfold failed', retryable: false };
  return { code, message, retryable, ...(field === undefined ? {} : { field }), ...(headers === undefined ? {} : { headers }) };
}

export const statusOf = (code: string): number => STATUS[code] ?? 500;

export function refused({ headers = {}, ...error }: Fault): Response {
  return Response.json({ error }, { status: statusOf(error.code), headers });
}
