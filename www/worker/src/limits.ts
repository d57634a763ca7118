// How often something may be done: buckets that fill as time goes by. What is remembered of callers is bounded.
import { Refusal } from './errors';

/** A bucket that holds as much as may be done in a minute, and is full at first. */
export class Bucket {
  #left = Infinity;
  #since = 0;

  /** Takes one of `most` a minute: 0, or the seconds after which there is one again. */
  take(most: number, now = Date.now()): number {
    const left = Math.min(most, this.#left + ((now - this.#since) * most) / 60_000);
    if (left < 1) return Math.ceil(((1 - left) * 60) / most);
    this.#left = left - 1;
    this.#since = now;
    return 0;
  }
}

export const tooMany = (seconds: number, what: string): Refusal =>
  new Refusal('rate_limited', `${what}; try again later`, { retryable: true, headers: { 'retry-after': String(seconds) } });

/** Addresses that are remembered; past it the one that failed longest ago is forgotten. */
const ADDRESSES = 4_096;
/** All addresses together may fail so many times as often as one. */
const IN_SUM = 10;

/** Failed authentications, by address and in sum. Whoever shows a right token is not counted and not held up. */
export class Failures {
  #byAddress = new Map<string, Bucket>();
  #all = new Bucket();

  /** Addresses that are remembered. */
  get size(): number {
    return this.#byAddress.size;
  }

  /** Counts one: 0, or the seconds that this caller has to wait. */
  count(address: string, perMinute: number, now = Date.now()): number {
    const bucket = this.#byAddress.get(address) ?? new Bucket();
    this.#byAddress.delete(address);
    this.#byAddress.set(address, bucket);
    if (this.#byAddress.size > ADDRESSES) this.#byAddress.delete(this.#byAddress.keys().next().value!);
    // Who is held up already takes nothing from the others.
    return bucket.take(perMinute, now) || this.#all.take(perMinute * IN_SUM, now);
  }
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [front = [], back] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const gap = back === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array(Math.max(gap, 0)).fill('0'), ...(back ?? [])];
}

/** The address that Cloudflare saw. Of IPv6 the network's half: a client has the other to choose from. */
export function addressOf(request: { headers: Pick<Headers, 'get'> }): string {
  const address = (request.headers.get('cf-connecting-ip') ?? '').trim().toLowerCase().slice(0, 64);
  if (!address.includes(':')) return address;
  const [, v4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  return v4 ?? groupsOf(address).slice(0, 4).map((group) => group.padStart(4, '0')).join(':');
}
