// What a user writes. It is only checked, never run.
import { analyst as aiAnalyst, embedder as aiEmbedder, type AiLanguageModel } from 'memfold/ai-sdk';
import { analyst as chromeAnalyst, availability, download, offscreenAnalyst } from 'memfold/chrome';
import { encoder, type StoredWeights } from 'memfold/encoder';
import { useSuspenseMemories, useSuspenseSearch } from 'memfold/react';
import { checkAdapter, memoryAdapter, type StorageCase } from 'memfold/storage';
import { embeddings, instruct, type Transformers } from 'memfold/transformers';
import { compare, endpointAnalyst, MemfoldError, open, testEndpoint } from 'memfold';
import type { Answered, Category, Comparison, ContextOptions, Draft, Endpoint, EndpointReport, KeyFactor, LogEntry, Memories, Memory, ModelAnalyst, ModelFault, PromptText, StorageAdapter, Trouble } from 'memfold';

const memories: Memories = await open({ name: 'work', policy: 'fast', storage: 'indexeddb', owner: ['me@a.example'], zone: 540 });
const draft: Draft = { content: 'The kick-off is on 22 January at 2 pm', category: 'meeting', people: ['kim@a.example'] };
const { decision: made, entry, memory, confirmation, replayed } = await memories.add(draft, { dryRun: true, signal: new AbortController().signal });
const decision: 'CREATE' | 'UPDATE' | 'SKIP' | 'CREATE_AND_LINK' | 'DELETE' = made;
const ruling: 'confirmed' | 'provisional' | 'review' = confirmation;
console.log(entry.reason, ruling);
const version: number | undefined = memory?.version;
const again: boolean = replayed;

const report = await memories.importMail(new Blob([]), {
  onProgress: ({ mails, totalBytes }) => console.log(mails + (totalBytes ?? 0)),
  onReceipt: (receipt) => console.log(receipt.subject, receipt.receipts.map((r) => r.decision)),
});
const counted: number = report.created + report.updated + report.linked + report.skipped + report.replayed + report.failed.length;

await memories.search('킥오프', { onHits: (hits) => hits.map((h) => h.score), atHand: false });
for (const hit of await memories.search('킥오프 언제야?', { limit: 3, from: '2025-01-01T00:00:00Z', category: 'meeting' })) {
  const score: number = hit.score;
  const chain: Memory[] = await memories.history(hit.memory.id);
  const reasons: string[] = (await memories.why(hit.memory.id)).map((entry) => entry.reason);
  console.log(score, chain.length, reasons[0], hit.memory.supersededBy ?? 'current');
}
const entries: LogEntry[] = await memories.log.list({ decision: 'UPDATE', newestFirst: true });
for (const reason of entries.flatMap((e) => e.reasons)) {
  if (reason.kind === 'score_in_band') console.log(reason.score, reason.from);
}
// An interface is metadata, and times are dates or text.
interface Order { number: string; lines: string[] }
const order: Order = { number: '4711', lines: [] };
const { memory: ordered } = await memories.add({ content: 'The order is due on Friday', occurredAt: new Date(), statedAt: new Date() }, { key: order.number });
await memories.add('The order has come', { metadata: order, key: 'come' });
await memories.list({ metadata: order, from: new Date(0), to: '2026-05-01', asOf: new Date() });
const stored: unknown = ordered?.metadata?.['number'];
const when: string | undefined = ordered?.occurredAt;
const fault: ModelFault | undefined = entries.flatMap((e) => e.reasons).map((r) => (r.kind === 'model_refused' ? r.error : undefined))[0];
if (fault === 'no_evidence') console.log(stored, when);
// @ts-expect-error a code that there is not
if (fault === 'no_evidense') console.log();
const closed: Promise<void> = memories[Symbol.asyncDispose]();
await closed;
const comparison: Comparison = await compare(draft, { content: 'It is at 3 pm' }, { mode: 'balanced' });
const category: Category = 'task';
const factor: KeyFactor['code'] | undefined = comparison.keyFactors[0]?.code;
if (factor === 'other_instance') console.log(category);
// @ts-expect-error a code that there is not
if (factor === 'other_instanse') console.log();

