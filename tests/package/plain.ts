// What a user writes whose `lib` has no DOM, as in Node without its types. It is only checked, never run.
import { open } from 'memfold';
import type { Change, Durability, Memories, Memory, Source } from 'memfold';
import { encoder, type LoadedEncoder } from 'memfold/encoder';
import { useMemories, useSearch } from 'memfold/react';

const memories: Memories = await open({ storage: { path: 'mine.db', scope: { user: 'kim' } } });
const { lasts }: Durability = memories.durability;
const stop: () => void = memories.subscribe((changes: Change[]) => changes.map((c) => c.by?.kind === 'page' && c.own));
const found: Memory | undefined = (await memories.search('x', { limit: 3, metadata: { colour: 'red' } }))[0]?.memory;
const source: Source = new Uint8Array();
await memories.importMail(source, { metadata: { from: 'mail' } });
memories.live.list({ order: 'newest', threadId: 't', people: ['Kim'] }, (list) => list.map((m) => m.content))();
if (found) await memories.update(found.id, 'It is at 3', { metadata: { colour: null } });
const { data = [], pending } = useMemories(memories, { category: 'task' });
const hits = useSearch(memories, 'x').data?.length;
// @ts-expect-error a scope has a user, an agent and an app
await open({ storage: { scope: { usr: 'kim' } } });
const onDevice: LoadedEncoder = await encoder({ source: 'encoder.bin', head: new Uint8Array(), onProgress: ({ loaded, total }) => loaded / total });
const log: Float32Array = await onDevice.judge([['a', 'b', true], ['a', 'c']]);
await open({ embedder: onDevice });
export { log, data, hits, lasts, pending, stop };
