// Search by meaning: the user's click loads the encoder; later visits load it automatically. Until
// then and on failure, the built-in embedder is used.
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
/** The size of the encoder's files. */
export const BYTES = ENCODER_BYTES;

type Meaning =
  | { is: 'off' | 'on' }
  | { is: 'loading'; loaded: number; total: number }
  | { is: 'learning'; done: number; of: number }
  /** An error code. */
  | { is: 'failed'; code: string };

export const meaning = signal<Meaning>({ is: 'off' });
/** Why the browser has not cached the files, if so. */
export const cacheProblem = signal<string | undefined>(undefined);
/** Whether a search with few hits may offer it. */
export const offered = signal(saved.meaning === undefined);

/** Milliseconds until a retry if the store was closed meanwhile. */
const PAUSE = 250;

/** Memories embedded between two progress updates. */
const STEP = 16;

let stop = new AbortController();

/** Loads the encoder and embeds the memories. If the user `asked` for it, the end is announced. */
export async function loadEncoder(asked = true): Promise<void> {
  stop.abort();
  const { signal } = (stop = new AbortController());
  const show = (next: Meaning) => {
    if (!signal.aborted) meaning.value = next;
  };
  let why: string | undefined;
  show({ is: 'loading', loaded: 0, total: BYTES });
  try {
    cacheProblem.value = await thread.meaning.load({
      signal,
      onProgress: ({ loaded, total }) => show({ is: 'loading', loaded, total }),
      report: (code?: string) => {
        why = code;
        if (meaning.value.is === 'on' || meaning.value.is === 'failed') show(code === undefined ? { is: 'on' } : { is: 'failed', code });
      },
    });
    if (signal.aborted) return;
    save({ meaning: 'on' });
    show({ is: 'learning', done: 0, of: 0 });
    await idle();
    await reopen();
    const stopped = await embedMissing(signal, show);
    show(stopped ? { is: 'failed', code: why ?? stopped } : { is: 'on' });
  } catch (reason) {
    const { code } = faultOf(reason);
    show({ is: 'failed', code: code === 'connection_lost' ? 'not_loaded' : code });
  }
  if (signal.aborted || meaning.value.is !== 'on') return;
  if (asked) announce(t('meaning.on'));
  again.value++;
}

/**
 * Embeds the memories without a vector, continuing earlier visits. Returns why it stopped early, if
 * so.
 */
async function embedMissing(signal: AbortSignal, show: (next: Meaning) => void): Promise<string | undefined> {
  const showProgress = (waiting: number) => {
    const of = Math.max(current.value.length, waiting);
    show({ is: 'learning', done: of - waiting, of });
  };
  for (;;) {
    try {
      showProgress((await engine.model.reembed({ maxTexts: 0, signal })).waiting);
      for (;;) {
        const { waiting, failed, stopped } = await engine.model.reembed({ maxTexts: STEP, signal });
        showProgress(waiting);
        if (stopped || waiting <= failed) return stopped;
      }
    } catch (reason) {
      // A changed setting has reopened the store: continue there.
      if (signal.aborted || faultOf(reason).code !== 'closed') throw reason;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      await idle();
    }
  }
}

/** Stops the encoder and deletes its files. */
export async function forget(): Promise<void> {
  const wasOpen = meaning.value.is !== 'loading';
  stop.abort();
  meaning.value = { is: 'off' };
  cacheProblem.value = undefined;
  save({ meaning: 'declined' });
  offered.value = false;
  await thread.meaning.remove();
  if (!wasOpen) return;
  await idle();
  await reopen();
  again.value++;
}

/** Hides the offer below searches permanently. */
export function decline(): void {
  offered.value = false;
  save({ meaning: 'declined' });
}

/**
 * On a later visit: loads the cached files. If the browser has dropped them, only a click downloads
 * them again.
 */
export async function begin(): Promise<void> {
  if (saved.meaning !== 'on') return;
  if (await thread.meaning.stored().catch(() => false)) await loadEncoder(false);
  else meaning.value = { is: 'failed', code: 'not_stored' };
}
