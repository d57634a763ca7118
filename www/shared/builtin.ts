// The browser's built-in model. The first question downloads it, as the owner was told.
import { analyst, availability } from 'memfold/chrome';

/** Whether this browser has a built-in model. */
export const hasBuiltIn = 'LanguageModel' in globalThis;

/** Whether the model is available, can be downloaded, or cannot run on this device. */
export const builtInState = () => availability();

/** Asks the built-in model one question. */
export const askBuiltIn = analyst({ download: true });
