import { Skeleton } from '@mantine/core';
import css from './ui.module.css';

/** The outline of a page while its code or data loads. */
export function PageSkeleton() {
  return (
    <div className={css.page} aria-busy="true">
      <Skeleton height={30} width={220} mb={10} />
      <Skeleton height={16} width="min(460px, 80%)" mb={28} />
      <Skeleton height={180} radius={14} mb={16} />
      <Skeleton height={120} radius={14} />
    </div>
  );
}

export function RowsSkeleton(props: { rows?: number; height?: number }) {
  return (
    <div style={{ display: 'grid', gap: 10, padding: 16 }}>
      {Array.from({ length: props.rows ?? 4 }, (_, index) => (
        <Skeleton key={index} height={props.height ?? 44} radius={10} />
      ))}
    </div>
  );
}
