import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { chatCountsQuery } from '../../../api/chats.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import css from './inbox.module.css';
import { inboxViews, type InboxFilter, limitsOf } from './inbox-filter.ts';

const InboxFilters = lazyPart(
  async () => (await import('./inbox-filters.tsx')).InboxFilters,
  <Skeleton height={36} />,
);

const all = 'all';

/** More chats than these are not counted. */
const countedAtMost = 1_000;

/** Who waits, what is mine, and everything, with numbers and filters. */
export function InboxTabs(props: {
  filter: InboxFilter;
  /** The name of the topic to which the list is limited, if it is known. */
  topicName: string | undefined;
  onChoose: (change: InboxFilter) => void;
}) {
  const { filter, onChoose } = props;
  const { assignee } = filter;
  const { inbox } = useT();
  const format = useFormat();
  const limits = limitsOf(filter);
  const ofAssignee = assignee === undefined ? limits : { ...limits, assignee };
  const counts = useQuery(chatCountsQuery(ofAssignee)).data;
  // Mine are those of the user, whatever assignee the other lists are limited to.
  const own = useQuery(chatCountsQuery(limits)).data;
  const [filters, setFilters] = useState(false);
  const isFiltered = (filter.tag ?? assignee ?? filter.in_topic) !== undefined;
  const [wasFiltered, setWasFiltered] = useState(false);
  if (isFiltered !== wasFiltered) {
    setWasFiltered(isFiltered);
    // An address may bring a filter at any time.
    if (isFiltered) setFilters(true);
  }
  const since = filter.inbox === 'mine' ? own?.mine_waiting_since : counts?.waiting_since;
  const numbers = {
    waiting: counts?.waiting ?? 0,
    mine: own?.mine ?? 0,
    all: counts?.total ?? 0,
  };
  const words = (value: keyof typeof numbers) =>
    `${format.number(numbers[value])}${value === all && numbers[value] === countedAtMost ? '+' : ''}`;
  return (
    <>
      <SegmentedControl
        size="sm"
        fullWidth
        aria-label={inbox.label}
        value={filter.inbox ?? all}
        onChange={(value) => onChoose({ inbox: inboxViews.find((view) => view === value) })}
        data={[...inboxViews, all as 'all'].map((value) => ({
          value,
          label:
            numbers[value] > 0 ? (
              <>
                {inbox.views[value]} <b>{words(value)}</b>
              </>
            ) : (
              inbox.views[value]
            ),
        }))}
      />
      <div className={css.under}>
        <span>
          {filter.inbox && since ? (
            <>
              {inbox.longest} <TimeAgo at={since} />
            </>
          ) : null}
        </span>
        <button
          type="button"
          className={css.toggle}
          aria-expanded={filters}
          onClick={() => {
            if (filters) onChoose({ tag: undefined, assignee: undefined, in_topic: undefined });
            setFilters(!filters);
          }}
        >
          {filters ? inbox.noFilters : inbox.filters}
        </button>
      </div>
      {filters ? <InboxFilters {...props} /> : null}
    </>
  );
}
