// Who calls: the owner's name, out of a verified credential and nothing else.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Refusal } from './errors.js';

/** Signatures that a public key verifies; never one that the key's own text would verify. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const LONGEST = 8_192;

const keys = new Map();
/** The keys at an address; fetched at the first use, kept, and fetched again for a key that is not among them. */
function keysAt(address) {
  if (!keys.has(address)) keys.set(address, createRemoteJWKSet(new URL(address), { timeoutDuration: 5_000, cooldownDuration: 30_000 }));
  return keys.get(address);
}

const unauthorized = () =>
  new Refusal('unauthorized', 'a valid bearer token is needed', { headers: { 'www-authenticate': 'Bearer realm="memfold"' } });

/** Takes as long wherever two differ. */
const same = (a, b) => a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);

/** The owner of a token, if it is one of those: each is compared, so that the time says nothing of them. */
async function holderOf(token, tokens) {
  const hash = new TextEncoder().encode(await sha256(token));
  let holder;
  for (const [known, owner] of Object.entries(tokens)) if (same(new TextEncoder().encode(known.toLowerCase()), hash)) holder = owner;
  return holder;
}

export async function sha256(text) {
  const digest = await crypto.subtle.digest('SHA-256', typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A variable that is JSON, as wrangler gives it (a value) or as a secret gives it (its text). */
export const parsed = (value, otherwise) => (typeof value === 'string' ? JSON.parse(value) : (value ?? otherwise));

/** The owner that a request's credential was made for. */
export async function ownerOf(request, env) {
  const [, token] = /^Bearer ([\x21-\x7e]+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
  if (token === undefined || token.length > LONGEST) throw unauthorized();
  const holder = await holderOf(token, parsed(env.TOKENS, {}));
  if (holder !== undefined) return holder;
  if (!env.JWKS_URL || !env.JWT_ISSUER || !env.JWT_AUDIENCE) throw unauthorized();
  try {
    const { payload } = await jwtVerify(token, keysAt(env.JWKS_URL), {
      issuer: env.JWT_ISSUER, audience: env.JWT_AUDIENCE, algorithms: ALGORITHMS, requiredClaims: ['sub', 'exp'], clockTolerance: 5,
    });
    if (typeof payload.sub !== 'string' || payload.sub === '' || payload.sub.length > 255) throw unauthorized();
    // With the issuer: a subject named like an owner of TOKENS is somebody else.
    return `${payload.iss}#${payload.sub}`;
  } catch (error) {
    // Keys that cannot be had are our trouble, not the caller's.
    if (error?.code === 'ERR_JWKS_TIMEOUT' || error instanceof TypeError) {
      throw new Refusal('unavailable', 'the keys that verify tokens cannot be read', { retryable: true });
    }
    throw unauthorized();
  }
}
