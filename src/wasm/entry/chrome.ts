// Chrome's built-in model (the Prompt API) as an analyst: it runs on this device, and nothing leaves it. A page, a side panel or an
// offscreen document can ask it; a worker cannot, and asks through one of those.
import { invalid } from './arguments.js';
import { MemfoldError } from './error.js';
import type { Signal } from './host.js';
import { Refusal, type Question, type SpokenAnalyst, type SpokenReply } from './model.js';

/** Whether the model is there, can be fetched, is being fetched, or cannot run on this device. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

/** How the model is asked. */
export interface ChromeOptions {
  /** Languages of what it writes, as Chrome wants to be told; `['en']` where absent. What it reads may be in any. */
  languages?: string[];
  /** Whether the first question may fetch a model that is not there yet; without it such a question is refused. */
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

/** Whether the model is there. Nothing is fetched. */
export async function availability(options: ChromeOptions = {}): Promise<Availability> {
  return (await builtIn()?.availability(spoken(options)).catch(() => 'unavailable' as const)) ?? 'unavailable';
}

/**
 * Fetches the model, which Chrome shares among all sites; Chrome wants a click of the user's for that. Rejects with `unsupported`
 * where this browser or device has none, with `aborted`, and with `connection_lost` where it could not be fetched.
 */
export async function download({ onProgress, signal, ...options }: ChromeOptions & { onProgress?: (part: number) => void; signal?: Signal } = {}): Promise<void> {
  const model = builtIn();
  if (!model || (await availability(options)) === 'unavailable') throw new MemfoldError('unsupported', 'this browser has no built-in model, or it cannot run on this device');
  const told = (event: Event) => onProgress?.((event as ProgressEvent).loaded);
  try {
    const session = await model.create({ ...spoken(options), ...(signal && { signal }), monitor: (monitor) => monitor.addEventListener('downloadprogress', told) });
    session.destroy();
  } catch (error) {
    if (signal?.aborted) throw new MemfoldError('aborted', 'the caller aborted', { cause: signal.reason });
    throw new MemfoldError('connection_lost', `the built-in model could not be fetched: ${(error as Error | undefined)?.message ?? error}`, { retryable: true, cause: error });
  }
}

/** The built-in model as an analyst. Each question is a session of its own. */
export function analyst(options: ChromeOptions = {}): SpokenAnalyst {
  const says = spoken(options);
  const ask = async ({ system, examples, text, schema }: Pick<Question, 'system' | 'examples' | 'text' | 'schema'>, { signal }: { signal: Signal }): Promise<SpokenReply> => {
    const model = builtIn();
    // Later it may be there: the question waits.
    if (!model || (!options.download && (await availability(options)) !== 'available')) throw new Refusal('unreachable');
    const shown = examples.flatMap((e): Turn[] => [{ role: 'user', content: e.text }, { role: 'assistant', content: e.reply }]);
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

/** The name of the connections of an extension's service worker. */
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

/** In a document of an extension (an offscreen one, so that it is there while nothing else of it is open): answers its service worker. */
export function answerWorker(options: ChromeOptions = {}): void {
  const { runtime } = extension() ?? {};
  if (!runtime) throw new MemfoldError('unsupported', 'this is no document of an extension');
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
 * In an extension's service worker: asks the model through an offscreen document at `url`, which calls `answerWorker()`. The
 * document is made when it is needed; the manifest names the permission `offscreen`.
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
      port.onMessage.addListener(({ refusal, ...reply }: SpokenReply & { refusal?: string }) => end(() => (refusal ? reject(new Refusal(refusal)) : resolve(reply))));
      signal.addEventListener('abort', () => end(() => reject(signal.reason)), { once: true });
      port.postMessage({ system, examples, text, schema });
    });
  };
  return Object.assign(ask, { model: 'LanguageModel', form: 'short' as const });
}
