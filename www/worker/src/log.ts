// Logs one line of JSON for each event, without content, addresses, tokens or owner names.

/** A pseudonym of an owner that links log lines. */
export async function pseudonym(owner: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`memfold/${owner}`));
  return [...new Uint8Array(digest, 0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function log(event: string, fields: object): void {
  console.log(JSON.stringify({ event, ...fields }));
}
