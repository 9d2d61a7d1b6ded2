import { useEffect, useRef } from 'react';

/** A form that was refused shows its first wrong field and puts the focus there. */
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
