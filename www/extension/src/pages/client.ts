// The pages' side of the engine, in place of the demo's own worker: every verb is a message to the service worker, which a
// message also wakes. It keeps nothing.
import { EngineError } from '../../../demo/src/engine/error';
import type { Engine, Event, Verb } from '../../../demo/src/engine/protocol';
import type { FromPage, ToPage } from '../messages';
import type { Own } from '../worker/verbs';

type Options = { signal?: AbortSignal; onEvent?: (event: Event) => void };
/** Reading twice does no harm, so a reading that was cut off is asked again. */
const READING = /^(open|search|list|history|related|links|log|analytics|previewDelete|reviews|diff|check|status|thread|settings)$/;
const TRIES = 4;

async function said(ask: string, args: unknown[]): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    let answer: ToPage | undefined;
    try {
      answer = (await chrome.runtime.sendMessage({ ask, args } satisfies FromPage)) as ToPage | undefined;
      if (!answer) throw new Error('the worker gave no answer');
    } catch (reason) {
      if (READING.test(ask) && tries < TRIES) {
        await new Promise((resolve) => setTimeout(resolve, 100 * tries));
        continue;
      }
      throw new EngineError({ code: 'engine_stopped', message: String(reason), retryable: true });
    }
    if ('fault' in answer) throw new EngineError(answer.fault);
    return answer.value;
  }
}

/** Entries of the log that are read at once; what is older is found by the log's own filters. */
const MOST_ENTRIES = 500;

/** Calls one verb of the engine. */
export const ask = <V extends Verb>(verb: V, args: Parameters<Engine[V]>, _: Options = {}): Promise<ReturnType<Engine[V]>> =>
  said(verb, verb === 'log' ? [{ limit: MOST_ENTRIES, ...(args[0] as object) }] : args) as Promise<ReturnType<Engine[V]>>;

/** Calls a verb that concerns the extension. */
export const own = <V extends keyof Own>(verb: V, ...args: Parameters<Own[V]>): Promise<ReturnType<Own[V]>> =>
  said(verb, args) as Promise<ReturnType<Own[V]>>;
