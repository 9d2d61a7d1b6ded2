import type { ReactNode } from 'react';
import { showInMiddle } from '../show-in-middle.ts';
import css from '../ui.module.css';

/** One setting: name, help text and control. */
export function SettingRow(props: {
  name: string;
  /** The id of the labelled control. */
  controlId?: string;
  hint: ReactNode;
  control?: ReactNode;
  children?: ReactNode;
  /** Scrolls to the row. */
  isAsked?: boolean;
}) {
  return (
    <div
      className={css.settingRow}
      ref={props.isAsked ? showInMiddle : null}
      data-asked={props.isAsked || undefined}
    >
      <div>
        {props.controlId ? (
          <label className={css.settingName} htmlFor={props.controlId}>
            {props.name}
          </label>
        ) : (
          <div className={css.settingName}>{props.name}</div>
        )}
        <div className={css.settingHint}>{props.hint}</div>
      </div>
      <div>{props.control}</div>
      {props.children ? <div className={css.settingExtra}>{props.children}</div> : null}
    </div>
  );
}
