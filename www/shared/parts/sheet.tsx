// The details of a list line: inline or, on a phone, as a sheet over the page.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../i18n';
import { Icon } from './icon';

const narrow = matchMedia('(width < 48rem)');
const isNarrow = signal(narrow.matches);
narrow.addEventListener('change', (e) => (isNarrow.value = e.matches));

/** `line` repeats the opened line, which the sheet covers. */
type Props = { label: string; line: ComponentChildren; children: ComponentChildren; onClose(): void };

export const Sheet = (props: Props) => (isNarrow.value ? <Dialog {...props} /> : <div class="sheet-place">{props.children}</div>);

function Dialog({ label, line, children, onClose }: Props) {
  const frame = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => frame.current?.showModal(), []);
  return (
    <dialog class="sheet" ref={frame} aria-label={label} onClose={onClose} onClick={(e) => e.target === frame.current && frame.current?.close()}>
      <div class="sheet-inner">
        <header class="sheet-head">
          <p>{label}</p>
          <button type="button" class="button button-icon" aria-label={t('common.close')} onClick={() => frame.current?.close()}>
            <Icon name="DELETE" size={18} />
          </button>
        </header>
        <p class="sheet-line">{line}</p>
        {children}
      </div>
    </dialog>
  );
}
