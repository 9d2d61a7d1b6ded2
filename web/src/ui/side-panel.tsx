import { CloseButton } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import css from './side-panel.module.css';

/** A panel beside the page, or over it on a narrow screen; Escape closes it. */
export function SidePanel(props: {
  label: string;
  closeLabel: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const { onClose } = props;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    // With the keyboard, the focus moves into the panel, and returns when it closes.
    const before = document.activeElement;
    if (!(before instanceof HTMLElement) || before === document.body) return undefined;
    panel.current?.focus({ preventScroll: true });
    return () => {
      if (before.isConnected) before.focus();
    };
  }, []);
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    // Listen on the window, because a pressed button that became busy has lost the focus.
    function onKey(event: KeyboardEvent): void {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      const at = document.activeElement;
      const isHere = at === null || at === document.body || panel.current?.contains(at);
      // Menus inside close first, and a form with the focus keeps the panel open; dialogs are
      // elsewhere in the document.
      const isBusy = at?.getAttribute('aria-expanded') === 'true' || at?.closest('form');
      if (isHere && !isBusy) close.current();
    }
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  return (
    <aside ref={panel} className={css.panel} data-side-panel tabIndex={-1} aria-label={props.label}>
      <CloseButton className={css.close} aria-label={props.closeLabel} onClick={onClose} />
      {props.children}
    </aside>
  );
}

export function SideSection(props: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={css.section}>
      <div className={css.sectionHead}>
        <h3 className={css.sectionTitle}>{props.title}</h3>
        {props.actions}
      </div>
      {props.children}
    </section>
  );
}

/** Names and values; empty ones are left out. */
export function Facts(props: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={css.facts}>
      {props.facts
        .filter(([, value]) => value !== undefined && value !== '' && value !== null)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
