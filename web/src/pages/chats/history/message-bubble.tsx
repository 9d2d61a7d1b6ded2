import { memo, type ReactNode } from 'react';
import type { Message } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FormattedText } from '../../../ui/formatted-text.tsx';
import { Said } from '../../../ui/feedback/said.tsx';
import type { BubbleActions } from './bubble-actions.ts';
import { isBusiness, speakerName } from './history-items.ts';
import css from '../message.module.css';
import { MessageButtons } from './message-buttons.tsx';
import { MessageEdits } from './message-edits.tsx';
import { MessageMedia } from './message-media.tsx';
import { MessageMark } from './message-mark.tsx';
import { MessageMenu } from './message-menu.tsx';
import { authorWords, pressWords, shortOf } from './message-words.ts';

interface BubbleProps {
  message: Message;
  /** True for the first of several in a row by the same person. */
  leads: boolean;
  /** True for messages of the bot. */
  own: boolean;
  /** The message it replies to, if it is loaded. */
  origin: Message | undefined;
  flash: boolean;
  /** True if chat management is on for the bot. */
  managed: boolean;
  /** The owner of the business account that the chat belongs to; '' when unknown. */
  account: string;
  actions: BubbleActions;
}

export const MessageBubble = memo(function MessageBubble(props: BubbleProps) {
  const { actions, leads, managed, message, own } = props;
  const t = useT();
  const maySend = useMay('chats', 'send');
  const name = speakerName(message) || t.chats.unknownPerson;
  const isPress = message.media_type === 'callback';
  const isGone = message.deleted_at !== undefined;
  const throughAccount = isBusiness(message);
  return (
    <div
      className={css.message}
      data-own={own || undefined}
      data-leads={leads || undefined}
      data-flash={props.flash || undefined}
      data-message={message.id}
    >
      {leads && !own ? <Avatar id={message.user_id} name={name} size={36} /> : null}
      <div className={css.bubbleRow}>
        <Framed buttons={message.buttons}>
          <div className={css.bubble} data-gone={isGone || undefined}>
            {leads && !own ? (
              <button
                type="button"
                className={css.speaker}
                onClick={() => actions.onPerson(message)}
              >
                {name}
              </button>
            ) : null}
            {leads && throughAccount ? (
              <span className={css.account}>
                <Icon name="briefcase" size={13} />
                {t.chats.businessAccount(props.account)}
              </span>
            ) : null}
            {isPress ? null : <Quote {...props} />}
            {isPress ? (
              <Press {...props} />
            ) : (
              <>
                {message.media_type ? (
                  <MessageMedia message={message} managed={managed} onView={actions.onView} />
                ) : null}
                <span className={isGone ? css.gone : undefined}>
                  <FormattedText text={message.text} entities={message.entities} />
                </span>
                {message.text === '' && !message.media_type ? (
                  <em className={css.press}>{shortOf(message, t)}</em>
                ) : null}
              </>
            )}
            <Stamp message={message} managed={managed} actions={actions} />
          </div>
        </Framed>
        {isPress ? null : (
          <span className={css.tools}>
            {maySend ? (
              <button
                type="button"
                className={css.tool}
                title={t.chats.reply}
                aria-label={t.common.labelled(t.chats.reply, message.text.slice(0, 40))}
                onClick={() => actions.onReply(message)}
              >
                <Icon name="reply" size={15} />
              </button>
            ) : null}
            {managed && !isGone ? (
              <MessageMenu message={message} own={own} actions={actions} />
            ) : null}
          </span>
        )}
      </div>
    </div>
  );
});

/** Gives a message and the buttons below it the same width. */
function Framed(props: { buttons: Message['buttons']; children: ReactNode }) {
  const { buttons, children } = props;
  if (!buttons) return children;
  return (
    <div className={css.withButtons}>
      {children}
      <MessageButtons buttons={buttons} />
    </div>
  );
}

/** A pressed button links to its message. */
function Press(props: BubbleProps) {
  const { message } = props;
  const t = useT();
  const originId = message.reply_to_message_id;
  const data = `callback_data: ${message.text}`;
  const words = (
    <>
      <Icon name="press" size={16} />
      {pressWords(message, t, props.origin)}
    </>
  );
  if (originId === undefined) {
    return (
      <span className={css.press} title={data}>
        {words}
      </span>
    );
  }
  return (
    <button
      type="button"
      className={css.press}
      title={data}
      aria-description={t.chats.origin}
      onClick={() => props.actions.onJump(originId)}
    >
      {words}
    </button>
  );
}

function Quote(props: BubbleProps) {
  const { origin } = props;
  const originId = props.message.reply_to_message_id;
  const t = useT();
  if (originId === undefined) return null;
  return (
    <button
      type="button"
      className={css.quote}
      title={t.chats.origin}
      onClick={() => props.actions.onJump(originId)}
    >
      {origin ? <Said who={speakerName(origin)} words={shortOf(origin, t)} /> : t.chats.origin}
    </button>
  );
}

function Stamp(props: { message: Message; managed: boolean; actions: BubbleActions }) {
  const { managed, message } = props;
  const t = useT();
  const format = useFormat();
  const { author, deleted_at, edited_at, pinned } = message;
  const at = message.date * 1_000;
  if (!author && deleted_at === undefined && edited_at === undefined && !pinned) {
    return (
      <span className={css.stamp}>
        <time title={format.dateTime(at)}>{format.time(at)}</time>
        <MessageMark message={message} actions={props.actions} />
      </span>
    );
  }
  return (
    <span className={css.stamp}>
      {pinned ? (
        <span
          role="img"
          className={css.pinned}
          title={t.people.pinned}
          aria-label={t.people.pinned}
        >
          <Icon name="pin" size={13} />
        </span>
      ) : null}
      {author ? (
        <span title={t.chats.sentBy[author.kind](author.name)}>
          <bdi>{authorWords(author, t)}</bdi> ·{' '}
        </span>
      ) : null}
      {deleted_at === undefined ? null : (
        <span title={format.dateTime(deleted_at * 1_000)}>{t.chats.deleted} </span>
      )}
      {edited_at === undefined ? null : managed ? (
        <MessageEdits message={message} />
      ) : (
        `${t.chats.edited} `
      )}
      <time title={format.dateTime(at)}>{format.time(at)}</time>
      <MessageMark message={message} actions={props.actions} />
    </span>
  );
}
