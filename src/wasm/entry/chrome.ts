// Chrome's built-in model (the Prompt API) as an analyst. It runs on the device, so nothing is sent out. Workers cannot
// call it directly; they need a page, side panel or offscreen document.
import { invalid } from './arguments.js';
import { MemfoldError } from './error.js';
import type { Signal } from './host.js';
import { Refusal, type Question, type SpokenAnalyst, type SpokenReply } from './model.js';

/** The state of the model on this device. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

/** Options for the built-in model. */
export interface ChromeOptions {
  /** Output languages to declare to Chrome; `['en']` by default. Input may be in any language. */
  languages?: string[];
  /** Whether the first question may download the model. Otherwise a question is refused until the model is available. */
  download?: boolean;
}

type Turn = { role: 'system' | 'user' | 'assistant'; content: string };
type Spoken = { expectedOutputs: { type: 'text'; languages: string[] }[] };
interface Session {
  prompt(text: string, options: { responseConstraint: object; signal: Signal }): Promise<string>;
  inputUsage?: number;
  contextUsage?: number;
  destroy(): void;
}
interface LanguageModel {
  availability(options: Spoken): Promise<Availability>;
  create(options: Spoken & { initialPrompts?: Turn[]; signal?: Signal; monitor?: (monitor: EventTarget) => void }): Promise<Session>;
}

const builtIn = () => (globalThis as { LanguageModel?: LanguageModel }).LanguageModel;

function spoken({ languages = ['en'] }: ChromeOptions): Spoken {
  if (!Array.isArray(languages) || !languages.every((one) => typeof one === 'string')) throw invalid('languages', 'is not a list of languages');
  return { expectedOutputs: [{ type: 'text', languages }] };
}

/** Returns the state of the model, without a download. */
export async function availability(options: ChromeOptions = {}): Promise<Availability> {
  return (
    (await builtIn()
      ?.availability(spoken(options))
      .catch(() => 'unavailable' as const)) ?? 'unavailable'
  );
}

/**
 * Downloads the model, which all sites share; Chrome requires a user gesture. Rejects with `unsupported` if the browser
 * or device cannot run it, with `aborted`, or with `connection_lost` if the download fails.
 */
export async function download({
  onProgress,
  signal,
  ...options
}: ChromeOptions & { onProgress?: (part: number) => void; signal?: Signal } = {}): Promise<void> {
  const model = builtIn();
  if (!model || (await availability(options)) === 'unavailable')
    throw new MemfoldError('unsupported', 'this browser has no built-in model, or it cannot run on this device');
  const told = (event: Event) => onProgress?.((event as ProgressEvent).loaded);
  try {
    const session = await model.create({
      ...spoken(options),
      ...(signal && { signal }),
      monitor: (monitor) => monitor.addEventListener('downloadprogress', told),
    });
    session.destroy();
  } catch (error) {
    if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
    throw new MemfoldError('connection_lost', `the built-in model could not be downloaded: ${(error as Error | undefined)?.message ?? error}`, {
      retryable: true,
      cause: error,
    });
  }
}

/** Wraps the built-in model as an analyst. Each question runs in its own session. */
export function analyst(options: ChromeOptions = {}): SpokenAnalyst {
  const says = spoken(options);
  const ask = async (
    { system, examples, text, schema }: Pick<Question, 'system' | 'examples' | 'text' | 'schema'>,
    { signal }: { signal: Signal },
  ): Promise<SpokenReply> => {
    const model = builtIn();
    // The model may become available later.
    if (!model || (!options.download && (await availability(options)) !== 'available')) throw new Refusal('unreachable');
    const shown = examples.flatMap((e): Turn[] => [
      { role: 'user', content: e.text },
      { role: 'assistant', content: e.reply },
    ]);
    const session = await model.create({ ...says, initialPrompts: [{ role: 'system', content: system }, ...shown], signal });
    try {
      const said = await session.prompt(text, { responseConstraint: schema, signal });
      return { text: said, tokens: Math.round(session.contextUsage ?? session.inputUsage ?? 0) };
    } finally {
      session.destroy();
    }
  };
  return Object.assign(ask, { model: 'LanguageModel', form: 'short' as const });
}

/** The name of port connections from an extension's service worker. */
const PORT = 'memfold/chrome';
type Port = {
  name: string;
  sender?: { id?: string; tab?: object };
  postMessage(message: object): void;
  disconnect(): void;
  onMessage: { addListener(heard: (message: any) => void): void };
  onDisconnect: { addListener(gone: () => void): void };
};
type Extension = {
  runtime: { id: string; connect(info: { name: string }): Port; onConnect: { addListener(met: (port: Port) => void): void }; lastError?: object };
  offscreen?: { hasDocument(): Promise<boolean>; createDocument(how: { url: string; reasons: string[]; justification: string }): Promise<void> };
};
const extension = () => (globalThis as unknown as { chrome?: Extension }).chrome;

/** Call this in an extension's offscreen document, or another of its pages: answers the questions of its service worker. */
export function answerWorker(options: ChromeOptions = {}): void {
  const { runtime } = extension() ?? {};
  if (!runtime) throw new MemfoldError('unsupported', 'this page does not belong to an extension');
  const ask = analyst(options);
  runtime.onConnect.addListener((port) => {
    if (port.name !== PORT || port.sender?.id !== runtime.id || port.sender.tab) return;
    const stop = new AbortController();
    port.onDisconnect.addListener(() => stop.abort());
    port.onMessage.addListener(async (question: Question) => {
      const reply = await ask(question, stop).catch((error: { refusal?: string }) => ({ refusal: error.refusal ?? 'failed' }));
      if (!stop.signal.aborted) port.postMessage(reply);
    });
  });
}

/**
 * Call this in an extension's service worker: asks the model through an offscreen document at `url`, which calls
 * `answerWorker()`. The document is created when needed; the manifest needs the `offscreen` permission.
 */
export function offscreenAnalyst({ url }: { url: string }): SpokenAnalyst {
  let making: Promise<void> | undefined;
  const made = async ({ offscreen }: Extension) => {
    if (!offscreen) throw new Refusal('unreachable');
    if (await offscreen.hasDocument()) return;
    making ??= offscreen.createDocument({ url, reasons: ['WORKERS'], justification: 'asks the built-in language model, which a service worker cannot' });
    await making.finally(() => (making = undefined));
  };
  const ask = async ({ system, examples, text, schema }: Question, { signal }: { signal: Signal }): Promise<SpokenReply> => {
    const host = extension();
    if (!host) throw new Refusal('unreachable');
    await made(host);
    return new Promise((resolve, reject) => {
      const port = host.runtime.connect({ name: PORT });
      const end = (work: () => void) => (port.disconnect(), work());
      port.onDisconnect.addListener(() => (void host.runtime.lastError, reject(new Refusal('unreachable'))));
      port.onMessage.addListener(({ refusal, ...reply }: SpokenReply & { refusal?: string }) =>
        end(() => (refusal ? reject(new Refusal(refusal)) : resolve(reply))),
      );
      signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true });
      port.postMessage({ system, examples, text, schema });
    });
  };
  return Object.assign(ask, { model: 'LanguageModel', form: 'short' as const });
}
