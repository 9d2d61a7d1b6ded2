import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Bot } from '../api/client/types.ts';
import { useT } from '../i18n/use-t.tsx';
import { knownChatsQuery } from './use-chat-names.ts';

const shownAtOnce = 60;

/** Chooses a chat by its name, or by its ID if the bot has not seen it yet; 0 for none. */
export function ChatField(props: {
  label: string;
  hint: string;
  /** The bot whose chats are offered. */
  bot: Bot | undefined;
  value: number | undefined;
  error: string | undefined;
  /** The label of 0 if it can be chosen; without it, 0 is an empty field. */
  zero?: string;
  required?: boolean;
  /** Offers no private chats. */
  groupsOnly?: boolean;
  onChange: (id: number | undefined) => void;
}) {
  const { bot, value, zero } = props;
  const t = useT();
  const [text, setText] = useState('');
  const enabled = bot?.manage_enabled ?? false;
  const latest = useQuery({ ...knownChatsQuery(bot?.id ?? 0), enabled }).data ?? [];
  const q = text.trim();
  const wanted = { ...knownChatsQuery(bot?.id ?? 0, q), enabled: enabled && q.length > 1 };
  const found = useQuery(wanted).data ?? [];
  const options = new Map<string, string>(zero === undefined ? [] : [['0', zero]]);
  const chats = new Map(
    [...latest, ...found]
      .filter((chat) => !props.groupsOnly || chat.chat_id < 0)
      .map((chat) => [String(chat.chat_id), chat.title || String(chat.chat_id)] as const),
  );
  for (const [id, label] of chats) options.set(id, label);
  const chosen = value === undefined || (value === 0 && zero === undefined) ? '' : String(value);
  for (const id of [chosen, isId(q) ? q : '']) {
    if (id !== '' && !options.has(id)) options.set(id, id);
  }
  return (
    <Select
      label={props.label}
      description={props.hint}
      placeholder={t.routes.chatExample}
      nothingFoundMessage={bot && !bot.manage_enabled ? t.alerts.chatsHidden : t.routes.chatUnknown}
      searchable
      clearable
      // A rejected form focuses the field, so the list must not open over the error.
      openOnFocus={false}
      limit={shownAtOnce}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      required={props.required ?? false}
      value={chosen === '' ? null : chosen}
      error={props.error}
      clearButtonProps={{ 'aria-label': t.common.remove }}
      onSearchChange={(next) => {
        setText(next);
        // A typed ID is accepted without choosing it from the list.
        if (isId(next) && options.get(chosen) !== next) props.onChange(Number(next));
      }}
      onChange={(id) => props.onChange(id === null ? undefined : Number(id))}
    />
  );
}

function isId(text: string): boolean {
  return /^-?\d{1,16}$/.test(text);
}
