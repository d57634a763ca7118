// Validates numeric and boolean settings. An invalid one stops the Worker rather than lifting a
// limit.
import { zoneOf } from './zone';
import type { Env, Setting } from './env';
import { Refusal } from './errors';

/** The platform's size limit of one object. */
const PLATFORM = 10_000_000_000;

type Name = 'REQUESTS_PER_MINUTE' | 'MAILS_PER_MINUTE' | 'FAILURES_PER_MINUTE' | 'BYTES_PER_OWNER' | 'MAIL_SHARE' | 'DAILY_TOKENS' | 'MASK' | 'ZONE';

function checked<T>(env: Env, name: Name, otherwise: T, rule: string, fits: (value: T) => boolean, read: (given: Setting) => T | undefined): T {
  const given = env[name];
  if (given === undefined || given === '') return otherwise;
  const value = typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? read(given) : undefined;
  if (value === undefined || !fits(value)) throw new Refusal('misconfigured', `the setting ${name} is not ${rule}`, { field: name });
  return value;
}

const above = (least: number) => (n: number) => Number.isFinite(n) && n >= least;
const switchOf = (given: Setting): boolean | undefined => ({ true: true, false: false })[String(given)];

export interface Settings {
  requestsPerMinute: number;
  mailsPerMinute: number;
  failuresPerMinute: number;
  bytes: number;
  mailShare: number;
  /** Unlimited if undefined. */
  dailyTokens: number | undefined;
  mask: boolean;
  /** An IANA name, or minutes east of UTC. */
  zone: string | number;
}

export function settingsOf(env: Env): Settings {
  const rate = (name: Name, otherwise: number) => checked(env, name, otherwise, 'a number from 1 on', above(1), Number);
  const budget =
    env.DAILY_TOKENS === 'unlimited'
      ? undefined
      : checked(env, 'DAILY_TOKENS', 50_000, 'a whole number or `unlimited`', (n) => Number.isInteger(n) && n >= 0 && n < 2 ** 32, Number);
  return {
    requestsPerMinute: rate('REQUESTS_PER_MINUTE', 600),
    mailsPerMinute: rate('MAILS_PER_MINUTE', 60),
    failuresPerMinute: rate('FAILURES_PER_MINUTE', 30),
    bytes: checked(env, 'BYTES_PER_OWNER', PLATFORM, 'a number of bytes', above(0), Number),
    mailShare: checked(env, 'MAIL_SHARE', 0.8, 'a number from 0 to 1', (n) => n >= 0 && n <= 1, Number),
    dailyTokens: budget,
    mask: checked(env, 'MASK', true, '`true` or `false`', (is) => typeof is === 'boolean', switchOf),
    zone: checked<string | number>(env, 'ZONE', 'UTC', 'an IANA time zone, an offset or minutes east of UTC', () => true, zoneOf),
  };
}
