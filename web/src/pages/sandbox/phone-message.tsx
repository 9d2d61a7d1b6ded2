import { post } from '../../api/client/client.ts';
import {
  callbackAnswer,
  type InlineButton,
  personName,
  type ShownMessage,
} from '../../api/sandbox.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { FormattedText } from '../../ui/formatted-text.tsx';
import { Icon } from '../../ui/icon.tsx';
import { toast } from '../../ui/feedback/toast.tsx';
import { useAction } from '../../shared/use-action.ts';
import { payWords } from './phone-pay.ts';
import { PhoneMedia, type Picture } from './phone-media.tsx';
import { PhoneMessageMenu } from './phone-message-menu.tsx';
import { previewOf, serviceWords } from './phone-words.ts';
import css from './phones.module.css';

export function PhoneMessage(props: {
  shown: ShownMessage;
  userId: number;
  chatId: number;
  withAuthor: boolean;
  onReply: () => void;
  onEdit: () => void;
  onView: (picture: Picture) => void;
}) {
  const { shown } = props;
  const { message } = shown;
  const t = useT();
  const format = useFormat();
  const service = serviceWords(message, t);
  if (service !== undefined) return <div className={css.service}>{service}</div>;
  return (
    <div className={css.line} data-out={shown.outgoing || undefined}>
      <div className={css.bubbleRow}>
        <div className={css.bubble} onDoubleClick={props.onReply}>
          {props.withAuthor && !shown.outgoing && message.from ? (
            <span className={css.author}>{personName(message.from)}</span>
          ) : null}
          {message.reply_to_message ? (
            <span className={css.quote} dir="auto">
              {previewOf(message.reply_to_message, t)}
            </span>
          ) : null}
          <PhoneMedia message={message} onView={props.onView} />
          <FormattedText
            text={message.text ?? message.caption ?? ''}
            entities={message.entities ?? message.caption_entities}
          />
          <span className={css.stamp}>
            {shown.pinned ? (
              <span role="img" title={t.people.pinned} aria-label={t.people.pinned}>
                <Icon name="pin" size={12} />{' '}
              </span>
            ) : null}
            {message.edit_date ? `${t.sandbox.edited} ` : ''}
            {format.time(message.date * 1_000)}
          </span>
        </div>
        <PhoneMessageMenu
          shown={shown}
          userId={props.userId}
          chatId={props.chatId}
          onReply={props.onReply}
          onEdit={props.onEdit}
        />
      </div>
      <Buttons
        rows={message.reply_markup?.inline_keyboard ?? []}
        userId={props.userId}
        chatId={props.chatId}
        messageId={message.message_id}
      />
    </div>
  );
}

function Buttons(props: {
  rows: InlineButton[][];
  userId: number;
  chatId: number;
  messageId: number;
}) {
  const t = useT();
  const press = useAction({
    run: async (button: InlineButton) => {
      const { chatId, messageId, userId } = props;
      if (button.pay) return payWords({ user: userId, chat: chatId, message_id: messageId }, t);
      const pressed = await post('/api/sandbox/press', {
        body: {
          user: userId,
          chat: chatId,
          message_id: messageId,
          button: button.text,
        },
      });
      const answer = pressed.id === undefined ? undefined : await waitForAnswer(pressed.id);
      return answer && t.sandbox.answered(answer);
    },
    refreshes: [['sandbox']],
    done: (words) => {
      if (words) toast(words);
    },
  });
  if (props.rows.length === 0) return null;
  return (
    <div className={css.buttons}>
      {props.rows.map((row, at) => (
        <div key={at} className={css.buttonRow}>
          {row.map((button, column) =>
            button.url ? (
              <a key={column} className={css.button} href={button.url} rel="noreferrer">
                {button.text}
              </a>
            ) : (
              <button
                key={column}
                type="button"
                className={css.button}
                disabled={press.isPending || button.disabled !== undefined}
                onClick={() => press.mutate(button)}
              >
                {button.text}
              </button>
            ),
          )}
        </div>
      ))}
    </div>
  );
}

/** Returns the bot's answer to a button press, if it comes within a few seconds. */
async function waitForAnswer(id: string): Promise<string | undefined> {
  for (let tries = 0; tries < 8; tries += 1) {
    const answer = await callbackAnswer(id);
    if (!answer.pending) return answer.text;
    await new Promise((resolve) => window.setTimeout(resolve, 400));
  }
  return undefined;
}
