// Chrome's built-in model, in a document: its state, its download, and the worker's questions to it.
import type { Question } from 'memfold';
import { type Availability, download } from 'memfold/chrome';
import { askBuiltIn, builtInState, hasBuiltIn } from '../../../shared/builtin';
import type { FromModel, ToModel } from '../worker/model';

/** Milliseconds after which nobody waits for it any more. */
const PATIENCE = 60_000;

export type ModelState = Availability;
export const modelState = async (): Promise<ModelState> => (await builtInState()) ?? 'unavailable';

/** Whether this Chrome has a model, or can load one. */
export const hasModel = async (): Promise<boolean> => (await modelState()) !== 'unavailable';

/** Fetches the model's files where they are not there yet; Chrome wants a click for that. `onProgress` hears how much is there. */
export const prepare = (onProgress?: (share: number) => void): Promise<void> => download(onProgress && { onProgress });

/** Listens for the worker; any other sender gets no answer from here. */
export function answerModel(): void {
  if (!hasBuiltIn) return;
  chrome.runtime.onMessage.addListener((message: Partial<ToModel>, sender, reply: (answer: FromModel) => void) => {
    if (message.model === undefined || sender.id !== chrome.runtime.id || sender.tab || sender.url !== chrome.runtime.getURL('worker.js')) return false;
    const question = message.model;
    void (async () => {
      if (question === 'there?') return reply({ there: await hasModel() });
      const answer = await Promise.resolve(askBuiltIn(question as Question, { signal: AbortSignal.timeout(PATIENCE) })).catch(() => ({ text: '' }));
      return reply(answer as FromModel);
    })();
    return true;
  });
}
