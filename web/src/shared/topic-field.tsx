import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { topicsQuery } from '../api/chats.ts';
import type { Bot } from '../api/client/types.ts';
import { useT } from '../i18n/use-t.tsx';

/** Chooses a topic of a chat; 0 for none. It is there only if the chat has topics. */
export function TopicField(props: {
  label: string;
  /** The label of 0. */
  zero: string;
  bot: Bot | undefined;
  chatId: number;
  value: number;
  error?: string | undefined;
  onChange: (id: number) => void;
}) {
  const { bot, chatId, value } = props;
  const { topics } = useT();
  const enabled = chatId !== 0 && (bot?.manage_enabled ?? false);
  const known = useQuery({ ...topicsQuery(bot?.id ?? 0, chatId, ''), enabled }).data ?? [];
  if (chatId === 0 || (known.length === 0 && value === 0)) return null;
  const named = new Map([[0, props.zero]]);
  for (const { message_thread_id: id, name } of known) named.set(id, name || topics.unnamed(id));
  if (!named.has(value)) named.set(value, topics.unnamed(value));
  return (
    <Select
      label={props.label}
      searchable
      allowDeselect={false}
      data={[...named].map(([id, label]) => ({ value: String(id), label }))}
      value={String(value)}
      error={props.error}
      onChange={(id) => props.onChange(Number(id))}
    />
  );
}
