import type { ReactNode } from 'react';
import { Logo } from '../../shared/logo.tsx';
import { ThemeToggle } from '../../shared/theme-toggle.tsx';
import { useT } from '../../i18n/use-t.tsx';
import { useWindowTitle } from '../../ui/page.tsx';
import css from './entry.module.css';

/** The card of the pages before the sign-in. */
export function EntryCard(props: { title: string; lead: ReactNode; children: ReactNode }) {
  const { common } = useT();
  useWindowTitle(props.title);
  return (
    <main className={css.stage}>
      <div className={css.corner}>
        <ThemeToggle />
      </div>
      <div className={css.card}>
        <div className={css.brand}>
          <Logo size={34} />
          {common.appName}
        </div>
        <h1 className={css.title}>{props.title}</h1>
        <p className={css.lead}>{props.lead}</p>
        {props.children}
      </div>
    </main>
  );
}
