// The search box of Today and Search. Ctrl+K or ⌘K focuses it from any view.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../i18n';
import { goTo } from '../router';
import { text } from '../searched';
import { Icon } from './icon';

const BOX = 'main input[name=q]';
/** Frames to wait for the box after its view is opened. */
const FRAMES = 20;

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);
const KEYS = isApple ? '⌘K' : 'Ctrl K';

function focusBox(frames = FRAMES): void {
  const box = document.querySelector<HTMLInputElement>(BOX);
  if (box) {
    box.focus();
    box.select();
  } else if (frames > 0) requestAnimationFrame(() => focusBox(frames - 1));
}

/** Registers the keyboard shortcut while mounted. */
export function useAskKeys(): void {
  useEffect(() => {
    const pressed = (e: KeyboardEvent) => {
      if (e.key.toLowerCase() !== 'k' || !(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || document.querySelector('dialog[open]')) return;
      e.preventDefault();
      if (!document.querySelector(BOX)) goTo('today');
      focusBox();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

export const AskBox = ({ onAsk, children }: { onAsk(question: string): void; children?: ComponentChildren }) => (
  <form
    class="search"
    role="search"
    onSubmit={(e) => {
      e.preventDefault();
      if (text.value.trim()) onAsk(text.value);
    }}
  >
    <div class="search-bar">
      <label class="search-field">
        <Icon name="search" />
        <span class="unseen">{t('search.label')}</span>
        <input
          type="search"
          name="q"
          data-keeps-focus
          value={text.value}
          maxLength={2000}
          placeholder={t('search.placeholder')}
          aria-keyshortcuts="Control+K Meta+K"
          autocomplete="off"
          onInput={(e) => (text.value = e.currentTarget.value)}
        />
        <kbd aria-hidden="true">{KEYS}</kbd>
      </label>
      <button type="submit" class="button button-primary">
        {t('search.go')}
      </button>
    </div>
    {children}
  </form>
);
