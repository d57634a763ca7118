// Chrome's built-in model as the analyst, called in the offscreen document, so that it works while
// only Gmail is open.
import type { ModelAnalyst, Question } from 'memfold';
import { place } from './offscreen';

export type ToModel = { model: Pick<Question, 'system' | 'text' | 'schema' | 'examples'> | 'there?' };
export type FromModel = { text: string; tokens?: number } | { there: boolean };

const ask = (message: ToModel): Promise<FromModel | undefined> => chrome.runtime.sendMessage(message);

/** The analyst, if Chrome has a model. */
export async function builtIn(): Promise<ModelAnalyst | undefined> {
  await place().catch(() => undefined);
  const there = await ask({ model: 'there?' }).catch(() => undefined);
  if (!there || !('there' in there) || !there.there) return undefined;
  return async ({ system, text, schema, examples }) => {
    // Chrome may have closed the document.
    await place().catch(() => undefined);
    const answer = await ask({ model: { system, text, schema, examples } }).catch(() => undefined);
    if (!answer || !('text' in answer)) throw Object.assign(new Error('the model did not answer'), { refusal: 'unreachable' });
    return answer;
  };
}
