// What every page of the extension has: its state as the worker tells it, the language, and the line that is read aloud.
import { signal, useSignalEffect } from '@preact/signals';
import { render, type ComponentChildren } from 'preact';
import { faultOf } from '../../../shared/actions';
import { hear } from '../../../shared/engine';
import { keptBy } from '../../../shared/forbidden';
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

/** Milliseconds for which news are gathered, and between two looks at what is written on and on. */
const GATHERED = 25;
const BETWEEN = 400;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setTimeout> | undefined;
let last = 0;

const WORKER = chrome.runtime.getURL('worker.js');
chrome.runtime.onMessage.addListener((message: unknown, { id, url }) => {
  // A script in Gmail's page can send messages too: news are the worker's alone to tell.
  if (id !== chrome.runtime.id || url !== WORKER || !isNews(message)) return;
  if (message.news.length > 0) hear(message.news);
  timer ??= setTimeout(() => {
    [timer, last] = [undefined, Date.now()];
    for (const listener of listeners) listener();
  }, Math.max(GATHERED, last + BETWEEN - Date.now()));
});
chrome.storage.local.onChanged.addListener((changes) => {
  if ('import' in changes || 'loss' in changes || 'missing' in changes) void look();
  if ('settings' in changes) void learnList();
});

/** Calls back whenever something was written, or what is told beside the memories is another. */
export function onNews(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
onNews(() => void look());

/** Names of senders, and the list of what is never remembered. */
async function learnList(): Promise<void> {
  const { ignorePeople: people, ignoreTopics: topics } = await own.settings();
  keptBy({ people, topics }, own.never);
}
const learnAll = (): void => {
  void own.names().then((found) => learnNames(Object.entries(found)), () => undefined);
};
onNews(learnAll);

export const Brand = () => (
  <span class="brand">
    <Mark />
    <strong>memfold</strong>
  </span>
);

/** A page of one column: the brand, the switches and what it says. */
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
