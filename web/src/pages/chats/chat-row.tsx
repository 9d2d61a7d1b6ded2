import { defaultStringifySearch } from '@tanstack/react-router';
import { memo, type MouseEvent } from 'react';
import { botName } from '../../api/bots.ts';
import type { Chat } from '../../api/chats.ts';
import type { Bot } from '../../api/client/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { entryName } from '../../shared/entry-name.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Said } from '../../ui/feedback/said.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import css from './chats.module.css';
import { speakerName } from './history/history-items.ts';
import { eventWords, shortOf } from './history/message-words.ts';
import type { InboxFilter } from './inbox/inbox-filter.ts';
import { keyOf } from './use-chats.ts';

const dayMs = 86_400_000;

/** A row is a plain link; its list handles clicks, because a link that watches the URL costs frames. */
export const ChatRow = memo(function ChatRow(props: {
  chat: Chat;
  /** Set if several bots share the list. */
  bot: Bot | undefined;
  /** True for the open chat. */
  active: boolean;
  /** True in lists of conversations, which say how long each waits and who has it. */
  inInbox: boolean;
  /** The current time, rounded: it decides whether a row shows a time of day or a date. */
  now: number;
  /** What limits the list; the address of the row keeps it. */
  list: InboxFilter;
  onOpen: (chat: Chat) => void;
}) {
  const { active, bot, chat } = props;
  const t = useT();
  const format = useFormat();
  const last = chat.last_message;
  const title = chat.title || String(chat.chat_id);
  const { message_thread_id: topic } = chat;
  const isOld = last !== undefined && props.now - last.date * 1_000 > dayMs;
  const isWaiting = chat.state === 'waiting' && chat.snoozed_until === '';
  const waits = chat.unread ? t.inbox.unread : t.conversation.states.waiting;
  function follow(event: MouseEvent): void {
    // The browser handles everything but a plain click: a new tab, a copied URL.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    props.onOpen(chat);
  }
  return (
    <a
      href={`/chats/${chat.bot_id}/${chat.chat_id}${defaultStringifySearch({ topic, ...props.list })}`}
      className={css.chat}
      data-row={keyOf(chat)}
      {...(active ? { 'data-status': 'active', 'aria-current': 'page' as const } : {})}
      onClick={follow}
    >
      <Avatar id={chat.chat_id} name={title} size={38} />
      <span className={css.chatText}>
        <span className={css.chatLine}>
          <span className={css.chatName} dir="auto">
            {entryName(chat, t)}
          </span>
          {isWaiting && props.inInbox ? (
            <span className={css.when}>
              <TimeAgo at={chat.unanswered_since} />
            </span>
          ) : last ? (
            <span className={css.when}>
              {isOld ? format.shortDay(last.date * 1_000) : format.time(last.date * 1_000)}
            </span>
          ) : null}
        </span>
        <span className={css.chatLast}>
          <Said
            who={last && chat.type !== 'private' && !eventWords(last, t) ? speakerName(last) : ''}
            words={last ? shortOf(last, t) : t.chats.noMessages}
          />
          {isWaiting ? (
            <span
              role="img"
              className={css.waits}
              data-unread={chat.unread || undefined}
              title={waits}
              aria-label={waits}
            />
          ) : null}
          {props.inInbox && chat.assignee ? (
            <bdi className={css.chatAssignee}>{chat.assignee.name}</bdi>
          ) : null}
          {bot ? (
            <span className={css.chatBot}>
              <bdi>{botName(bot)}</bdi>
            </span>
          ) : null}
        </span>
      </span>
    </a>
  );
});
