// Seals what a feed says by a key that only clients have, so that a hub joins what it cannot read. Ids, times, versions,
// links, kinds and figures stay as they are: the join needs them. It judges nothing.

/** What a memory says. */
const SAID = ['content', 'category', 'keywords', 'people', 'entities', 'subject', 'threadId', 'properties', 'importanceFactors', 'sourceId', 'evidence'];
/** What an entry of the log says. */
const TOLD = ['input', 'category', 'sourceId', 'reasons', 'reason', 'subjectA', 'subjectB', 'propertyChanges', 'texts', 'draft'];
const MARK = 'sealed1.';
/** Characters of a field that a hub takes. */
const FIELD = 8_000;
/** Characters of a name. */
const NAME = 998;

const encoder = new TextEncoder();
const picked = (from, names) => Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));
const without = (from, names) => Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

function written(bytes) {
  let text = '';
  for (let at = 0; at < bytes.length; at += FIELD) text += String.fromCharCode(...bytes.subarray(at, at + FIELD));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function read(text) {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
}

/**
 * The two ways of a key of 32 bytes: `close` seals a feed, `open` reads one. `check` says which key it is, and nothing about it.
 * The same text of the same record is always sealed alike, so that a record which has not changed is seen not to have.
 */
export async function sealing(secret, { subtle } = globalThis.crypto) {
  const root = await subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  const derive = (info, kind, uses) => subtle.deriveKey({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode(`memfold/${info}`) }, root, kind, false, uses);
  const cipher = await derive('seal', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']);
  const mac = await derive('mac', { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign']);
  const digest = async (text) => new Uint8Array(await subtle.sign('HMAC', mac, encoder.encode(text)));

  /** Seals a text for one place. The nonce is made of both, so that no nonce serves two texts. */
  async function seal(place, text) {
    const iv = (await digest(`${place}\0${text}`)).slice(0, 12);
    const sealed = new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData: encoder.encode(place) }, cipher, encoder.encode(text)));
    const bytes = new Uint8Array(12 + sealed.length);
    bytes.set(iv);
    bytes.set(sealed, 12);
    return `${MARK}${place}.${written(bytes)}`;
  }

  /** `{ place, text }` of what was sealed; `text` is absent where this key does not open it, all where nothing was sealed. */
  async function unseal(sealed) {
    const [, place, body] = /^sealed1\.([a-z0-9-]+)\.([\w-]+)$/.exec(sealed ?? '') ?? [];
    if (place === undefined) return {};
    try {
      const bytes = read(body);
      const opened = await subtle.decrypt({ name: 'AES-GCM', iv: bytes.subarray(0, 12), additionalData: encoder.encode(place) }, cipher, bytes.subarray(12));
      return { place, text: new TextDecoder().decode(opened) };
    } catch {
      return { place };
    }
  }

  /** A name by which records are found to be of one source, or of one input. */
  async function alias(name, most) {
    if (name === undefined) return undefined;
    const sealed = await seal('name', name);
    return sealed.length <= most ? sealed : `${MARK}${written(await digest(`name\0${name}`))}`;
  }
  const named = async (name) => (await unseal(name)).text ?? name;
  const aliased = async ({ key, sourceId, ...rest }) => ({ ...rest, ...picked({ key: await alias(key, Infinity), sourceId: await alias(sourceId, NAME) }, ['key', 'sourceId']) });
  const unaliased = async ({ key, sourceId, ...rest }) => ({ ...rest, ...picked({ key: await named(key), sourceId: await named(sourceId) }, ['key', 'sourceId']) });

  async function closeMemory(memory) {
    // What is forgotten says nothing.
    if (memory.content === '') return memory;
    const sealed = await seal(`m-${memory.id}`, JSON.stringify(picked(memory, SAID)));
    const rest = [];
    for (let at = FIELD; at < sealed.length; at += FIELD) rest.push({ name: 'sealed', value: sealed.slice(at, at + FIELD) });
    const sourceId = memory.sourceId === undefined ? {} : { sourceId: await alias(memory.sourceId, NAME) };
    return { ...without(memory, SAID), content: sealed.slice(0, FIELD), category: 'misc', keywords: [], people: [], entities: [], properties: rest, importanceFactors: [], ...sourceId };
  }

  async function openMemory(memory, wrong) {
    const { place, text } = await unseal(memory.content + memory.properties.map((p) => (p.name === 'sealed' ? p.value : '')).join(''));
    // Whoever writes to the hub cannot know an id before it is given: what only looks sealed is a text like any other.
    if (place !== `m-${memory.id}`) return memory;
    return text === undefined ? wrong() : { ...without(memory, SAID), ...JSON.parse(text) };
  }

  async function closeEntry({ salt, hash, ...entry }) {
    if (entry.redacted !== undefined) return aliased(entry);
    const reasons = entry.reasons.map(({ evidence, ...reason }) => ('message' in reason ? { ...reason, message: '' } : reason));
    const texts = entry.texts?.map(({ id }) => ({ id, content: '' }));
    const input = await seal(`e-${entry.id}`, JSON.stringify(picked(entry, TOLD)));
    return aliased({ ...without(entry, TOLD), ...picked(entry, ['sourceId']), input, category: 'misc', reasons, reason: '', ...(texts && { texts }) });
  }

  async function openEntry(entry, wrong) {
    const { place, text } = await unseal(entry.input);
    const open = await unaliased(entry);
    if (place === undefined) return open;
    // The hub has said again what another entry says.
    if (place !== `e-${entry.id}`) return { ...open, input: text === undefined ? '' : JSON.parse(text).input ?? '' };
    return text === undefined ? wrong() : { ...without(open, TOLD), ...JSON.parse(text) };
  }

  const each = async (feed, memory, entry) => ({ ...feed, memories: await Promise.all(feed.memories.map(memory)), entries: await Promise.all(feed.entries.map(entry)) });
  return {
    check: written((await digest('check')).slice(0, 16)),
    close: (feed) => each(feed, closeMemory, closeEntry),
    open: (feed, wrong) => each(feed, (m) => openMemory(m, wrong), (e) => openEntry(e, wrong)),
  };
}
