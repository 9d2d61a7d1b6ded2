import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import css from './phones.module.css';

/** The head of a chat, or of its topics. */
export function PhoneBar(props: {
  icon: ReactNode;
  title: string;
  about: string;
  /** The label of the button that leaves. */
  back: string;
  onBack: () => void;
  /** Its menu. */
  children: ReactNode;
}) {
  return (
    <header className={css.bar}>
      <ActionIcon variant="subtle" color="gray" aria-label={props.back} onClick={props.onBack}>
        <Icon name="left" />
      </ActionIcon>
      {props.icon}
      <div className={css.barText}>
        <div className={css.barName}>{props.title}</div>
        <div className={css.barSub}>{props.about}</div>
      </div>
      {props.children}
    </header>
  );
}
