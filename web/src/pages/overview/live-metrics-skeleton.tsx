import { Skeleton } from '@mantine/core';
import css from './overview.module.css';

/** A placeholder for the curves. */
export function LiveMetricsSkeleton() {
  return (
    <div className={css.metrics}>
      {[1, 2, 3, 4].map((card) => (
        <Skeleton key={card} className={css.bone} radius={14} />
      ))}
    </div>
  );
}
