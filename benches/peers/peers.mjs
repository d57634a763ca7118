// The peers: each takes unit vectors and gives back who is nearest. Loaded one by one, so that one that does not run is
// named and the others go on.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const K = 10;
const file = (name) => readFileSync(fileURLToPath(import.meta.resolve(name)));

async function orama(rows, width) {
  const { create, insertMultiple, search } = await import('@orama/orama');
  const db = create({ schema: { n: 'number', embedding: `vector[${width}]` } });
  await insertMultiple(db, rows.map((v, n) => ({ n, embedding: [...v] })));
  return async (query) => {
    const found = await search(db, { mode: 'vector', vector: { value: [...query], property: 'embedding' }, similarity: 0, limit: K });
    return found.hits.map((h) => h.document.n);
  };
}

async function voy(rows) {
  const glue = await import('voy-search/voy_search_bg.js');
  const { instance } = await WebAssembly.instantiate(file('voy-search/voy_search_bg.wasm'), { './voy_search_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  const index = new glue.Voy({ embeddings: rows.map((v, n) => ({ id: String(n), title: '', url: '', embeddings: [...v] })) });
  return (query) => index.search(query, K).neighbors.map((n) => Number(n.id));
}

async function clientVectorSearch(rows) {
  const { EmbeddingIndex } = await import('client-vector-search');
  const index = new EmbeddingIndex(rows.map((v, n) => ({ n, embedding: [...v] })));
  return async (query) => (await index.search([...query], { topK: K, useStorage: 'none' })).map((r) => r.object.n);
}

async function edgevec(rows, width) {
  const { default: load, EdgeVec, EdgeVecConfig } = await import('edgevec/edgevec.js');
  await load({ module_or_path: file('edgevec/edgevec_bg.wasm') });
  const config = new EdgeVecConfig(width);
  // Of unit vectors the distance orders as the cosine does.
  config.metric = 'l2';
  const index = new EdgeVec(config);
  const places = new Map(rows.map((v, n) => [Number(index.insert(v)), n]));
  return (query) => index.search(query, K).map((r) => places.get(Number(r.id)));
}

async function pglite(rows, width) {
  const [{ PGlite }, { vector }] = await Promise.all([import('@electric-sql/pglite'), import('@electric-sql/pglite-pgvector')]);
  const db = await PGlite.create({ extensions: { vector } });
  await db.exec(`CREATE EXTENSION vector; CREATE TABLE rows (n int, embedding vector(${width}))`);
  for (let at = 0; at < rows.length; at += 500) {
    const some = rows.slice(at, at + 500).map((v, i) => `(${at + i}, '[${v.join()}]')`);
    await db.exec(`INSERT INTO rows VALUES ${some.join()}`);
  }
  return async (query) => (await db.query(`SELECT n FROM rows ORDER BY embedding <=> '[${query.join()}]' LIMIT ${K}`)).rows.map((r) => r.n);
}

/** What everybody would write first. */
async function plain(rows, width) {
  const flat = new Float32Array(rows.length * width);
  rows.forEach((v, n) => flat.set(v, n * width));
  return (query) => {
    const scores = new Float32Array(rows.length);
    for (let row = 0, at = 0; row < rows.length; row += 1) {
      let sum = 0;
      for (let i = 0; i < width; i += 1, at += 1) sum += flat[at] * query[i];
      scores[row] = sum;
    }
    return Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a]).slice(0, K);
  };
}

/** By name: from rows and their width to a search. The first is exact, and what the others are measured by. */
export const peers = { 'plain f32 scan in JavaScript': plain, '@orama/orama': orama, 'voy-search': voy, 'client-vector-search': clientVectorSearch, '@electric-sql/pglite with pgvector': pglite, 'edgevec (a graph)': edgevec };
