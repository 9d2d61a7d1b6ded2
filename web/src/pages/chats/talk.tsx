import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { botName } from '../../api/bots.ts';
import { chatQuery } from '../../api/chats.ts';
import { exportAddress } from '../../api/messages.ts';
import type { Bot, Message } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/toast.tsx';
import css from './chats.module.css';
import { Composer } from './composer.tsx';
import { History } from './history.tsx';
import { speakerName } from './history-items.ts';
import { EnableManagement } from './management-off.tsx';
import { MediaViewer } from './media-viewer.tsx';
import { PersonPanel } from './person-panel.tsx';
import { TalkSearch } from './talk-search.tsx';
import { useHistory } from './use-history.ts';

export function Talk(props: { bot: Bot; chatId: number; anchor: number | undefined }) {
  const { bot, chatId } = props;
  const anchor = bot.manage_enabled ? props.anchor : undefined;
  const t = useT();
  const navigate = useNavigate();
  const known = useQuery({ ...chatQuery(bot.id, chatId), enabled: bot.manage_enabled }).data;
  const history = useHistory(bot.id, chatId, anchor);
  const [replyTo, setReplyTo] = useState<Message>();
  const [editing, setEditing] = useState<Message>();
  const [person, setPerson] = useState<Message>();
  const [viewed, setViewed] = useState<Message>();
  const [searching, setSearching] = useState(false);
  const other = history.messages.findLast((message) => message.user_id !== bot.platform_id);
  const isPrivate = chatId > 0;
  const title = known?.title || (isPrivate && other ? speakerName(other) : '') || String(chatId);

  function goTo(messageId: number | undefined): void {
    if (messageId !== undefined && !bot.manage_enabled) {
      toast(t.people.managementOff, { tone: 'bad' });
      return;
    }
    void navigate({
      to: '/chats/$botId/$chatId',
      params: { botId: String(bot.id), chatId: String(chatId) },
      search: messageId === undefined ? {} : { message: messageId },
    });
  }
  return (
    <>
      <div className={css.talk}>
        <header className={css.talkHead}>
          <ActionIcon
            component={Link}
            to="/chats"
            className={css.back}
            variant="subtle"
            color="gray"
            aria-label={t.chats.backToList}
          >
            <Icon name="left" />
          </ActionIcon>
          <Avatar id={chatId} name={title} size={38} />
          <div style={{ flex: 1, minWidth: 0 }}>
            <h2 className={css.talkTitle}>{title}</h2>
            <Under bot={bot} isPrivate={isPrivate} count={known?.message_count} />
          </div>
          {bot.manage_enabled ? (
            <Tooltip label={t.chats.searchHere}>
              <ActionIcon
                variant={searching ? 'light' : 'subtle'}
                color={searching ? 'petrol' : 'gray'}
                aria-label={t.chats.searchHere}
                aria-pressed={searching}
                onClick={() => setSearching(!searching)}
              >
                <Icon name="search" />
              </ActionIcon>
            </Tooltip>
          ) : null}
          {other ? (
            <Tooltip label={t.chats.showPerson}>
              <ActionIcon
                variant={person ? 'light' : 'subtle'}
                color={person ? 'petrol' : 'gray'}
                aria-label={t.chats.showPerson}
                aria-pressed={person !== undefined}
                onClick={() => setPerson(person ? undefined : other)}
              >
                <Icon name="user" />
              </ActionIcon>
            </Tooltip>
          ) : null}
          {bot.manage_enabled ? <TalkMenu botId={bot.id} chatId={chatId} /> : null}
        </header>
        {bot.manage_enabled ? null : (
          <div className={css.notice}>
            <span>{t.people.managementOff}</span>
            <EnableManagement bot={bot} />
          </div>
        )}
        {searching ? (
          <TalkSearch botId={bot.id} chatId={chatId} onClose={() => setSearching(false)} />
        ) : (
          <History
            key={`from-${anchor ?? 'end'}`}
            bot={bot}
            title={title}
            history={history}
            anchor={anchor}
            actions={{
              onReply: (message) => {
                setEditing(undefined);
                setReplyTo(message);
              },
              onEdit: (message) => {
                setReplyTo(undefined);
                setEditing(message);
              },
              onPerson: setPerson,
              onView: setViewed,
              onChanged: history.replace,
            }}
            onFar={goTo}
          />
        )}
        <Composer
          key={`edit-${editing?.id ?? 'none'}`}
          bot={bot}
          chatId={chatId}
          replyTo={replyTo}
          editing={editing}
          onDone={(message) => {
            if (editing && message) history.replace(message);
            setReplyTo(undefined);
            setEditing(undefined);
            void history.refresh().catch(() => undefined);
          }}
        />
      </div>
      {person ? (
        <PersonPanel
          key={person.user_id}
          bot={bot}
          chatId={chatId}
          known={person}
          onClose={() => setPerson(undefined)}
        />
      ) : null}
      {viewed ? (
        <MediaViewer
          messages={history.messages}
          start={viewed}
          onClose={() => setViewed(undefined)}
        />
      ) : null}
    </>
  );
}

function Under(props: { bot: Bot; isPrivate: boolean; count: number | undefined }) {
  const { count } = props;
  const t = useT();
  const format = useFormat();
  const kind = props.isPrivate ? t.chats.private : t.chats.group;
  const stored = count === undefined ? '' : ` · ${t.chats.stored(format.number(count))}`;
  return (
    <div className={css.chatSub}>
      {kind} · {botName(props.bot)}
      {stored}
    </div>
  );
}

function TalkMenu(props: { botId: number; chatId: number }) {
  const { botId, chatId } = props;
  const t = useT();
  const place = { bot_id: botId, chat_id: chatId };
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t.chats.chatMenu}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component={Link}
          to="/statistics"
          search={{ bot: botId, chat: chatId } as never}
          leftSection={<Icon name="chart" size={16} />}
        >
          {t.nav.statistics}
        </Menu.Item>
        <Menu.Item
          component="a"
          href={exportAddress(place, 'csv')}
          leftSection={<Icon name="file" size={16} />}
        >
          {t.chats.exportAs('CSV')}
        </Menu.Item>
        <Menu.Item
          component="a"
          href={exportAddress(place, 'jsonl')}
          leftSection={<Icon name="file" size={16} />}
        >
          {t.chats.exportAs('JSON')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
