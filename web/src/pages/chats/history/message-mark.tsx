import { Link } from '@tanstack/react-router';
import type { Message } from '../../../api/client/types.ts';
import type { Found } from '../../../api/messages.ts';
import type { Mark, MessageKey } from '../../../api/timeline.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import type { BubbleActions } from './bubble-actions.ts';
import css from '../timeline.module.css';
import { useMark } from './use-marks.tsx';

const icons: Record<Exclude<Mark, 'none'>, IconName> = {
  failed: 'warn',
  waiting: 'clock',
  delivered: 'check',
  nobody: 'dash',
};

/** Shows in a word what became of a message; a click shows where it went. */
export function MessageMark(props: { message: Message; actions: BubbleActions }) {
  const { message } = props;
  const { timeline } = useT();
  const mark = useMark(message);
  if (mark === undefined || mark === 'none') return null;
  const words = timeline.markLabel(timeline.marks[mark]);
  return (
    <button
      type="button"
      className={css.mark}
      data-mark={mark}
      title={words}
      aria-label={words}
      onClick={() => props.actions.onTrace(message)}
    >
      <Icon name={icons[mark]} size={13} />
    </button>
  );
}

/** The same mark at a message that a search found; it leads to the timeline. */
export function HitMark(props: { hit: Found; onGo: (() => void) | undefined }) {
  const { bot_id, chat_id, id } = props.hit;
  const { timeline } = useT();
  const mark = useMark(props.hit);
  if (mark === undefined || mark === 'none') return null;
  const words = timeline.markLabel(timeline.marks[mark]);
  return (
    <Link
      to="/chats/$botId/$chatId"
      params={{ botId: String(bot_id), chatId: String(chat_id) }}
      search={{ message: id, timeline: id }}
      className={`${css.mark} ${css.hitMark}`}
      data-mark={mark}
      title={words}
      aria-label={words}
      preload={false}
      onClick={() => props.onGo?.()}
    >
      <Icon name={icons[mark]} size={13} />
    </Link>
  );
}

/** The same mark in a row that does something else when pressed. */
export function PlainMark(props: { message: MessageKey }) {
  const { timeline } = useT();
  const mark = useMark(props.message);
  if (mark === undefined || mark === 'none') return null;
  const words = timeline.marks[mark];
  return (
    <span role="img" className={css.plainMark} data-mark={mark} title={words} aria-label={words}>
      <Icon name={icons[mark]} size={13} />
    </span>
  );
}
