import { Button, CloseButton } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { useT } from '../i18n/use-t.tsx';
import { Icon } from './icon.tsx';
import css from './toast.module.css';

interface Toast {
  id: number;
  tone: 'ok' | 'bad';
  text: string;
  undo?: () => void;
}

let toasts: Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function publish(next: Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  publish(toasts.filter((toast) => toast.id !== id));
}

/** Says something in the corner; with `undo`, offers to take it back. */
export function toast(
  text: string,
  options: { tone?: 'ok' | 'bad'; undo?: () => void } = {},
): void {
  const made: Toast = { id: nextId++, tone: options.tone ?? 'ok', text };
  if (options.undo) made.undo = options.undo;
  publish([...toasts.slice(-3), made]);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className={css.toasts} role="status" aria-live="polite">
      {shown.map((one) => (
        <ToastLine key={one.id} toast={one} />
      ))}
    </div>
  );
}

function ToastLine(props: { toast: Toast }) {
  const { id, text, tone, undo } = props.toast;
  const { common } = useT();
  useEffect(() => {
    const timer = window.setTimeout(() => dismiss(id), undo || tone === 'bad' ? 9_000 : 4_000);
    return () => window.clearTimeout(timer);
  }, [id, tone, undo]);
  return (
    <div className={css.toast} data-tone={tone}>
      <Icon name={tone === 'ok' ? 'check' : 'warn'} />
      <span className={css.toastText}>{text}</span>
      {undo ? (
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            dismiss(id);
            undo();
          }}
        >
          {common.undo}
        </Button>
      ) : null}
      <CloseButton size="sm" aria-label={common.close} onClick={() => dismiss(id)} />
    </div>
  );
}
