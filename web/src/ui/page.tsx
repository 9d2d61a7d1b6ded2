import type { ReactNode } from 'react';
import { useEffect } from 'react';
import { useT } from '../i18n/use-t.tsx';
import { showInMiddle } from './show-in-middle.ts';
import css from './ui.module.css';

/** The frame of one page; its title is also the window's title. */
export function Page(props: {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  useWindowTitle(props.title);
  return (
    <div className={props.wide ? `${css.page} ${css.wide}` : css.page}>
      <header className={css.header}>
        <div>
          <h1 className={css.title}>{props.title}</h1>
          {props.lead === undefined ? null : <p className={css.lead}>{props.lead}</p>}
        </div>
        {props.actions}
      </header>
      {props.children}
    </div>
  );
}

let windowTitle = document.title;
let windowCount = 0;

export function useWindowTitle(title: string): void {
  const { common } = useT();
  useEffect(() => {
    windowTitle = `${title} · ${common.appName}`;
    showTitle();
  }, [title, common.appName]);
}

/** Shows a number before the title of the window; 0 shows none. */
export function setWindowCount(count: number): void {
  windowCount = count;
  showTitle();
}

function showTitle(): void {
  document.title = windowCount > 0 ? `(${windowCount}) ${windowTitle}` : windowTitle;
}

export function Panel(props: {
  title?: string;
  hint?: ReactNode;
  actions?: ReactNode;
  flush?: boolean;
  className?: string;
  /** Scrolls to the panel. */
  isAsked?: boolean;
  children: ReactNode;
}) {
  return (
    <section
      className={`${css.panel} ${props.className ?? ''}`}
      ref={props.isAsked ? showInMiddle : null}
    >
      {props.title === undefined ? null : (
        <div className={css.panelHead}>
          <div>
            <h2 className={css.panelTitle}>{props.title}</h2>
            {props.hint === undefined ? null : <p className={css.panelHint}>{props.hint}</p>}
          </div>
          {props.actions}
        </div>
      )}
      {props.flush ? props.children : <div className={css.panelBody}>{props.children}</div>}
    </section>
  );
}
