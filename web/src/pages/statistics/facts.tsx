import type { ReactNode } from 'react';
import css from './statistics.module.css';

/** Names with their figures. */
export function Facts(props: { facts: readonly (readonly [name: ReactNode, value: string])[] }) {
  return (
    <dl className={css.facts}>
      {props.facts.map(([name, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two people may have one name.
        <div key={index}>
          <dt>{name}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
