import type { ReactNode } from 'react';
import { useT } from '../i18n/use-t.tsx';
import { EmptyState } from '../ui/lists/empty-state.tsx';
import { ErrorBox } from './error-box.tsx';
import { useLostSince } from './use-lost-since.ts';

/** Shows a skeleton, then the content; an error only if there is no content. */
export function Loaded<T>(props: {
  query: { data: T | undefined; isError: boolean; error: Error | null; refetch(): unknown };
  skeleton: ReactNode;
  children: (data: T) => ReactNode;
}) {
  const { query } = props;
  if (query.data !== undefined) return props.children(query.data);
  if (query.isError) return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  return <NotLoaded skeleton={props.skeleton} />;
}

/** Shows the outline of content that is not loaded yet, or says that the service is unreachable. */
export function NotLoaded(props: { skeleton: ReactNode }) {
  const { live } = useT();
  if (useLostSince() !== undefined) {
    return <EmptyState icon="warn" title={live.noData} hint={live.noDataHint} />;
  }
  return <div aria-busy="true">{props.skeleton}</div>;
}
