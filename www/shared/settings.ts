// Settings in localStorage. If storage is blocked, they last as long as the page.
import { signal } from '@preact/signals';
import { tidied, type Never } from './never';
import { unfinished, type Unfinished } from './state';

export type Theme = 'system' | 'light' | 'dark';
type Saved = {
  lang?: 'en' | 'ko';
  theme?: Theme;
  mode?: 'fast' | 'balanced';
  owner?: string[];
  /** Whether only answers about mailboxes have set the owner. */
  told?: boolean;
  /** Owners that mailboxes suggested when the reader was asked; empty if none. */
  answered?: string[];
  /** The imported samples. */
  samples?: ('en' | 'ko')[];
  unfinished?: Unfinished | undefined;
  endpoint?: unknown;
  /** The "Never remember" list. */
  never?: Never;
  /** Whether the encoder is used, or its offer was declined. */
  meaning?: 'on' | 'declined' | undefined;
};

const KEY = 'memfold-demo';

function read(): Saved {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    const { lang, theme, mode, owner, told, answered, samples, endpoint, meaning, never, unfinished: left } = value as Record<string, unknown>;
    return {
      ...(lang === 'en' || lang === 'ko' ? { lang } : {}),
      ...(theme === 'light' || theme === 'dark' ? { theme } : {}),
      ...(mode === 'fast' || mode === 'balanced' ? { mode } : {}),
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(meaning === 'on' || meaning === 'declined' ? { meaning } : {}),
      ...(isNever(never) ? { never: tidied(never) } : {}),
      ...(isUnfinished(left) ? { unfinished: left } : {}),
      ...(Array.isArray(owner) ? { owner: texts(owner) } : {}),
      ...(told === true ? { told } : {}),
      ...(Array.isArray(answered) ? { answered: texts(answered) } : {}),
      ...(Array.isArray(samples) ? { samples: samples.filter((s) => s === 'en' || s === 'ko') } : {}),
    };
  } catch {
    return {};
  }
}

const texts = (list: readonly unknown[]): string[] => list.filter((a): a is string => typeof a === 'string');

function isNever(value: unknown): value is Never {
  const { people, topics } = (value ?? {}) as Record<string, unknown>;
  return [people, topics].every((list) => Array.isArray(list) && texts(list).length === list.length);
}

function isUnfinished(value: unknown): value is Unfinished {
  const { name, size, modified, next, after = 0 } = (value ?? {}) as Record<string, unknown>;
  const { bytes, mails } = (next ?? {}) as Record<string, unknown>;
  const whole = (n: unknown) => Number.isSafeInteger(n) && (n as number) >= 0;
  return typeof name === 'string' && [size, modified, bytes, mails, after].every(whole);
}

export const saved: Saved = read();
unfinished.value = saved.unfinished ?? null;

export function save(change: Saved): void {
  Object.assign(saved, change);
  try {
    localStorage.setItem(KEY, JSON.stringify(saved));
  } catch {
    // Blocked storage: the choice still holds for this page.
  }
}

/** Stores or clears the progress of an import. */
export function keepUnfinished(next: Unfinished | null): void {
  unfinished.value = next;
  save({ unfinished: next ?? undefined });
}

export const theme = signal<Theme>(saved.theme ?? 'system');
export const mode = signal<'fast' | 'balanced'>(saved.mode ?? 'balanced');
export const owner = signal<string[]>(saved.owner ?? []);

/**
 * Stores the owner, and whether only answers about mailboxes have set it; then it is cleared with
 * the mails.
 */
export function keepOwner(addresses: string[], told: boolean): void {
  owner.value = addresses;
  save({ owner: addresses, told });
}

export function paint(next: Theme): void {
  theme.value = next;
  save({ theme: next });
  if (next === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}

export const systemIsDark = signal(matchMedia('(prefers-color-scheme: dark)').matches);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (e) => {
  systemIsDark.value = e.matches;
});
