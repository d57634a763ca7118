// The browser's own model (the Prompt API), where it has one: a page can ask it, a worker cannot. Nothing leaves the device.
import type { ModelAnalyst } from 'memfold';

type Turn = { role: 'system' | 'user' | 'assistant'; content: string };
type Session = {
  prompt(text: string, options: { responseConstraint: object; signal: AbortSignal }): Promise<string>;
  inputUsage?: number;
  contextUsage?: number;
  destroy(): void;
};
/** The browser wants to be told; what it writes of Korean mail is read all the same. */
const SPOKEN = { expectedOutputs: [{ type: 'text', languages: ['en'] }] };
type BuiltIn = {
  availability(options: typeof SPOKEN): Promise<'unavailable' | 'downloadable' | 'downloading' | 'available'>;
  create(options: typeof SPOKEN & { initialPrompts: Turn[]; signal: AbortSignal }): Promise<Session>;
};
const builtIn = (): BuiltIn | undefined => (globalThis as { LanguageModel?: BuiltIn }).LanguageModel;

/** Whether this browser knows of a model of its own. */
export const hasBuiltIn = builtIn() !== undefined;

/** Whether that model is there, can be fetched, or cannot run on this device. */
export const builtInState = () => builtIn()?.availability(SPOKEN).catch(() => 'unavailable' as const);

/** Puts one question to it. */
export const askBuiltIn: ModelAnalyst = async (question, { signal }) => {
  const model = builtIn();
  if (!model) throw new Error('LanguageModel is not there');
  const shown = question.examples.flatMap((e): Turn[] => [{ role: 'user', content: e.text }, { role: 'assistant', content: e.reply }]);
  const session = await model.create({ ...SPOKEN, initialPrompts: [{ role: 'system', content: question.system }, ...shown], signal });
  try {
    const text = await session.prompt(question.text, { responseConstraint: question.schema, signal });
    return { text, tokens: Math.round(session.contextUsage ?? session.inputUsage ?? 0) };
  } finally {
    session.destroy();
  }
};
