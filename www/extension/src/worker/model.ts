// Chrome's own model as the analyst, where there is one. It lives in a document, not in a worker: it is asked in one that nobody sees,
// so that it answers while only Gmail is open. The question goes nowhere else.
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
    // Chrome may have taken it away meanwhile.
    await place().catch(() => undefined);
    const answer = await ask({ model: { system, text, schema, examples } }).catch(() => undefined);
    if (!answer || !('text' in answer)) throw Object.assign(new Error('the model gave no answer'), { refusal: 'unreachable' });
    return answer;
  };
}
