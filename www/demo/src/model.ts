// The configured model: presets, its settings, and its key, which belongs to one origin.
import { signal } from '@preact/signals';
import type { Endpoint, ModelAnalyst, Question } from 'memfold';
import { askBuiltIn } from '../../shared/builtin';
import { save, saved } from '../../shared/settings';

type Preset = { label: string; dialect: Endpoint['dialect']; url: string; model: string; local?: boolean };

/** Presets of known providers; `builtin` is the browser's own model. */
export const PRESETS = {
  openai: { label: 'OpenAI', dialect: 'openai', url: 'https://api.openai.com/v1', model: 'gpt-4.1-mini' },
  anthropic: { label: 'Anthropic', dialect: 'anthropic', url: 'https://api.anthropic.com/v1', model: 'claude-haiku-4-5' },
  gemini: { label: 'Gemini', dialect: 'gemini', url: 'https://generativelanguage.googleapis.com/v1beta', model: 'gemini-2.5-flash' },
  ollama: { label: 'Ollama', dialect: 'openai', url: 'http://localhost:11434/v1', model: 'qwen3:8b', local: true },
  lmstudio: { label: 'LM Studio', dialect: 'openai', url: 'http://localhost:1234/v1', model: '', local: true },
  llamacpp: { label: 'llama.cpp', dialect: 'openai', url: 'http://localhost:8080/v1', model: 'default', local: true },
  vllm: { label: 'vLLM', dialect: 'openai', url: 'http://localhost:8000/v1', model: '', local: true },
  openrouter: { label: 'OpenRouter', dialect: 'openai', url: 'https://openrouter.ai/api/v1', model: 'openai/gpt-4.1-mini' },
  azure: { label: 'Azure OpenAI', dialect: 'openai', url: 'https://YOUR-RESOURCE.openai.azure.com/openai/v1', model: '' },
  builtin: { label: 'Chrome', dialect: 'openai', url: '', model: '', local: true },
} as const satisfies Record<string, Preset>;

export type PresetName = keyof typeof PRESETS;
export type Named = { preset: PresetName; url: string; model: string; mask: boolean; dailyTokens?: number | undefined };

/** The model in use, if any. */
export const named = signal<Named | undefined>(read(saved.endpoint));

function read(value: unknown): Named | undefined {
  const { preset, url, model, mask, dailyTokens } = (value ?? {}) as Record<string, unknown>;
  if (typeof preset !== 'string' || !Object.hasOwn(PRESETS, preset) || typeof url !== 'string' || typeof model !== 'string') return undefined;
  const budget = typeof dailyTokens === 'number' && Number.isSafeInteger(dailyTokens) && dailyTokens >= 0 ? { dailyTokens } : {};
  return { preset: preset as PresetName, url, model, mask: mask === true, ...budget };
}

/** The origin of a URL; undefined if invalid. */
export function originOf(url: string): string | undefined {
  try {
    const { origin, protocol } = new URL(url);
    return protocol === 'https:' || protocol === 'http:' ? origin : undefined;
  } catch {
    return undefined;
  }
}

const KEY = 'memfold-demo-key';
type Kept = { origin: string; key: string };

function kept(storage: Storage): Kept | undefined {
  try {
    const { origin, key } = JSON.parse(storage.getItem(KEY) ?? '{}') as Partial<Kept>;
    return typeof origin === 'string' && typeof key === 'string' ? { origin, key } : undefined;
  } catch {
    return undefined;
  }
}

/** The key stored for the origin of this URL. */
export function keyFor(url: string): { key: string; lasting: boolean } | undefined {
  const origin = originOf(url);
  for (const [storage, lasting] of [
    [sessionStorage, false],
    [localStorage, true],
  ] as const) {
    const found = kept(storage);
    if (found && found.origin === origin) return { key: found.key, lasting };
  }
  return undefined;
}

export function dropKey(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

/** Stores a key for a URL's origin: for this tab, or on this device. */
function keepKey(url: string, key: string, lasting: boolean): void {
  dropKey();
  const origin = originOf(url);
  if (key && origin) (lasting ? localStorage : sessionStorage).setItem(KEY, JSON.stringify({ origin, key } satisfies Kept));
}

const RETEST = 'memfold-demo-test';

/** Whether a test was requested before the page was reloaded. */
export function testIsDue(): boolean {
  const due = sessionStorage.getItem(RETEST) !== null;
  sessionStorage.removeItem(RETEST);
  return due;
}

/**
 * Stores the settings; undefined for no model. The page's policy only allows the origin set when it
 * was loaded.
 * Returns `true` if the page reloads for another origin.
 */
export function keep(next: Named | undefined, key: string, lasting: boolean, andTest = false): boolean {
  named.value = next;
  save({ endpoint: next });
  if (next && next.preset !== 'builtin') keepKey(next.url, key, lasting);
  else dropKey();
  const wanted = next && next.preset !== 'builtin' ? (originOf(next.url) ?? '') : '';
  if (wanted === '' || wanted === document.documentElement.dataset.asks || wanted === location.origin) return false;
  if (andTest) sessionStorage.setItem(RETEST, '1');
  location.reload();
  return true;
}

export function endpointOf({ preset, url, model }: Named): Endpoint {
  const key = keyFor(url)?.key;
  return { dialect: PRESETS[preset].dialect, url, model, ...(key ? { key } : {}) };
}

/** The model and its origin, for the list of sent requests. */
export function modelAndOrigin({ preset, url, model }: Named): { origin?: string; model: string } {
  const origin = preset === 'builtin' ? undefined : originOf(url);
  return { model: preset === 'builtin' ? 'LanguageModel' : model, ...(origin ? { origin } : {}) };
}

/** What to test: an endpoint, or the browser's own model. */
export const testTarget = (model: Named): Endpoint | ModelAnalyst => (model.preset === 'builtin' ? askBuiltIn : endpointOf(model));

let analyst: { of: string; ask: Promise<ModelAnalyst> } | undefined;

/** Answers a question of the engine from the page, whose policy limits the origin. */
export async function answer(question: Question, signal: AbortSignal): Promise<Awaited<ReturnType<ModelAnalyst>>> {
  const model = named.value;
  if (!model) throw new Error('no model is configured');
  if (model.preset === 'builtin') return askBuiltIn(question, { signal });
  const endpoint = endpointOf(model);
  const of = JSON.stringify(endpoint);
  if (analyst?.of !== of) analyst = { of, ask: import('memfold').then((memfold) => memfold.endpointAnalyst(endpoint)) };
  return (await analyst.ask)(question, { signal });
}
