// The browser's own model, where it has one, as demo and extension ask it: whoever chose it has been told that the first question fetches it.
import { analyst, availability } from 'memfold/chrome';

/** Whether this browser knows of a model of its own. */
export const hasBuiltIn = 'LanguageModel' in globalThis;

/** Whether that model is there, can be fetched, or cannot run on this device. */
export const builtInState = () => availability();

/** Puts one question to it. */
export const askBuiltIn = analyst({ download: true });
