// The settings that are numbers or switches, checked. One that cannot be read stops the Worker: it never lifts a limit.
import { Refusal } from './errors.js';

/** What the platform gives one object. */
const PLATFORM = 10_000_000_000;

function checked(env, name, otherwise, rule, fits, read = Number) {
  const given = env[name];
  if (given === undefined || given === '') return otherwise;
  const value = typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean' ? read(given) : undefined;
  if (value === undefined || !fits(value)) throw new Refusal('misconfigured', `the setting ${name} is not ${rule}`, { field: name });
  return value;
}

const above = (least) => (n) => Number.isFinite(n) && n >= least;
const switchOf = (given) => ({ true: true, false: false })[String(given)];

export function settingsOf(env) {
  const rate = (name, otherwise) => checked(env, name, otherwise, 'a number from 1 on', above(1));
  const budget = env.DAILY_TOKENS === 'unlimited' ? undefined : checked(env, 'DAILY_TOKENS', 50_000, 'a whole number or `unlimited`', (n) => Number.isInteger(n) && n >= 0 && n < 2 ** 32);
  return {
    requestsPerMinute: rate('REQUESTS_PER_MINUTE', 600),
    mailsPerMinute: rate('MAILS_PER_MINUTE', 60),
    failuresPerMinute: rate('FAILURES_PER_MINUTE', 30),
    bytes: checked(env, 'BYTES_PER_OWNER', PLATFORM, 'a number of bytes', above(0)),
    mailShare: checked(env, 'MAIL_SHARE', 0.8, 'a number from 0 to 1', (n) => n >= 0 && n <= 1),
    dailyTokens: budget,
    mask: checked(env, 'MASK', true, '`true` or `false`', (is) => typeof is === 'boolean', switchOf),
    zone: checked(env, 'ZONE', 0, 'minutes east of UTC', (n) => Number.isInteger(n) && Math.abs(n) <= 1_440),
  };
}
