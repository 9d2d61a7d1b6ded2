import type { ReactNode } from 'react';
import css from './tile.module.css';

export function Tiles(props: { children: ReactNode }) {
  return <div className={css.tiles}>{props.children}</div>;
}

export function Tile(props: { name: string; value: string; note?: string }) {
  return (
    <div className={css.tile}>
      <div className={css.name}>{props.name}</div>
      <div className={`${css.value} tabular`}>{props.value}</div>
      <div className={css.note}>{props.note ?? ' '}</div>
    </div>
  );
}
