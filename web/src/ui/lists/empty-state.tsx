import type { ReactNode } from 'react';
import { Icon, type IconName } from '../icon.tsx';
import css from '../ui.module.css';

/** The text of an empty list: why it is empty and what to do. */
export function EmptyState(props: {
  icon: IconName;
  title: string;
  hint: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={css.empty}>
      <span className={css.emptyMark}>
        <Icon name={props.icon} size={26} />
      </span>
      <p className={css.emptyTitle}>{props.title}</p>
      <p className={css.emptyHint}>{props.hint}</p>
      {props.children}
    </div>
  );
}
