import { Button } from '@mantine/core';
import { type QueryKey, type QueryMeta, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useT } from '../i18n/use-t.tsx';
import { ErrorBox } from './error-box.tsx';
import { NotLoaded } from './loaded.tsx';
import { OpeningRows, type RowWords } from '../ui/lists/opening-rows.tsx';
import { RowsSkeleton } from '../ui/page-skeleton.tsx';
import css from '../ui/rows.module.css';

const lookAgainMs = 10_000;

interface PageOptions<T> {
  queryKey: QueryKey;
  meta?: QueryMeta;
  pageSize: number;
  numberOf: (item: T) => number;
  /** Returns the newest entries, or those before this ID. */
  read: (before: number | undefined, signal: AbortSignal) => Promise<T[]>;
}

/** A long list, newest first, loaded page by page; one row is open at a time. */
export function PagedList<T>(props: PageOptions<T> & RowWords<T> & { empty: ReactNode }) {
  const { numberOf, pageSize, read } = props;
  const { common } = useT();
  const query = useInfiniteQuery({
    queryKey: props.queryKey,
    ...(props.meta ? { meta: props.meta } : {}),
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: (page) => {
      const last = page.at(-1);
      return page.length < pageSize || last === undefined ? undefined : numberOf(last);
    },
    // Not every addition to such a list causes an event, so poll. Once older pages are loaded, the
    // list stays as it is.
    staleTime: 0,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : lookAgainMs),
  });
  const items = query.data?.pages.flat() ?? [];
  if (query.isPending) return <NotLoaded skeleton={<RowsSkeleton rows={5} />} />;
  if (query.isError && items.length === 0) {
    return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (items.length === 0) return props.empty;
  return (
    <>
      <OpeningRows
        items={items}
        keyOf={numberOf}
        row={props.row}
        detail={props.detail}
        {...(props.leadWidth === undefined ? {} : { leadWidth: props.leadWidth })}
      />
      {query.hasNextPage ? (
        <div className={css.foot}>
          {query.isFetchNextPageError ? <ErrorBox error={query.error} /> : null}
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {common.loadMore}
          </Button>
        </div>
      ) : null}
    </>
  );
}
