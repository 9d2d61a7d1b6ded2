import { type CSSProperties, type ReactNode, useState } from 'react';
import css from '../rows.module.css';

export interface RowWords<T> {
  numberOf: (item: T) => number;
  /** Start, middle and end of the closed row. */
  row: (item: T) => ReactNode;
  detail: (item: T) => ReactNode;
  /** The width of the start. */
  leadWidth?: number;
}

/** Lists rows that open when pressed, one at a time; buttons are at their end. */
export function OpeningRows<T>(
  props: RowWords<T> & { items: readonly T[]; actions?: (item: T) => ReactNode },
) {
  const [opened, setOpened] = useState<number>();
  return (
    <ul className={css.rows} style={{ '--lead': `${props.leadWidth ?? 130}px` } as CSSProperties}>
      {props.items.map((item) => {
        const number = props.numberOf(item);
        const isOpened = opened === number;
        const row = (
          <button
            type="button"
            className={css.row}
            aria-expanded={isOpened}
            onClick={() => setOpened(isOpened ? undefined : number)}
          >
            {props.row(item)}
          </button>
        );
        return (
          <li key={number}>
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
