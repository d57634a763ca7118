// The offscreen document for Chrome's model and the encoder, which a service worker cannot run.
const PLACE = 'offscreen.html';
let making: Promise<void> | undefined;

/** Creates the document if needed. */
export async function place(): Promise<void> {
  const there = await chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT' as chrome.runtime.ContextType] });
  if (there.length > 0) return;
  making ??= chrome.offscreen
    .createDocument({
      url: PLACE,
      reasons: ['WORKERS' as chrome.offscreen.Reason],
      justification: 'Runs the encoder and asks Chrome’s built-in model, which a service worker cannot.',
    })
    .finally(() => (making = undefined));
  await making;
}

/** Closes the document. */
export const leave = (): Promise<void> => chrome.offscreen.closeDocument().catch(() => undefined);
