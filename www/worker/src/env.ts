// The Worker's variables, secrets and bindings. JSON and numbers are parsed in settings.ts.
import type { Endpoint } from 'memfold';
import type { MemoryObject } from './object';

/** JSON, as a value in the wrangler configuration or as the text of a secret. */
export type Json<T> = T | string;
/** A number or a switch, as a value or as text. */
export type Setting = string | number | boolean;

export interface Env {
  MEMORY: DurableObjectNamespace<MemoryObject>;

  /** The owner of each token, by the token's SHA-256. */
  TOKENS?: Json<Record<string, string>>;
  /** The owner of each mail address. */
  MAILBOXES?: Json<Record<string, string>>;
  ORIGINS?: Json<string[]>;
  JWKS_URL?: string;
  JWT_ISSUER?: string;
  JWT_AUDIENCE?: string;

  MODE?: 'fast' | 'balanced' | 'accurate';
  REQUESTS_PER_MINUTE?: Setting;
  MAILS_PER_MINUTE?: Setting;
  FAILURES_PER_MINUTE?: Setting;
  BYTES_PER_OWNER?: Setting;
  MAIL_SHARE?: Setting;
  DAILY_TOKENS?: Setting;
  MASK?: Setting;
  ZONE?: Setting;

  AI?: Ai;
  AI_MODEL?: keyof AiModels;
  AI_EMBEDDINGS?: '@cf/baai/bge-m3' | '@cf/baai/bge-base-en-v1.5' | '@cf/baai/bge-large-en-v1.5' | '@cf/baai/bge-small-en-v1.5';
  MODEL_DIALECT?: Endpoint['dialect'];
  MODEL_URL?: string;
  MODEL?: string;
  MODEL_KEY?: string;
}

export function parsed<T>(value: Json<T> | undefined, otherwise: T): T {
  return typeof value === 'string' ? (JSON.parse(value) as T) : (value ?? otherwise);
}
