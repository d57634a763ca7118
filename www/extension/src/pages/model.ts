// Chrome's built-in model, in a page: the worker's questions to it are answered while the page is open.
import type { FromModel, ToModel } from '../worker/model';

type Session = { prompt(text: string, options: object): Promise<string>; destroy(): void };
type BuiltIn = {
  availability(): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>;
  create(options: object): Promise<Session>;
};

const model = (): BuiltIn | undefined => (globalThis as { LanguageModel?: BuiltIn }).LanguageModel;

/** Whether this Chrome has a model, or can load one. */
export const hasModel = async (): Promise<boolean> => {
  const state = await model()?.availability().catch(() => 'unavailable');
  return state !== undefined && state !== 'unavailable';
};

/** Fetches the model's files where they are not there yet; Chrome wants a click for that. */
export async function prepare(): Promise<void> {
  (await model()?.create({}))?.destroy();
}

async function answer(question: Exclude<ToModel['model'], 'there?'>): Promise<string> {
  const built = model();
  if (!built) throw new Error('there is no model');
  const turns = question.examples.flatMap((e) => [
    { role: 'user', content: e.text },
    { role: 'assistant', content: e.reply },
  ]);
  const session = await built.create({ initialPrompts: [{ role: 'system', content: question.system }, ...turns], temperature: 0, topK: 1 });
  try {
    return await session.prompt(question.text, { responseConstraint: question.schema });
  } finally {
    session.destroy();
  }
}

/** Listens for the worker; any other sender gets no answer from here. */
export function answerModel(): void {
  if (!model()) return;
  chrome.runtime.onMessage.addListener((message: Partial<ToModel>, sender, reply: (answer: FromModel) => void) => {
    if (message.model === undefined || sender.id !== chrome.runtime.id || sender.tab || sender.url !== chrome.runtime.getURL('worker.js')) return false;
    const asked = message.model;
    void (async () => {
      if (asked === 'there?') reply({ there: await hasModel() });
      else reply({ text: await answer(asked).catch(() => '') });
    })();
    return true;
  });
}
