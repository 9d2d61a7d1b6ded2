import { useSyncExternalStore } from 'react';

/** What the browser can tell the user about while they look elsewhere. */
export const notifyKinds = ['critical', 'alerts', 'waiting', 'mine'] as const;
export type NotifyKind = (typeof notifyKinds)[number];

const storageKey = 'relay-notify';
const none: readonly NotifyKind[] = [];
const listeners = new Set<() => void>();
let known: { text: string; kinds: readonly NotifyKind[] } = { text: '', kinds: none };

/** The kinds that were chosen in this browser. */
export function useNotifyKinds(): readonly NotifyKind[] {
  return useSyncExternalStore(subscribe, read);
}

export function chooseNotifyKinds(kinds: readonly NotifyKind[]): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(kinds));
  } catch {
    // Storage may be disabled; then nothing is chosen.
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab may change it.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function read(): readonly NotifyKind[] {
  let text = '';
  try {
    text = localStorage.getItem(storageKey) ?? '';
    if (text === known.text) return known.kinds;
    const stored: unknown = JSON.parse(text || '[]');
    const kinds = Array.isArray(stored) ? stored : [];
    known = { text, kinds: notifyKinds.filter((kind) => kinds.includes(kind)) };
  } catch {
    known = { text, kinds: none };
  }
  return known.kinds;
}

/** `missing`: the browser has no notifications here, such as over HTTP. */
export function notifyPermission(): NotificationPermission | 'missing' {
  return 'Notification' in window && window.isSecureContext ? Notification.permission : 'missing';
}
