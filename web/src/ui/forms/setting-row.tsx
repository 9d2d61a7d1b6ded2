import type { ReactNode } from 'react';
import css from '../ui.module.css';

/** One setting: name, help text and control. */
export function SettingRow(props: {
  name: string;
  /** The id of the labelled control. */
  controlId?: string;
  hint: ReactNode;
  control?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={css.settingRow}>
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
