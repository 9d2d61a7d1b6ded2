import type { FullMessage } from '../../../api/messages.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { speakerName } from './history-items.ts';
import { shortOf } from './message-words.ts';
import css from '../person.module.css';

/** Shows a message outside the history; a click shows it there. */
export function MessageLine(props: {
  message: FullMessage;
  current?: boolean;
  onGo: (messageId: number) => void;
}) {
  const { message } = props;
  const t = useT();
  const format = useFormat();
  const at = message.date * 1_000;
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return (
    <button
      type="button"
      className={css.line}
      aria-current={props.current || undefined}
      onClick={() => props.onGo(message.id)}
    >
      <span className={css.lineHead}>
        <strong dir="auto">{speakerName(message) || t.chats.unknownPerson}</strong>
        <time title={format.dateTime(at)}>{isToday ? format.time(at) : format.shortDay(at)}</time>
      </span>
      <bdi>{shortOf(message, t) || t.chats.noWords}</bdi>
      {message.deleted_at === undefined ? null : (
        <span className={css.small}> {t.chats.deleted}</span>
      )}
    </button>
  );
}
