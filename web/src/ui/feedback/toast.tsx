import { Button, CloseButton } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useT } from '../../i18n/use-t.tsx';
import { Icon } from '../icon.tsx';
import { JobLines } from './job.tsx';
import css from './toast.module.css';

interface ToastOptions {
  /** idle is neither good nor bad. */
  tone?: 'ok' | 'bad' | 'idle';
  /** The name of the subject, which may no longer be on the screen. */
  about?: string;
  /** Details, in small type. */
  detail?: string;
  undo?: () => void;
  /** An offered next step. */
  action?: { name: string; run: () => void };
}

interface Toast extends ToastOptions {
  id: number;
  text: string;
}

const icons = { ok: 'check', bad: 'warn', idle: 'info' } as const;

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

/** Shows a message at the bottom; `undo` offers to revert the change, `action` a next step. */
export function toast(text: string, options: ToastOptions = {}): void {
  publish([...toasts.slice(-3), { id: nextId++, text, ...options }]);
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
      <JobLines />
      {shown.map((one) => (
        <ToastLine key={one.id} toast={one} />
      ))}
    </div>
  );
}

function ToastLine(props: { toast: Toast }) {
  const { about, detail, id, text, tone = 'ok', undo } = props.toast;
  const { common } = useT();
  const action = undo ? { name: common.undo, run: undo } : props.toast.action;
  const isLong = action !== undefined || tone === 'bad';
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = window.setTimeout(() => dismiss(id), isLong ? 9_000 : 4_000);
    return () => window.clearTimeout(timer);
  }, [id, isHeld, isLong]);
  return (
    // The toast stays while it has the pointer or the focus.
    <div
      className={css.toast}
      data-tone={tone}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <Icon name={icons[tone]} />
      <div className={css.toastText}>
        {about ? (
          <>
            <bdi>{about}</bdi> ·{' '}
          </>
        ) : null}
        {text}
        {detail ? <div className={css.toastDetail}>{detail}</div> : null}
      </div>
      {action ? (
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            dismiss(id);
            action.run();
          }}
        >
          {action.name}
        </Button>
      ) : null}
      <CloseButton size="sm" aria-label={common.close} onClick={() => dismiss(id)} />
    </div>
  );
}
