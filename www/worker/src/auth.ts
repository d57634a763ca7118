// Who calls: the owner's name, out of a verified credential and nothing else.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { parsed, type Env } from './env';
import { Refusal } from './errors';

/** Signatures that a public key verifies; never one that the key's own text would verify. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const LONGEST = 8_192;

const keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
/** The keys at an address; fetched at the first use, kept, and fetched again for a key that is not among them. */
function keysAt(address: string): ReturnType<typeof createRemoteJWKSet> {
  const known = keys.get(address) ?? createRemoteJWKSet(new URL(address), { timeoutDuration: 5_000, cooldownDuration: 30_000 });
  keys.set(address, known);
  return known;
}

const unauthorized = () =>
  new Refusal('unauthorized', 'a valid bearer token is needed', { headers: { 'www-authenticate': 'Bearer realm="memfold"' } });

/** Takes as long wherever two differ. */
const same = (a: Uint8Array, b: Uint8Array): boolean => a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);

/** The owner of a token, if it is one of those: each is compared, so that the time says nothing of them. */
async function holderOf(token: string, tokens: Record<string, string>): Promise<string | undefined> {
  const hash = new TextEncoder().encode(await sha256(token));
  let holder: string | undefined;
  for (const [known, owner] of Object.entries(tokens)) if (same(new TextEncoder().encode(known.toLowerCase()), hash)) holder = owner;
  return holder;
}

export async function sha256(text: string | Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', typeof text === 'string' ? new TextEncoder().encode(text) : text);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The owner that a request's credential was made for. */
export async function ownerOf(request: Request, env: Env): Promise<string> {
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
    if ((error as { code?: string } | undefined)?.code === 'ERR_JWKS_TIMEOUT' || error instanceof TypeError) {
      throw new Refusal('unavailable', 'the keys that verify tokens cannot be read', { retryable: true });
    }
    throw unauthorized();
  }
}
