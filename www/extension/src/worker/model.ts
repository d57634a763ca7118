// Chrome's own model as the analyst, where there is one. It lives in a page, not in a worker: it is asked while one of
// memfold's pages is open, and the question goes nowhere else.
import type { ModelAnalyst, Question } from 'memfold';

export type ToModel = { model: Pick<Question, 'system' | 'text' | 'schema' | 'examples'> | 'there?' };
export type FromModel = { text: string; tokens?: number } | { there: boolean };

const ask = (message: ToModel): Promise<FromModel | undefined> => chrome.runtime.sendMessage(message);

/** The analyst, if a page that can ask the model is open. */
export async function builtIn(): Promise<ModelAnalyst | undefined> {
  const there = await ask({ model: 'there?' }).catch(() => undefined);
  if (!there || !('there' in there) || !there.there) return undefined;
  return async ({ system, text, schema, examples }) => {
    const answer = await ask({ model: { system, text, schema, examples } }).catch(() => undefined);
    if (!answer || !('text' in answer)) throw Object.assign(new Error('no page is open'), { refusal: 'unreachable' });
    return answer;
  };
}
