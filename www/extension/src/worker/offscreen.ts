// The offscreen document, in which Chrome's own model and the encoder run: a service worker can run neither.
const PLACE = 'offscreen.html';
let making: Promise<void> | undefined;

/** Creates the document unless it is there. */
export async function place(): Promise<void> {
  const there = await chrome.runtime.getContexts({ contextTypes: ['OFFSCREEN_DOCUMENT' as chrome.runtime.ContextType] });
  if (there.length > 0) return;
  making ??= chrome.offscreen
    .createDocument({ url: PLACE, reasons: ['WORKERS' as chrome.offscreen.Reason], justification: 'Runs the encoder and asks Chrome’s built-in model, which a service worker cannot.' })
    .finally(() => (making = undefined));
  await making;
}

/** Closes it. */
export const leave = (): Promise<void> => chrome.offscreen.closeDocument().catch(() => undefined);
