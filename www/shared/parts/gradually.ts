// Long lists come a few at a time, so that the page answers between them: what is in sight first, the rest before anybody gets there.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** How many of `total` are drawn by now, `some` more each time. */
export function useGradually(total: number, some: number): number {
  const drawn = useSignal(some);
  const now = drawn.value;
  useEffect(() => {
    if (now >= total) return;
    const next = setTimeout(() => (drawn.value = now + some));
    return () => clearTimeout(next);
  }, [now, total]);
  return Math.min(now, total);
}
