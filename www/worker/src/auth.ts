// Authentication: derives the owner's name from a verified credential only.
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { parsed, type Env } from './env';
import { Refusal } from './errors';

/** Asymmetric algorithms only: with a symmetric one, the public key could forge tokens. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];
const MAX_TOKEN = 8_192;

const keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>();
/** The keys at a URL: cached, and fetched again for an unknown key id. */
function keysAt(address: string): ReturnType<typeof createRemoteJWKSet> {
  const known = keys.get(address) ?? createRemoteJWKSet(new URL(address), { timeoutDuration: 5_000, cooldownDuration: 30_000 });
  keys.set(address, known);
  return known;
}

const unauthorized = () => new Refusal('unauthorized', 'a valid bearer token is required', { headers: { 'www-authenticate': 'Bearer realm="memfold"' } });

/** Compares in constant time. */
const same = (a: Uint8Array, b: Uint8Array): boolean => a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);

/** The owner of a token. All tokens are compared, so that the duration reveals nothing. */
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

/** The owner of a request's credential. */
export async function ownerOf(request: Request, env: Env): Promise<string> {
  const [, token] = /^Bearer ([\x21-\x7e]+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
  if (token === undefined || token.length > MAX_TOKEN) throw unauthorized();
  const holder = await holderOf(token, parsed(env.TOKENS, {}));
  if (holder !== undefined) return holder;
  if (!env.JWKS_URL || !env.JWT_ISSUER || !env.JWT_AUDIENCE) throw unauthorized();
  try {
    const { payload } = await jwtVerify(token, keysAt(env.JWKS_URL), {
      issuer: env.JWT_ISSUER,
      audience: env.JWT_AUDIENCE,
      algorithms: ALGORITHMS,
      requiredClaims: ['sub', 'exp'],
      clockTolerance: 5,
    });
    if (typeof payload.sub !== 'string' || payload.sub === '' || payload.sub.length > 255) throw unauthorized();
    // Includes the issuer, so that a subject cannot impersonate an owner in TOKENS.
    return `${payload.iss}#${payload.sub}`;
  } catch (error) {
    // Unreachable keys are a server error.
    if ((error as { code?: string } | undefined)?.code === 'ERR_JWKS_TIMEOUT' || error instanceof TypeError) {
      throw new Refusal('unavailable', 'the keys for verifying tokens cannot be fetched', { retryable: true });
    }
    throw unauthorized();
  }
}
