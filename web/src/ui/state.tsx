import type { ReactNode } from 'react';
import css from './ui.module.css';

export type Tone = 'ok' | 'warn' | 'bad' | 'idle';

/** A coloured dot with text; never colour alone. */
export function State(props: { tone: Tone; children: ReactNode }) {
  return (
    <span className={css.state} data-tone={props.tone}>
      <span className={css.dot} />
      {props.children}
    </span>
  );
}
