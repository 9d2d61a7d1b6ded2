import { ActionIcon, CloseButton, Textarea } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { sendMessage } from '../../api/messages.ts';
import type { Bot, Message } from '../../api/types.ts';
import { useMay } from '../../app/shell/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import css from './chats.module.css';
import { speakerName } from './history-items.ts';
import { shortOf } from './message-bubble.tsx';

const longest = 4096;

export function Composer(props: {
  bot: Bot;
  chatId: number;
  replyTo: Message | undefined;
  onDone: () => void;
}) {
  const { bot, chatId, replyTo } = props;
  const t = useT();
  const may = useMay('send');
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  // One key per text that is to be sent: pressing twice, or again after a lost answer, sends once.
  const attempt = useRef(crypto.randomUUID());
  const send = useAction({
    run: () =>
      sendMessage(
        {
          bot_id: bot.id,
          chat_id: chatId,
          text,
          ...(replyTo ? { reply_to_message_id: replyTo.id } : {}),
        },
        attempt.current,
      ),
    quiet: true,
    done: () => {
      setText('');
      attempt.current = crypto.randomUUID();
      props.onDone();
    },
  });
  useEffect(() => {
    if (replyTo) field.current?.focus();
  }, [replyTo]);

  function submit(): void {
    if (text.trim() !== '' && !send.isPending) send.mutate(undefined);
  }
  if (!may) return <div className={css.composer}>{t.chats.readOnly}</div>;
  if (bot.disabled) return <div className={css.composer}>{t.chats.disabledBot}</div>;
  return (
    <form
      className={css.composer}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {send.error ? <ErrorBox error={send.error} /> : null}
      {replyTo ? (
        <div className={css.replying}>
          <Icon name="reply" size={16} />
          <span>
            <strong>{t.chats.replyingTo(speakerName(replyTo))}</strong> {shortOf(replyTo, t)}
          </span>
          <CloseButton size="sm" aria-label={t.common.cancel} onClick={props.onDone} />
        </div>
      ) : null}
      <div className={css.composerRow}>
        <Textarea
          ref={field}
          aria-label={t.chats.write}
          placeholder={t.chats.write}
          autosize
          minRows={1}
          maxRows={8}
          maxLength={longest}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            attempt.current = crypto.randomUUID();
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              submit();
            }
          }}
        />
        <ActionIcon type="submit" size={36} aria-label={t.chats.send} loading={send.isPending}>
          <Icon name="send" />
        </ActionIcon>
      </div>
    </form>
  );
}