try {
  await memories.get('x');
} catch (error) {
  if (error instanceof MemfoldError && error.code === 'closed') console.log(error.retryable, error.field);
}

const analyst: ModelAnalyst = async (question, { signal }) => {
  const said: string = await fetch('/model', { signal, method: 'POST', body: question.system + question.text }).then((r) => r.text());
  if (said) return said;
  const [first] = question.candidates;
  return { tokens: 3, entries: first ? [{ op: 'new', text: first.content, evidence: first.content, links: [{ to: first.handle, type: 'causal' }] }] : [] };
};
await open({ model: { analyst, timeout: 5_000, dailyTokens: 50_000 } });
await open({ model: { dialect: 'openai', url: 'http://localhost:11434/v1', model: 'qwen3', form: 'short' } });
const several: ModelAnalyst = (question) => ({
  entries: question.candidates.map(({ handle }) => ({ op: 'repeat', of: handle })),
});
await open({ model: { analyst: several, name: 'mine' } });
const { cached, tokensLeft = Infinity } = await memories.model.usage();
const { calls, tokens } = await memories.model.estimate(new Blob([]));
if (tokensLeft > tokens) console.log(calls, cached);
await memories.importMail('', { importTokens: 5_000 });
const { sources, refused }: Answered = await memories.ask('When is the kickoff?', { limit: 5, signal: AbortSignal.timeout(9_000) });
console.log(sources[0]?.memory.headline ?? refused);
const asks: ContextOptions = { tokens: 500, from: '2026-05-01', people: ['Kim'] };
const prompt: PromptText = await memories.context('When is the kickoff?', asks);
const first: string | undefined = prompt.sources[1];
console.log(prompt.text, first, (await memories.profile({ tokens: 300 })).text);
// @ts-expect-error the number of tokens limits the text, not the number of hits
await memories.context('When is the kickoff?', { limit: 3 });
// @ts-expect-error a model cannot delete
await open({ model: () => ({ entries: [{ op: 'delete', of: 'M1' }] }) });
// @ts-expect-error a misspelt option
await open({ polcy: 'fast' });
// @ts-expect-error an unknown category
await memories.add({ content: 'x', category: 'holiday' });
// @ts-expect-error a draft needs content
await memories.add({ category });
// @ts-expect-error a code that there is not
if (new Error() instanceof MemfoldError && (new Error() as MemfoldError).code === 'oops') console.log();

export { again, comparison, counted, decision, version };

const endpoint: Endpoint = { dialect: 'openai', url: 'http://localhost:11434/v1', model: 'qwen3' };
const tested: EndpointReport = await testEndpoint(endpoint, { timeout: 5_000 });
if (!tested.ok && tested.code === 'cors') console.log(tested.detail, tested.features?.schema);
await open({ model: { analyst: endpointAnalyst(endpoint), mask: true } });

const shared = await open({ embedder: { model: 'own', embed: (texts) => texts.map(() => [1]) } });
const exchanged: { sent: number; received: number } = await shared.sync.run('https://edge.example/v1/sync', 'token');
const left: boolean = await shared.sync.settle('hub', exchanged.sent, await shared.sync.changes('hub'));
if (left) console.log(exchanged.received);
const added = await memories.add([{ role: 'user', content: 'The dentist is on Friday at 10.' }], { key: 'n1', threadId: 'chat' });
void added.receipts.length;
const [due] = await memories.review.list();
if (due) await memories.review.decide(due.entry.id, 'UPDATE', { target: due.entry.id });
// @ts-expect-error a verdict that there is not
await memories.review.decide('x', 'DELETE');
const rested: number = (await memories.sleep.run({ maxNodes: 100, onProgress: ({ merges }) => console.log(merges) })).merges;
const tied: number = (await memories.graph.edges()).length + (await memories.graph.edges('x', { session: 's' })).length;
const exported: string = await memories.data.export();
console.log(rested, tied, exported);
import { open as openInWorker } from 'memfold/worker';
import { preload } from 'memfold';
import wasm from 'memfold/memfold_bg.wasm';
await preload({ wasm: new URL('https://cdn.example/memfold_bg.wasm') });
await preload({ wasm });
const elsewhere: Memories = await openInWorker({ name: 'work', worker: { run: 'tabs' } });
const unlive: () => void = elsewhere.live.search('x', { limit: 3 }, (hits) => hits.map((h) => h.score), (error) => console.log(error.code));
const kept = await elsewhere.add({ content: 'x', metadata: { n: 1 } });
const versions: number | undefined = kept.memory?.version;
const undone: string | undefined = (await elsewhere.log.list({ after: 3 }))[0]?.undoneBy;
// @ts-expect-error a worker has no Durable Object
await openInWorker({ storage: { object: undefined as never as import('memfold').ObjectStorage } });
export { undone, unlive, versions };
await elsewhere.undo('x').catch((e: MemfoldError) => console.log(e.dependents?.length));

