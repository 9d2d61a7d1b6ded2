import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Bot } from '../api/client/types.ts';
import { useT } from '../i18n/use-t.tsx';
import { useClosingList } from '../ui/forms/use-closing-list.ts';
import { knownChatsQuery } from './use-chat-names.ts';

const shownAtOnce = 60;

/** Chooses chats or people by name, or by ID if the bot has not seen them yet. */
export function IdsField(props: {
  label: string;
  hint?: string;
  /** The meaning of an empty field; any value, if left out. */
  none?: string;
  bot: Bot;
  /** True for people, who have the ID of their private chat. */
  people?: boolean;
  value: string[];
  error: string | undefined;
  onChange: (ids: string[]) => void;
}) {
  const { bot, people, value } = props;
  const { apps } = useT();
  const list = useClosingList();
  const [text, setText] = useState('');
  const q = text.trim();
  const enabled = bot.manage_enabled;
  const latest = useQuery({ ...knownChatsQuery(bot.id), enabled }).data ?? [];
  const wanted = { ...knownChatsQuery(bot.id, q), enabled: enabled && q.length > 1 };
  const found = useQuery(wanted).data ?? [];
  const options = new Map(
    [...latest, ...found]
      .filter(({ chat_id }) => !people || chat_id > 0)
      .map((chat) => [String(chat.chat_id), chat.title || String(chat.chat_id)] as const),
  );
  const isId = (people ? /^\d{1,16}$/ : /^-?\d{1,16}$/).test(q);
  for (const id of [...value, ...(isId ? [q] : [])]) {
    if (!options.has(id)) options.set(id, id);
  }
  return (
    <MultiSelect
      label={props.label}
      description={props.hint}
      placeholder={value.length === 0 ? (props.none ?? apps.anyValue) : ''}
      nothingFoundMessage={apps.enterId}
      searchable
      {...list}
      limit={shownAtOnce}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      searchValue={text}
      onSearchChange={setText}
      value={value}
      error={props.error}
      onBlur={() => {
        // A typed ID is accepted without choosing it from the list.
        if (isId && !value.includes(q)) props.onChange([...value, q]);
        setText('');
      }}
      onChange={props.onChange}
    />
  );
}
