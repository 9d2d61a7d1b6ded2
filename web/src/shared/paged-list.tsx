import { Button } from '@mantine/core';
import {
  type InfiniteData,
  type QueryKey,
  type QueryMeta,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useT } from '../i18n/use-t.tsx';
import { ErrorBox } from './error-box.tsx';
import { NotLoaded } from './loaded.tsx';
import { OpeningRows, type RowWords } from '../ui/lists/opening-rows.tsx';
import { RowsSkeleton } from '../ui/page-skeleton.tsx';
import css from '../ui/rows.module.css';

const lookAgainMs = 10_000;
/** A search rests this many times as long as it took. */
const restPerSearch = 20;
const mostRestMs = 5 * 60_000;

interface PageOptions<T> {
  queryKey: QueryKey;
  meta?: QueryMeta;
  /** A search is repeated the less often the longer it takes. */
  isSearch?: boolean;
  pageSize: number;
  numberOf: (item: T) => number;
  /** Returns the first entries, or those after this cursor: the ID of the last, or `next`. */
  read: (cursor: number | undefined, signal: AbortSignal) => Promise<T[] | Part<T>>;
}

/** A page that says itself where to continue, and may be empty; 0 for nowhere. */
export interface Part<T> {
  items: T[];
  next: number;
  /** Words about how far a search came, to show beside *Load more*. */
  reached?: string;
}

type ReadPart<T> = Part<T> & { tookMs: number };

/** A long list, newest first, loaded page by page; one row is open at a time. */
export function PagedList<T>(props: PageOptions<T> & RowWords<T> & { empty: ReactNode }) {
  const { isSearch = false, meta, numberOf, pageSize, read } = props;
  const restMs = (data: unknown) => {
    const { pages = [] } = (data ?? {}) as Partial<InfiniteData<ReadPart<T>>>;
    // A request that was open while the machine slept says nothing about its cost.
    const tookMs = pages.reduce((sum, page) => sum + page.tookMs, 0);
    return Math.min(mostRestMs, restPerSearch * tookMs);
  };
  const query = useInfiniteQuery({
    queryKey: props.queryKey,
    meta: { ...meta, ...(isSearch ? { restMs } : {}) },
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam, signal }): Promise<ReadPart<T>> => {
      const startedAt = performance.now();
      const page = await read(pageParam, signal);
      const tookMs = performance.now() - startedAt;
      if (!Array.isArray(page)) return { ...page, tookMs };
      const last = page.at(-1);
      return { items: page, next: page.length < pageSize || !last ? 0 : numberOf(last), tookMs };
    },
    getNextPageParam: ({ next }) => next || undefined,
    // Not every addition to such a list causes an event, so poll. Once older pages are loaded, the
    // list stays as it is.
    staleTime: 0,
    refetchInterval: ({ state: { data } }) =>
      (data?.pages.length ?? 0) > 1 ? false : Math.max(lookAgainMs, isSearch ? restMs(data) : 0),
  });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  const reached = query.data?.pages.at(-1)?.reached;
  if (query.isPending) return <NotLoaded skeleton={<RowsSkeleton rows={5} />} />;
  if (query.isError && items.length === 0) {
    return <ErrorBox error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (items.length === 0 && !query.hasNextPage) return props.empty;
  return (
    <>
      <OpeningRows
        items={items}
        keyOf={numberOf}
        row={props.row}
        detail={props.detail}
        {...(props.leadWidth === undefined ? {} : { leadWidth: props.leadWidth })}
      />
      <LoadMore query={query} {...(reached ? { reached } : {})} />
    </>
  );
}

/** Loads the next page of a list, if there is one. */
export function LoadMore(props: {
  query: Pick<
    UseInfiniteQueryResult,
    'error' | 'fetchNextPage' | 'hasNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError'
  >;
  /** How far a search came. */
  reached?: string;
}) {
  const { query, reached } = props;
  const { common } = useT();
  if (!query.hasNextPage) return null;
  return (
    <div className={css.foot}>
      {reached ? <span className={css.sub}>{reached}</span> : null}
      {query.isFetchNextPageError ? <ErrorBox error={query.error} /> : null}
      <Button
        variant="default"
        loading={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {common.loadMore}
      </Button>
    </div>
  );
}