import { Live } from 'memfold/live';
const passedOn = new Live({ search: (q, o) => elsewhere.search(q, o), list: (o) => elsewhere.list(o), subscribe: (hears) => elsewhere.subscribe(hears) });
export const unlisted: () => void = passedOn.list({ limit: 5 }, (all) => console.log(all.length));
await open({ model: endpoint, onTrouble: ({ code, rule, entry, retryable }: Trouble) => console.log(code, rule?.length, entry?.toFixed(), retryable) });
// @ts-expect-error a trouble has no such field
await openInWorker({ onTrouble: ({ why }) => console.log(why) });
const lastRule: string | undefined = (await memories.model.usage()).lastFailure?.rule;
console.log(lastRule);

declare const model: AiLanguageModel;
declare const library: Transformers;
await open({ model: { analyst: aiAnalyst(model, { form: 'short' }), mask: true } });
await open({ embedder: aiEmbedder({ specificationVersion: 'v3', provider: 'p', modelId: 'm', maxEmbeddingsPerCall: 2, doEmbed: async () => ({ embeddings: [[1]] }) }) });
if ((await availability()) === 'downloadable') await download({ onProgress: (part: number) => console.log(part) });
await open({ model: chromeAnalyst({ languages: ['en'] }) });
await open({ model: offscreenAnalyst({ url: 'model.html' }) });
const e5 = embeddings({ library, model: 'Xenova/multilingual-e5-small', from: 'https://huggingface.co/{model}/resolve/main/', runtime: '/ort/', prefix: 'query: ' });
await e5.download({ onProgress: ({ loaded, total }) => console.log(loaded / total) });
await open({ embedder: e5.embedder, model: instruct({ library, model: 'm', from: '/models/' }).analyst });
// @ts-expect-error weights come from somewhere
embeddings({ library, model: 'm' });
const keptWeights: StoredWeights = await encoder.stored();
const onDevice = await encoder({ source: new URL('./encoder.bin', import.meta.url), head: (await fetch('/head.bin.gz')).body!, store: !keptWeights.weights, worker: () => new Worker('/host.js') });
const [vector]: Float32Array[] = await onDevice.embed(['x'], { kind: 'query', signal: new AbortController().signal });
await open({ embedder: onDevice });
// @ts-expect-error a kind is `query` or `document`
await onDevice.embed([String(vector)], { kind: 'passage' });

const shelf: StorageAdapter = memoryAdapter();
const ownStore: Memories = await open({ storage: shelf });
const results: StorageCase[] = await checkAdapter(async () => shelf, open);
console.log(results.map(({ name, error = 'passed' }) => `${name} ${error}`), ownStore.durability.store === 'adapter');
// @ts-expect-error an adapter says whether a batch was written
await open({ storage: { ...shelf, commit: async () => {} } });
for (const reason of entries.flatMap((e) => e.reasons)) {
  if (reason.kind !== 'sensitive_change') continue;
  const detail: 'bank' | 'payment' | 'delivery' | 'login' = reason.detail;
  console.log(detail);
}
const shownNow: Memory[] = useSuspenseMemories(ownStore, { order: 'newest' });
console.log(shownNow, useSuspenseSearch(open(), 'lease')[0]?.score);
