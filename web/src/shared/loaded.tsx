import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.tsx';

/** Skeleton, then content; an error only without content. */
export function Loaded<T>(props: {
  query: UseQueryResult<T>;
  skeleton: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const { query } = props;
  if (query.data !== undefined) return props.children(query.data);
  if (query.isError) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  return <div aria-busy="true">{props.skeleton}</div>;
}
