// The pages' side of the engine: every verb is a message to the service worker, which a message also wakes. It keeps nothing.
import { connect } from '../../../shared/engine';
import { EngineError } from '../../../shared/engine/error';
import { remote } from '../../../shared/engine/remote';
import { howOf } from '../asked';
import type { FromPage, ToPage } from '../messages';
import type { Own } from '../worker/verbs';

/** Verbs of the extension that do no harm when they are done twice. */
const READING = new Set(['open', 'status', 'thread', 'settings', 'names']);
const TRIES = 4;

/** What a message carries of it: a signal and functions stay behind, and the call goes on to its end. */
const carried = (arg: unknown): unknown =>
  typeof arg !== 'object' || arg === null || Array.isArray(arg)
    ? arg
    : Object.fromEntries(Object.entries(arg).filter(([, value]) => typeof value !== 'function' && !(value instanceof AbortSignal)));

async function said(ask: string, args: unknown[]): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    let answer: ToPage | undefined;
    try {
      answer = (await chrome.runtime.sendMessage({ ask, args: args.map(carried) } satisfies FromPage)) as ToPage | undefined;
      if (!answer) throw new Error('the worker gave no answer');
    } catch (reason) {
      // A reading that was cut off is asked again.
      if ((READING.has(ask) || howOf(ask) === 'reads') && tries < TRIES) {
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

connect((path, args) => {
  const verb = path.join('.');
  return said(verb, verb === 'data.log' ? [{ limit: MOST_ENTRIES, ...(args[0] as object) }] : args);
});

/** What concerns the extension. */
export const own = remote<Own>((path, args) => said(path.join('.'), args));
