// Search by meaning: the encoder is loaded when its reader asks for it, and by itself at the next visit. Where it fails, the built-in
// embedder serves.
import { signal } from '@preact/signals';
import { faultOf } from '../../shared/actions';
import { engine } from '../../shared/engine';
import { t } from '../../shared/i18n';
import { again } from '../../shared/searched';
import { save, saved } from '../../shared/settings';
import { announce, current } from '../../shared/state';
import { thread } from './engine/client';
import { idle, reopen } from './run';

declare const ENCODER_BYTES: number;
/** What its files take. */
export const BYTES = ENCODER_BYTES;

type Meaning =
  | { is: 'off' | 'on' }
  | { is: 'loading'; loaded: number; total: number }
  | { is: 'learning'; done: number; of: number }
  /** The code of an error. */
  | { is: 'failed'; code: string };

export const meaning = signal<Meaning>({ is: 'off' });
/** Why the browser does not keep the files, where it does not. */
export const unkept = signal<string | undefined>(undefined);
/** Whether a search that finds little may offer it. */
export const offered = signal(saved.meaning === undefined);

/** Milliseconds after which a store that was closed meanwhile is asked again. */
const PAUSE = 250;

/** Memories that are learnt between two steps of the bar. */
const STEP = 16;

let stop = new AbortController();

/** Loads the encoder, and has it learn the memories. That it works is said aloud where it was `asked` for. */
export async function understand(asked = true): Promise<void> {
  stop.abort();
  const { signal } = (stop = new AbortController());
  const show = (next: Meaning) => {
    if (!signal.aborted) meaning.value = next;
  };
  let why: string | undefined;
  show({ is: 'loading', loaded: 0, total: BYTES });
  try {
    unkept.value = await thread.meaning.load({
      signal,
      onProgress: ({ loaded, total }) => show({ is: 'loading', loaded, total }),
      told: (code?: string) => {
        why = code;
        if (meaning.value.is === 'on' || meaning.value.is === 'failed') show(code === undefined ? { is: 'on' } : { is: 'failed', code });
      },
    });
    if (signal.aborted) return;
    save({ meaning: 'on' });
    show({ is: 'learning', done: 0, of: 0 });
    await idle();
    await reopen();
    const stopped = await learn(signal, show);
    show(stopped ? { is: 'failed', code: why ?? stopped } : { is: 'on' });
  } catch (reason) {
    const { code } = faultOf(reason);
    show({ is: 'failed', code: code === 'connection_lost' ? 'not_loaded' : code });
  }
  if (signal.aborted || meaning.value.is !== 'on') return;
  if (asked) announce(t('meaning.on'));
  again.value++;
}

/** Gives the memories that lack a vector theirs, from where an earlier visit stopped; tells why it ended before all have one. */
async function learn(signal: AbortSignal, show: (next: Meaning) => void): Promise<string | undefined> {
  const told = (waiting: number) => {
    const of = Math.max(current.value.length, waiting);
    show({ is: 'learning', done: of - waiting, of });
  };
  for (;;) {
    try {
      told((await engine.model.reembed({ maxTexts: 0, signal })).waiting);
      for (;;) {
        const { waiting, failed, stopped } = await engine.model.reembed({ maxTexts: STEP, signal });
        told(waiting);
        if (stopped || waiting <= failed) return stopped;
      }
    } catch (reason) {
      // Another setting has opened the store anew: it goes on there.
      if (signal.aborted || faultOf(reason).code !== 'closed') throw reason;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      await idle();
    }
  }
}

/** Stops it, and deletes its files. */
export async function forget(): Promise<void> {
  const wasOpen = meaning.value.is !== 'loading';
  stop.abort();
  meaning.value = { is: 'off' };
  unkept.value = undefined;
  save({ meaning: 'declined' });
  offered.value = false;
  await thread.meaning.remove();
  if (!wasOpen) return;
  await idle();
  await reopen();
  again.value++;
}

/** Offers it no more where a search finds little. */
export function decline(): void {
  offered.value = false;
  save({ meaning: 'declined' });
}

/** At the next visit: loads what this browser keeps; what it has lost is not fetched unasked. */
export async function begin(): Promise<void> {
  if (saved.meaning !== 'on') return;
  if (await thread.meaning.stored().catch(() => false)) await understand(false);
  else meaning.value = { is: 'failed', code: 'not_stored' };
}
