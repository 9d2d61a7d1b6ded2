import { ActionIcon, Tooltip } from '@mantine/core';
import { memo } from 'react';
import type { Message } from '../../api/types.ts';
import type { Messages } from '../../i18n/en.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import css from './chats.module.css';
import { type HistoryItem, speakerName } from './history-items.ts';
import { MessageMedia } from './message-media.tsx';

interface BubbleProps {
  item: Extract<HistoryItem, { kind: 'message' }>;
  /** The message it answers, when it is loaded. */
  origin: Message | undefined;
  flash: boolean;
  onReply: (message: Message) => void;
  onPerson: (message: Message) => void;
  onJump: (messageId: number) => void;
}

export const MessageBubble = memo(function MessageBubble(props: BubbleProps) {
  const { item } = props;
  const { leads, message, own } = item;
  const t = useT();
  const name = speakerName(message) || t.chats.unknownPerson;
  const isPress = message.media_type === 'callback';
  return (
    <div
      className={css.message}
      data-own={own || undefined}
      data-leads={leads || undefined}
      data-flash={props.flash || undefined}
      data-message={message.id}
    >
      {own ? null : leads ? <Avatar id={message.user_id} name={name} size={36} /> : <span />}
      <div className={css.bubbleRow}>
        <div className={css.bubble}>
          {leads && !own ? (
            <button type="button" className={css.speaker} onClick={() => props.onPerson(message)}>
              {name}
            </button>
          ) : null}
          <Quote {...props} />
          {isPress ? (
            <span className={css.press}>
              <Icon name="press" size={16} />
              {t.chats.pressed}: <span className="mono">{message.text}</span>
            </span>
          ) : (
            <>
              {message.media_type ? <MessageMedia message={message} /> : null}
              <span className={message.deleted_at ? css.gone : undefined}>{message.text}</span>
              {message.text === '' && !message.media_type ? (
                <em className={css.press}>{t.chats.noWords}</em>
              ) : null}
            </>
          )}
          <Stamp message={message} />
        </div>
        {isPress ? null : (
          <Tooltip label={t.chats.reply}>
            <ActionIcon
              className={css.tool}
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`${t.chats.reply}: ${message.text.slice(0, 40)}`}
              onClick={() => props.onReply(message)}
            >
              <Icon name="reply" size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </div>
  );
});

function Quote(props: BubbleProps) {
  const { origin } = props;
  const originId = props.item.message.reply_to_message_id;
  const t = useT();
  if (originId === undefined) return null;
  return (
    <button
      type="button"
      className={css.quote}
      title={t.chats.origin}
      onClick={() => props.onJump(originId)}
    >
      {origin ? `${speakerName(origin)}: ${shortOf(origin, t)}` : t.chats.origin}
    </button>
  );
}

function Stamp(props: { message: Message }) {
  const { message } = props;
  const t = useT();
  const format = useFormat();
  const marks = [
    message.deleted_at ? t.chats.deleted : '',
    message.edited_at ? t.chats.edited : '',
  ];
  return (
    <time className={css.stamp} title={format.dateTime(message.date * 1_000)}>
      {[...marks, format.time(message.date * 1_000)].filter(Boolean).join(' ')}
    </time>
  );
}

export function shortOf(message: Message, t: Messages): string {
  if (message.text !== '') return message.text;
  const kind = message.media_type as keyof typeof t.chats.kinds | undefined;
  return kind ? (t.chats.kinds[kind] ?? kind) : '';
}
