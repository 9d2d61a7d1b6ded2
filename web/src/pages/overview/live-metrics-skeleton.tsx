import { Skeleton } from '@mantine/core';
import css from './overview.module.css';

/** Where the curves will be. */
export function LiveMetricsSkeleton() {
  return (
    <div className={css.metrics}>
      {[1, 2, 3, 4].map((card) => (
        <Skeleton key={card} className={css.bone} radius={14} />
      ))}
    </div>
  );
}
