// Encrypts sync data with a key that only the clients have. Each record is bound to its name. Each step names the
// previous step and all of its records, so the hub cannot add, change, move or remove any unnoticed.

/** The format of a step. */
const FORMAT = 2;
/** The bytes of a nonce. */
const NONCE = 12;
/** The characters of a nonce, at the start of a sealed text. */
const STAMP = 16;
/** The characters of a record name. */
const NAME = 22;
/** Bytes converted in one call; an argument list is limited. */
const AT_ONCE = 8_192;

/** A record name with its sealed text. */
type Named = [name: string, sealed: string];
/** The number of a step and its hash. */
type Step = { at: number; hash: string };
/** The decrypted content of a step. */
type Opened = { format: number; before: string; records: Named[] };
/** The content to send: log entries, and memories with their edges. */
type Told = { entries: ({ id: string; seq?: number; salt?: unknown; hash?: unknown } & object)[]; nodes: { memory: { id: string; revision?: number } & object; edges: unknown[] }[] };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function written(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function read(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

/**
 * Encryption and decryption with a 32-byte key. `check` is a fingerprint of the key. Sealing is deterministic, so that
 * unchanged records are recognised.
 */
export async function sealing(secret: Uint8Array<ArrayBuffer>, { subtle } = globalThis.crypto) {
  const root = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  const derive = (info: string, kind: AesDerivedKeyParams | HmacImportParams, uses: KeyUsage[]) => subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(`memfold/${FORMAT}/${info}`) }, root, kind, false, uses);
  const cipher = await derive('seal', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']);
  const mac = await derive('mac', { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign']);
  const digest = async (what: string, ...parts: string[]) => new Uint8Array(await subtle.sign('HMAC', mac, encoder.encode(JSON.stringify([what, ...parts]))));

  /** Seals a text for a place. The nonce is derived from both, so it never repeats for another text. */
  async function close(place: string, text: string): Promise<string> {
    const iv = (await digest('nonce', place, text)).subarray(0, NONCE);
    const sealed = new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode(place) }, cipher, encoder.encode(text)));
    return written(iv) + written(sealed);
  }

  /** Opens a text sealed for this place; throws for any other. */
  async function open(place: string, sealed: string): Promise<string> {
    const bytes = read(sealed.slice(STAMP));
    return decoder.decode(await subtle.decrypt({ name: 'AES-GCM', iv: read(sealed.slice(0, STAMP)), additionalData: encoder.encode(place) }, cipher, bytes));
  }

  /** Seals a record under a pseudonymous name. */
  async function record(kind: string, id: string, value: object): Promise<Named> {
    const name = written(await digest('name', kind, id)).slice(0, NAME);
    return [name, await close(`record ${name}`, JSON.stringify(value))];
  }

  const hash = async (text: string) => written(new Uint8Array(await subtle.digest('SHA-256', encoder.encode(text))));

  return {
    check: written((await digest('check')).subarray(0, 16)),

    /** Seals memories with their edges, and entries without the fields of the local log. */
    records: ({ entries, nodes }: Told) => Promise.all([
      ...entries.map(({ seq: _, salt: __, hash: ___, ...entry }) => record('entry', entry.id, entry)),
      ...nodes.map(({ memory: { revision: _, ...memory }, edges }) => record('memory', memory.id, { ...memory, edges })),
    ]),

    /** Opens a record: an entry, or a memory with its edges. */
    async opened([name, sealed]: Named, at: number) {
      const { edges, ...value } = JSON.parse(await open(`record ${name}`, sealed)) as { edges?: unknown[] };
      return edges === undefined ? { entry: { ...value, seq: 0 } } : { node: { at, memory: { ...value, revision: 1 }, edges } };
    },

    /** Seals the step that follows another and wrote these records. */
    async step({ at, hash: before }: Step, records: Named[]): Promise<{ sealed: string; step: Step }> {
      const text = JSON.stringify({ format: FORMAT, at: at + 1, before, records: records.map(([name, sealed]) => [name, sealed.slice(0, STAMP)]) });
      const sealed = await close(`step ${at + 1}`, text);
      return { sealed, step: { at: at + 1, hash: await hash(sealed) } };
    },

    /**
     * Opens the step of the next number: whether it follows the given one, and its record names with stamps. Throws if
     * no client sealed it.
     */
    async following({ at, hash: before }: Step, sealed: string): Promise<{ follows: boolean; format: number; records: Named[]; step: Step }> {
      const { records, format, before: said } = JSON.parse(await open(`step ${at + 1}`, sealed)) as Opened;
      return { follows: said === before, format, records, step: { at: at + 1, hash: await hash(sealed) } };
    },
  };
}

/** The stamp of a sealed record: its nonce, which identifies its content. */
export const stampOf = (sealed: string) => sealed.slice(0, STAMP);

export { FORMAT };
