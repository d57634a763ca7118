// Rate limits with token buckets, for a bounded number of callers.
import { Refusal } from './errors';

/** A token bucket with a capacity of one minute, initially full. */
export class Bucket {
  #left = Infinity;
  #since = 0;

  /** Takes one of `most` per minute: returns 0, or the seconds to wait. */
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

/** Most addresses stored; the one with the oldest failure is dropped first. */
const ADDRESSES = 4_096;
/** All addresses together may fail this many times as often as one. */
const IN_SUM = 10;

/**
 * Failed authentications by address and in total. Valid callers are neither counted nor delayed.
 */
export class Failures {
  #byAddress = new Map<string, Bucket>();
  #all = new Bucket();

  /** The number of stored addresses. */
  get size(): number {
    return this.#byAddress.size;
  }

  /** Counts a failure: returns 0, or the seconds that the caller must wait. */
  count(address: string, perMinute: number, now = Date.now()): number {
    const bucket = this.#byAddress.get(address) ?? new Bucket();
    this.#byAddress.delete(address);
    this.#byAddress.set(address, bucket);
    if (this.#byAddress.size > ADDRESSES) this.#byAddress.delete(this.#byAddress.keys().next().value!);
    // A caller that must wait already takes nothing from the total.
    return bucket.take(perMinute, now) || this.#all.take(perMinute * IN_SUM, now);
  }
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  const [front = [], back] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const gap = back === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array(Math.max(gap, 0)).fill('0'), ...(back ?? [])];
}

/**
 * The address seen by Cloudflare. For IPv6 only the network half, since a client can choose the
 * rest.
 */
export function addressOf(request: { headers: Pick<Headers, 'get'> }): string {
  const address = (request.headers.get('cf-connecting-ip') ?? '').trim().toLowerCase().slice(0, 64);
  if (!address.includes(':')) return address;
  const [, v4] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  return (
    v4 ??
    groupsOf(address)
      .slice(0, 4)
      .map((group) => group.padStart(4, '0'))
      .join(':')
  );
}
