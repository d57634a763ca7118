// The peers, in any runtime: each takes unit vectors and gives back who is nearest. Loaded one by one, so that one that does
// not run is named and the others go on. Thresholds that would hide hits are off.
import { K, plain } from './vectors.js';

/** The bytes of a package's file. */
async function file(name) {
  const url = import.meta.resolve(name);
  if (!url.startsWith('file:')) return (await fetch(url)).arrayBuffer();
  const { readFile } = await import('node:fs/promises');
  return readFile(new URL(url));
}

async function orama(rows, width) {
  const { create, insertMultiple, search } = await import('@orama/orama');
  const db = create({ schema: { n: 'number', embedding: `vector[${width}]` } });
  await insertMultiple(
    db,
    rows.map((v, n) => ({ n, embedding: [...v] })),
  );
  return async (query) => {
    const found = await search(db, { mode: 'vector', vector: { value: [...query], property: 'embedding' }, similarity: 0, limit: K });
    return found.hits.map((h) => h.document.n);
  };
}

async function voy(rows) {
  const glue = await import('voy-search/voy_search_bg.js');
  const { instance } = await WebAssembly.instantiate(await file('voy-search/voy_search_bg.wasm'), { './voy_search_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  // All of 100,000 at once are more than it can take in.
  const embeddings = rows.map((v, n) => ({ id: String(n), title: '', url: '', embeddings: [...v] }));
  const index = new glue.Voy({ embeddings: embeddings.splice(0, 10_000) });
  while (embeddings.length > 0) index.add({ embeddings: embeddings.splice(0, 10_000) });
  return (query) => index.search(query, K).neighbors.map((n) => Number(n.id));
}

async function clientVectorSearch(rows) {
  const { EmbeddingIndex } = await import('client-vector-search');
  const index = new EmbeddingIndex(rows.map((v, n) => ({ n, embedding: [...v] })));
  return async (query) => (await index.search([...query], { topK: K, useStorage: 'none' })).map((r) => r.object.n);
}

async function edgevec(rows, width) {
  const { default: load, EdgeVec, EdgeVecConfig } = await import('edgevec/edgevec.js');
  await load({ module_or_path: await file('edgevec/edgevec_bg.wasm') });
  const config = new EdgeVecConfig(width);
  // Of unit vectors the distance orders as the cosine does.
  config.metric = 'l2';
  const index = new EdgeVec(config);
  const places = new Map(rows.map((v, n) => [Number(index.insert(v)), n]));
  return (query) => index.search(query, K).map((r) => places.get(Number(r.id)));
}

/** Rows as Postgres copies them in its binary form: a head, then for each its number and its vector, then an end. */
function copied(rows, width, first) {
  const BYTES = { Uint8: 1, Int16: 2, Int32: 4, Float32: 4 };
  const HEAD = 'PGCOPY\n\xff\r\n\0';
  const out = new DataView(new ArrayBuffer(HEAD.length + 8 + rows.length * (18 + 4 * width) + 2));
  let at = 0;
  const put = (size, value) => {
    out[`set${size}`](at, value);
    at += BYTES[size];
  };
  for (const sign of HEAD) put('Uint8', sign.charCodeAt(0));
  at += 8;
  rows.forEach((row, n) => {
    for (const [size, value] of [
      ['Int16', 2],
      ['Int32', 4],
      ['Int32', first + n],
      ['Int32', 4 + 4 * width],
      ['Int16', width],
      ['Int16', 0],
    ])
      put(size, value);
    for (const x of row) put('Float32', x);
  });
  put('Int16', -1);
  return new Blob([out.buffer]);
}

async function pglite(rows, width) {
  const [{ PGlite }, { vector }] = await Promise.all([import('@electric-sql/pglite'), import('@electric-sql/pglite-pgvector')]);
  const db = await PGlite.create({ extensions: { vector } });
  await db.exec(`CREATE EXTENSION vector; CREATE TABLE rows (n int, embedding vector(${width}))`);
  for (let at = 0; at < rows.length; at += 1_000) {
    const blob = copied(rows.slice(at, at + 1_000), width, at);
    await db.query("COPY rows FROM '/dev/blob' WITH (FORMAT binary)", [], { blob });
  }
  return async (query) => (await db.query(`SELECT n FROM rows ORDER BY embedding <=> '[${query.join()}]' LIMIT ${K}`)).rows.map((r) => r.n);
}

/** By name: from rows and their width to a search. */
export const peers = {
  'plain f32 scan in JavaScript': plain,
  '@orama/orama': orama,
  'voy-search': voy,
  'client-vector-search': clientVectorSearch,
  '@electric-sql/pglite with pgvector': pglite,
  'edgevec (a graph)': edgevec,
};
