// One line of JSON for each thing that happened. It never holds content, an address, a token or an owner's name.

/** A name for an owner by which lines belong together, and nobody is known. */
export async function pseudonym(owner: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`memfold/${owner}`));
  return [...new Uint8Array(digest, 0, 6)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function log(event: string, fields: object): void {
  console.log(JSON.stringify({ event, ...fields }));
}
