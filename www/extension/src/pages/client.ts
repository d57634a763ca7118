// Calls the engine by messages to the service worker, which they also wake.
import { connect } from '../../../shared/engine';
import { EngineError } from '../../../shared/engine/error';
import { remote } from '../../../shared/engine/remote';
import { howOf } from '../asked';
import type { FromPage, ToPage } from '../messages';
import type { Own } from '../worker/verbs';

/** Operations of the extension that are safe to repeat. */
const READING = new Set(['open', 'status', 'thread', 'settings', 'names']);
const TRIES = 4;

/**
 * Prepares an argument for a message: signals and functions are dropped, so a call cannot be
 * aborted.
 */
const carried = (arg: unknown): unknown =>
  typeof arg !== 'object' || arg === null || Array.isArray(arg)
    ? arg
    : Object.fromEntries(Object.entries(arg).filter(([, value]) => typeof value !== 'function' && !(value instanceof AbortSignal)));

async function said(ask: string, args: unknown[]): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    let answer: ToPage | undefined;
    try {
      answer = (await chrome.runtime.sendMessage({ ask, args: args.map(carried) } satisfies FromPage)) as ToPage | undefined;
      if (!answer) throw new Error('the worker did not answer');
    } catch (reason) {
      // An interrupted read is repeated.
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

/** Log entries read at once; filters find older ones. */
const MOST_ENTRIES = 500;

connect((path, args) => {
  const verb = path.join('.');
  return said(verb, verb === 'log.list' ? [{ limit: MOST_ENTRIES, ...(args[0] as object) }] : args);
});

/** The extension's own operations. */
export const own = remote<Own>((path, args) => said(path.join('.'), args));
