// The browser's built-in model.
import { signal } from '@preact/signals';
import { analyst, availability, download } from 'memfold/chrome';
import { EngineError, faultOf } from './engine/error';

/** Whether this browser has a built-in model. */
export const hasBuiltIn = 'LanguageModel' in globalThis;

/** Whether the model is available, can be downloaded, or cannot run on this device. */
export const builtInState = () => availability();

/** The loaded share of the model while it is being downloaded, 0–1. */
export const loadedShare = signal<number | null>(null);

/** Downloads the model if this device lacks it. The browser requires a user gesture. */
export async function downloadBuiltIn(stop?: AbortSignal): Promise<void> {
  if ((await availability()) === 'available') return;
  loadedShare.value = 0;
  try {
    await download({ onProgress: (share) => (loadedShare.value = share), ...(stop && { signal: stop }) });
  } catch (reason) {
    const { code, message } = faultOf(reason);
    // These codes have other messages where the store is concerned.
    const own = code === 'connection_lost' ? 'not_loaded' : code === 'unsupported' ? 'no_built_in' : code;
    throw new EngineError({ code: own, message, retryable: own === 'not_loaded' });
  } finally {
    loadedShare.value = null;
  }
}

/** Asks the built-in model one question. */
export const askBuiltIn = analyst({ download: true });
