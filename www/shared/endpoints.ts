// What is known about the addresses of model providers.

/** Hosts that require a key. */
const WANT_A_KEY = [/^api\.openai\.com$/, /^api\.anthropic\.com$/, /^generativelanguage\.googleapis\.com$/, /(^|\.)openrouter\.ai$/, /\.openai\.azure\.com$/];
const HERE = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname;
  } catch {
    return undefined;
  }
}

/**
 * Whether an address needs a key: `no` on this device, `perhaps` for unknown hosts; undefined for
 * an invalid address.
 */
export function wantsKey(url: string): 'yes' | 'perhaps' | 'no' | undefined {
  const host = hostOf(url.trim());
  if (!host) return undefined;
  if (HERE.test(host)) return 'no';
  return WANT_A_KEY.some((known) => known.test(host)) ? 'yes' : 'perhaps';
}
