import type { ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import css from '../ui.module.css';

/** A warning beside the field that causes it. */
export function Warning(props: { children: ReactNode }) {
  return (
    <span className={css.warning}>
      <Icon name="warn" size={16} />
      <span>{props.children}</span>
    </span>
  );
}
