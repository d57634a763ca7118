// Renders long lists in portions, so that the page stays responsive.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** The number of items rendered so far of `total`; grows by `some`. */
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
