import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeData } from '../../api/client/change-data.ts';
import { type Chat, chatQuery, refreshChat } from '../../api/chats.ts';
import { mediaAddress } from '../../api/messages.ts';
import type { Bot } from '../../api/client/types.ts';
import { useMay } from '../../shared/use-session.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, SidePanel } from '../../ui/side-panel.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { useAction } from '../../shared/use-action.ts';
import { ChatAdmins } from './admin/chat-admins.tsx';
import { ChatRights } from './admin/chat-rights.tsx';
import { ForgetChat } from './admin/forget-chat.tsx';
import css from './person.module.css';
import { PinnedMessages } from './history/pinned-messages.tsx';
import { WarnSettings } from './person/warn-settings.tsx';

/** Details of a chat, its administrators, and the effect of warnings. */
export function ChatPanel(props: {
  bot: Bot;
  chatId: number;
  title: string;
  onGo: (messageId: number) => void;
  onClose: () => void;
}) {
  const { bot, chatId, title } = props;
  const t = useT();
  const may = useMay('chats', 'manage');
  const chatKey = { bot_id: bot.id, chat_id: chatId };
  const query = useQuery({ ...chatQuery(bot.id, chatId), enabled: bot.manage_enabled });
  const chat = query.data;
  return (
    <SidePanel label={t.chatInfo.about(title)} closeLabel={t.chatInfo.hide} onClose={props.onClose}>
      <div className={css.head}>
        <ChatPhoto chat={chat} chatId={chatId} title={title} />
        <h2>{title}</h2>
        {chat?.username ? <span className={css.small}>@{chat.username}</span> : null}
      </div>
      {query.isLoading ? <Skeleton height={140} radius={12} mb={16} /> : null}
      {query.isError ? <ErrorBox error={query.error} onRetry={() => void query.refetch()} /> : null}
      {chat ? (
        <>
          {chat.description === '' ? null : <p className={css.description}>{chat.description}</p>}
          <ChatFacts chat={chat} />
          {may ? <AskPlatform chat={chat} /> : null}
          <PinnedMessages chatKey={chatKey} title={title} onGo={props.onGo} />
          {chatId < 0 ? (
            <>
              <ChatRights chat={chat} />
              <ChatAdmins bot={bot} chatKey={chatKey} />
              <WarnSettings chatKey={chatKey} />
            </>
          ) : null}
          {may ? <ForgetChat chatKey={chatKey} title={title} /> : null}
        </>
      ) : null}
    </SidePanel>
  );
}

/** Shows the photo of a chat, or its initials if it has none. */
function ChatPhoto(props: { chat: Chat | undefined; chatId: number; title: string }) {
  const { chat } = props;
  const [failed, setFailed] = useState(false);
  if (!chat?.photo_file_id || failed) {
    return <Avatar id={props.chatId} name={props.title} size={72} />;
  }
  return (
    <img
      className={css.photo}
      src={mediaAddress(chat.bot_id, chat.photo_file_id)}
      alt=""
      onError={() => setFailed(true)}
    />
  );
}

function ChatFacts(props: { chat: Chat }) {
  const { chat } = props;
  const { chatInfo, people } = useT();
  const format = useFormat();
  const kind = chatInfo.kinds[chat.type as keyof typeof chatInfo.kinds] ?? chat.type;
  const status = people.statuses[chat.status as keyof typeof people.statuses] ?? chat.status;
  return (
    <Facts
      facts={[
        [chatInfo.kind, kind],
        [chatInfo.id, <span className="mono">{chat.chat_id}</span>],
        [
          chatInfo.members,
          chat.member_count === undefined || chat.type === 'private'
            ? ''
            : format.number(chat.member_count),
        ],
        [chatInfo.storedMessages, format.number(chat.message_count)],
        [chatInfo.botHere, chat.type === 'private' ? '' : status],
        [chatInfo.migratedTo, chat.migrated_to === 0 ? '' : String(chat.migrated_to)],
        [chatInfo.asked, chat.refreshed_at === '' ? '' : <TimeAgo at={chat.refreshed_at} />],
      ]}
    />
  );
}

function AskPlatform(props: { chat: Chat }) {
  const { chat } = props;
  const t = useT();
  const client = useQueryClient();
  const ask = useAction({
    run: () => refreshChat({ bot_id: chat.bot_id, chat_id: chat.chat_id }),
    refreshes: [
      ['people', chat.bot_id, chat.chat_id],
      ['pinned', chat.bot_id, chat.chat_id],
    ],
    done: (fresh) => {
      changeData(client, chatQuery(chat.bot_id, chat.chat_id).queryKey, () => fresh);
      return t.chatInfo.refreshed;
    },
  });
  return (
    <div className={css.note}>
      {chat.refreshed_at === '' ? <p className={css.small}>{t.chatInfo.neverAsked}</p> : null}
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<Icon name="replay" size={15} />}
        loading={ask.isPending}
        onClick={() => ask.mutate(undefined)}
      >
        {t.chatInfo.refresh}
      </Button>
    </div>
  );
}
