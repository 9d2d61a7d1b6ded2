import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { botName } from '../../api/bots.ts';
import { lastMessagesQuery } from '../../api/messages.ts';
import type { Bot } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import css from './chats.module.css';
import { speakerName } from './history-items.ts';
import { type KnownChat, useKnownChats } from './known-chats.ts';
import { shortOf } from './message-bubble.tsx';

export function ChatList(props: { bots: Bot[] }) {
  const { bots } = props;
  const t = useT();
  const { chats, isPending } = useKnownChats(bots);
  const [botId, setBotId] = useState('');
  const [text, setText] = useState('');
  const shown = chats.filter(
    (chat) =>
      (botId === '' || chat.botId === Number(botId)) &&
      `${chat.title} ${chat.chatId}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  return (
    <section className={css.listColumn} aria-label={t.chats.listLabel}>
      <div className={css.listHead}>
        <h1>{t.chats.title}</h1>
        <TextInput
          type="search"
          size="sm"
          aria-label={t.chats.search}
          placeholder={t.common.search}
          leftSection={<Icon name="search" size={16} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {bots.length > 1 ? (
          <Select
            size="sm"
            aria-label={t.chats.bot}
            data={[
              { value: '', label: t.chats.allBots },
              ...bots.map((bot) => ({ value: String(bot.id), label: botName(bot) })),
            ]}
            value={botId}
            allowDeselect={false}
            onChange={(value) => setBotId(value ?? '')}
          />
        ) : null}
      </div>
      {isPending && chats.length === 0 ? <RowsSkeleton rows={6} height={50} /> : null}
      {!isPending && chats.length === 0 ? (
        <EmptyState icon="chats" title={t.chats.empty} hint={t.chats.emptyHint} />
      ) : null}
      {chats.length > 0 && shown.length === 0 ? (
        <p style={{ padding: '0 16px' }}>{t.chats.noMatch}</p>
      ) : null}
      <ul className={css.list}>
        {shown.map((chat) => (
          <li key={`${chat.botId}:${chat.chatId}`}>
            <ChatRow
              chat={chat}
              bot={bots.find((one) => one.id === chat.botId)}
              withBot={bots.length > 1}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function ChatRow(props: { chat: KnownChat; bot: Bot | undefined; withBot: boolean }) {
  const { bot, chat } = props;
  const t = useT();
  const format = useFormat();
  const messages = useQuery(lastMessagesQuery(chat.botId, chat.chatId)).data ?? [];
  const [last] = messages;
  const other = messages.find((message) => message.user_id !== bot?.platform_id);
  const title = chat.title || (other ? speakerName(other) : '') || String(chat.chatId);
  return (
    <Link
      to="/chats/$botId/$chatId"
      params={{ botId: String(chat.botId), chatId: String(chat.chatId) }}
      className={css.chat}
    >
      <Avatar id={chat.chatId} name={title} size={42} />
      <span className={css.chatText}>
        <span className={css.chatLine}>
          <span className={css.chatName}>{title}</span>
          {last ? <span className={css.when}>{format.time(last.date * 1_000)}</span> : null}
        </span>
        <span className={css.chatSub} style={{ display: 'block' }}>
          {last ? shortOf(last, t) : ' '}
        </span>
        {props.withBot && bot ? (
          <span className={css.chatSub} style={{ display: 'block' }}>
            {botName(bot)}
          </span>
        ) : null}
      </span>
    </Link>
  );
}
