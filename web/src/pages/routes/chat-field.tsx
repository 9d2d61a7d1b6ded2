import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Bot } from '../../api/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { knownChatsQuery } from '../../ui/use-chat-names.ts';

const shownAtOnce = 60;

/** A chat by its name, or by its id where the bot has not seen it yet; none is 0. */
export function ChatField(props: {
  label: string;
  hint: string;
  /** Whose chats are offered. */
  bot: Bot | undefined;
  value: number;
  error: string | undefined;
  onChange: (id: number) => void;
}) {
  const { bot, value } = props;
  const t = useT();
  const [text, setText] = useState('');
  const enabled = bot?.manage_enabled ?? false;
  const latest = useQuery({ ...knownChatsQuery(bot?.id ?? 0), enabled }).data ?? [];
  const q = text.trim();
  const wanted = { ...knownChatsQuery(bot?.id ?? 0, q), enabled: enabled && q.length > 1 };
  const found = useQuery(wanted).data ?? [];
  const options = new Map(
    [...latest, ...found].map(
      (chat) => [String(chat.chat_id), chat.title || String(chat.chat_id)] as const,
    ),
  );
  for (const id of [value === 0 ? '' : String(value), isId(q) ? q : '']) {
    if (id !== '' && !options.has(id)) options.set(id, id);
  }
  return (
    <Select
      label={props.label}
      description={props.hint}
      placeholder={t.routes.chatExample}
      nothingFoundMessage={t.routes.chatUnknown}
      searchable
      clearable
      limit={shownAtOnce}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      value={value === 0 ? null : String(value)}
      error={props.error}
      clearButtonProps={{ 'aria-label': t.common.remove }}
      onSearchChange={(next) => {
        setText(next);
        // A typed id counts without being picked from the list.
        if (isId(next) && options.get(String(value)) !== next) props.onChange(Number(next));
      }}
      onChange={(id) => props.onChange(Number(id ?? 0))}
    />
  );
}

function isId(text: string): boolean {
  return /^-?\d{1,16}$/.test(text);
}
