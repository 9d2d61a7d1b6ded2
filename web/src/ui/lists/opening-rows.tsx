import { type CSSProperties, type ReactNode, useState } from 'react';
import css from '../rows.module.css';
import { showInMiddle } from '../show-in-middle.ts';

export interface RowWords<T> {
  /** Start, middle and end of the closed row. */
  row: (item: T) => ReactNode;
  detail: (item: T) => ReactNode;
  /** The width of the start. */
  leadWidth?: number;
}

/** Lists rows that open when pressed, one at a time; buttons are at their end. */
export function OpeningRows<T>(
  props: RowWords<T> & {
    items: readonly T[];
    keyOf: (item: T) => string | number;
    actions?: (item: T) => ReactNode;
    /** The key of the row to scroll to. */
    asked?: string | undefined;
  },
) {
  const [opened, setOpened] = useState<string | number>();
  return (
    <ul
      data-rows
      className={css.rows}
      style={{ '--lead': `${props.leadWidth ?? 130}px` } as CSSProperties}
    >
      {props.items.map((item) => {
        const key = props.keyOf(item);
        const isOpened = opened === key;
        const row = (
          <button
            type="button"
            className={css.row}
            aria-expanded={isOpened}
            onClick={() => setOpened(isOpened ? undefined : key)}
          >
            {props.row(item)}
          </button>
        );
        return (
          <li
            key={key}
            ref={key === props.asked ? showInMiddle : null}
            data-asked={key === props.asked || undefined}
          >
            {props.actions ? (
              <div className={css.acted}>
                {row}
                <div className={css.actions}>{props.actions(item)}</div>
              </div>
            ) : (
              row
            )}
            {isOpened ? <div className={css.detail}>{props.detail(item)}</div> : null}
          </li>
        );
      })}
    </ul>
  );
}
