import { useEffect, useRef } from 'react';

/** A rejected form scrolls to its first wrong field and focuses it. */
export function useWrongField(error: unknown) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!error) return;
    const field = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
  }, [error]);
  return form;
}
