// The frame of the extension's pages: status from the worker, language and live region.
import { signal, useSignalEffect } from '@preact/signals';
import { render, type ComponentChildren } from 'preact';
import { faultOf } from '../../../shared/actions';
import { emitChanges } from '../../../shared/engine';
import { initNeverList } from '../../../shared/forbidden';
import { lang } from '../../../shared/i18n';
import { learnNames } from '../../../shared/mails';
import { Mark } from '../../../shared/parts/icon';
import { Live, Switches } from '../../../shared/parts/shell';
import { Toasts } from '../../../shared/parts/toast';
import type { Fault } from '../../../shared/state';
import { isNews, type Status } from '../messages';
import { own } from './client';
import { reachGmail } from './gmail-link';
import '../../../shared/styles/index.css';
import './pages.css';

export const status = signal<Status | null>(null);
export const trouble = signal<Fault | null>(null);

export async function look(): Promise<void> {
  try {
    status.value = await own.status();
    const fault = status.value.fault;
    trouble.value = fault && { code: fault.code, message: fault.message };
  } catch (reason) {
    trouble.value = faultOf(reason);
  }
}

/** Milliseconds to collect changes, and between two updates during continuous changes. */
const GATHERED = 25;
const BETWEEN = 400;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let last = 0;

const WORKER = chrome.runtime.getURL('worker.js');
chrome.runtime.onMessage.addListener((message: unknown, { id, url }) => {
  // A script in Gmail's page can send messages too; only the worker's are accepted.
  if (id !== chrome.runtime.id || url !== WORKER || !isNews(message)) return;
  if (message.news.length > 0) emitChanges(message.news);
  if (timer !== undefined) return;
  timer = setTimeout(
    () => {
      timer = undefined;
      last = Date.now();
      for (const listener of listeners) listener();
    },
    Math.max(GATHERED, last + BETWEEN - Date.now()),
  );
});
chrome.storage.local.onChanged.addListener((changes) => {
  if ('import' in changes || 'loss' in changes || 'missing' in changes) void look();
  if ('settings' in changes) void learnList();
});

/** Calls back after a write or another change. */
export function onNews(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
onNews(() => void look());

/** Loads the names of senders and the "Never remember" list. */
async function learnList(): Promise<void> {
  const { ignorePeople: people, ignoreTopics: topics } = await own.settings();
  initNeverList({ people, topics }, own.never);
}
const learnAll = (): void => {
  void own.names().then(
    (found) => learnNames(Object.entries(found)),
    () => undefined,
  );
};
onNews(learnAll);

export const Brand = () => (
  <span class="brand">
    <Mark />
    <strong>memfold</strong>
  </span>
);

/** A single-column page with brand and switches. */
export function Page({ title, children }: { title: string; children: ComponentChildren }) {
  useSignalEffect(() => {
    document.documentElement.lang = lang.value;
  });
  document.title = `${title} · memfold`;
  return (
    <>
      <header class="page-head">
        <Brand />
        <Switches />
      </header>
      <main id="main" class="page">
        {children}
      </main>
      <Toasts />
      <Live />
    </>
  );
}

export function show(page: preact.JSX.Element): void {
  reachGmail();
  learnAll();
  void learnList().catch(() => undefined);
  render(page, document.getElementById('app') as HTMLElement);
  void look();
}
