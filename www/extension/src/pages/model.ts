// Chrome's built-in model in a document: its state and the worker's questions.
import type { Question } from 'memfold';
import type { Availability } from 'memfold/chrome';
import { askBuiltIn, builtInState, hasBuiltIn } from '../../../shared/builtin';
import type { FromModel, ToModel } from '../worker/model';

/** Milliseconds until a question times out. */
const PATIENCE = 60_000;

export type ModelState = Availability;
export const modelState = async (): Promise<ModelState> => (await builtInState()) ?? 'unavailable';

/** Whether this Chrome has a model or can download one. */
export const hasModel = async (): Promise<boolean> => (await modelState()) !== 'unavailable';

/** Answers only the service worker. */
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
