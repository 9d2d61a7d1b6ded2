import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { assigneesQuery } from '../../../api/chats.ts';
import { chatCountsQuery } from '../../../api/chats.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useMay } from '../../../shared/use-session.ts';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import css from './inbox.module.css';
import { inboxViews, type InboxFilter } from './inbox-filter.ts';

const all = 'all';

/** Who waits, what is mine, and everything, with numbers and filters. */
export function InboxTabs(props: {
  filter: InboxFilter;
  onChoose: (change: { [Name in keyof InboxFilter]: InboxFilter[Name] | undefined }) => void;
}) {
  const { filter, onChoose } = props;
  const { inbox } = useT();
  const format = useFormat();
  const counts = useQuery(chatCountsQuery(filter.bot)).data;
  const [filters, setFilters] = useState(false);
  // An address may bring a filter at any time.
  if (!filters && (filter.tag ?? filter.assignee ?? filter.topic) !== undefined) setFilters(true);
  const since = filter.inbox === 'mine' ? counts?.mine_waiting_since : counts?.waiting_since;
  const numbers = { waiting: counts?.waiting ?? 0, mine: counts?.mine ?? 0, all: 0 };
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
                {inbox.views[value]} <b>{format.number(numbers[value])}</b>
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
            if (filters) onChoose({ tag: undefined, assignee: undefined, topic: undefined });
            setFilters(!filters);
          }}
        >
          {filters ? inbox.noFilters : inbox.filters}
        </button>
      </div>
      {filters ? <Filters {...props} /> : null}
    </>
  );
}

function Filters(props: Parameters<typeof InboxTabs>[0]) {
  const { filter, onChoose } = props;
  const { inbox, topics } = useT();
  const may = useMay('chats', 'send');
  const users = useQuery({ ...assigneesQuery(filter.bot), enabled: may }).data ?? [];
  const [tag, setTag] = useState(filter.tag ?? '');
  const [chosen, setChosen] = useState(filter.tag);
  if (filter.tag !== chosen) {
    setChosen(filter.tag);
    setTag(filter.tag ?? '');
  }
  return (
    <div className={css.filters}>
      <TextInput
        size="sm"
        aria-label={inbox.tag}
        placeholder={inbox.tag}
        maxLength={64}
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
        onBlur={() => onChoose({ tag: tag.trim() || undefined })}
        onKeyDown={({ key }) => {
          if (key === 'Enter') onChoose({ tag: tag.trim() || undefined });
        }}
      />
      {filter.topic === undefined ? null : <span>{topics.unnamed(filter.topic)}</span>}
      {filter.inbox === 'mine' ? null : (
        <Select
          size="sm"
          aria-label={inbox.assignee}
          placeholder={inbox.assignee}
          clearable
          data={[
            { value: 'none', label: inbox.nobody },
            { value: 'me', label: inbox.me },
            ...users.map(({ id, name }) => ({ value: `user:${id}`, label: name })),
          ]}
          value={filter.assignee ?? null}
          onChange={(value) => onChoose({ assignee: value ?? undefined })}
        />
      )}
    </div>
  );
}
