// Seals what clients tell each other by a key that only they have. Each record is bound to its name, and each step of their
// chain names the step before it and all that it wrote, so that nothing can be put in, changed, moved or taken out by whoever
// keeps them. It judges nothing and sends nothing.

/** The format of a step. */
const FORMAT = 2;
/** Bytes of a nonce. */
const NONCE = 12;
/** Characters of a nonce, which begin what is sealed. */
const STAMP = 16;
/** Characters of a name. */
const NAME = 22;
/** Bytes that are written at once. */
const AT_ONCE = 8_192;

/** A name, and what is sealed under it. */
type Named = [name: string, sealed: string];
/** A step: its number, and what names it. */
type Step = { at: number; hash: string };
/** What a step holds, when it is opened. */
type Opened = { format: number; before: string; records: Named[] };
/** What is told: entries of the log, and memories with their edges. */
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
 * The two ways of a key of 32 bytes. `check` says which key it is, and nothing about it. What is sealed twice alike at one
 * place is the same text, so that a record which has not changed is seen not to have.
 */
export async function sealing(secret: Uint8Array<ArrayBuffer>, { subtle } = globalThis.crypto) {
  const root = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  const derive = (info: string, kind: AesDerivedKeyParams | HmacImportParams, uses: KeyUsage[]) => subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(`memfold/${FORMAT}/${info}`) }, root, kind, false, uses);
  const cipher = await derive('seal', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']);
  const mac = await derive('mac', { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign']);
  const digest = async (what: string, ...parts: string[]) => new Uint8Array(await subtle.sign('HMAC', mac, encoder.encode(JSON.stringify([what, ...parts]))));

  /** Seals a text for one place. The nonce is made of both, so that no nonce serves two texts. */
  async function close(place: string, text: string): Promise<string> {
    const iv = (await digest('nonce', place, text)).subarray(0, NONCE);
    const sealed = new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode(place) }, cipher, encoder.encode(text)));
    return written(iv) + written(sealed);
  }

  /** The text that was sealed for this place; throws where it was not. */
  async function open(place: string, sealed: string): Promise<string> {
    const bytes = read(sealed.slice(STAMP));
    return decoder.decode(await subtle.decrypt({ name: 'AES-GCM', iv: read(sealed.slice(0, STAMP)), additionalData: encoder.encode(place) }, cipher, bytes));
  }

  /** `[name, sealed]` of a record. The name says nothing about what it names. */
  async function record(kind: string, id: string, value: object): Promise<Named> {
    const name = written(await digest('name', kind, id)).slice(0, NAME);
    return [name, await close(`record ${name}`, JSON.stringify(value))];
  }

  const hash = async (text: string) => written(new Uint8Array(await subtle.digest('SHA-256', encoder.encode(text))));

  return {
    check: written((await digest('check')).subarray(0, 16)),

    /** The records of what is told: memories with their edges, and entries without what belongs to one log alone. */
    records: ({ entries, nodes }: Told) => Promise.all([
      ...entries.map(({ seq: _, salt: __, hash: ___, ...entry }) => record('entry', entry.id, entry)),
      ...nodes.map(({ memory: { revision: _, ...memory }, edges }) => record('memory', memory.id, { ...memory, edges })),
    ]),

    /** What a record says: an entry, or a memory with its edges. */
    async opened([name, sealed]: Named, at: number) {
      const { edges, ...value } = JSON.parse(await open(`record ${name}`, sealed)) as { edges?: unknown[] };
      return edges === undefined ? { entry: { ...value, seq: 0 } } : { node: { at, memory: { ...value, revision: 1 }, edges } };
    },

    /** The step after another one that wrote these records, as `{ sealed, step }`. */
    async step({ at, hash: before }: Step, records: Named[]): Promise<{ sealed: string; step: Step }> {
      const text = JSON.stringify({ format: FORMAT, at: at + 1, before, records: records.map(([name, sealed]) => [name, sealed.slice(0, STAMP)]) });
      const sealed = await close(`step ${at + 1}`, text);
      return { sealed, step: { at: at + 1, hash: await hash(sealed) } };
    },

    /**
     * The step of the next number, `{ follows, format, records, step }`: whether it follows this one, and the names and stamps of
     * what it wrote. Throws where no client sealed it.
     */
    async following({ at, hash: before }: Step, sealed: string): Promise<{ follows: boolean; format: number; records: Named[]; step: Step }> {
      const { records, format, before: said } = JSON.parse(await open(`step ${at + 1}`, sealed)) as Opened;
      return { follows: said === before, format, records, step: { at: at + 1, hash: await hash(sealed) } };
    },
  };
}

/** What a record is known by in the step that wrote it. */
export const stampOf = (sealed: string) => sealed.slice(0, STAMP);

export { FORMAT };
