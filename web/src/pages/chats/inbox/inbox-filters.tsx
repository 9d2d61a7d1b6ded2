import { CloseButton, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { assigneesQuery } from '../../../api/chats.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useMay } from '../../../shared/use-session.ts';
import css from './inbox.module.css';
import type { InboxFilter } from './inbox-filter.ts';

/** The fields by which the list is limited besides its tabs. */
export function InboxFilters(props: {
  filter: InboxFilter;
  topicName: string | undefined;
  onChoose: (change: InboxFilter) => void;
}) {
  const { filter, onChoose } = props;
  const { in_topic: topic } = filter;
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
      {topic === undefined ? null : (
        <span className={css.topic}>
          <bdi>{props.topicName || topics.unnamed(topic)}</bdi>
          <CloseButton
            size="sm"
            aria-label={inbox.anyTopic}
            onClick={() => onChoose({ in_topic: undefined })}
          />
        </span>
      )}
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
