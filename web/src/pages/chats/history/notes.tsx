import { useQuery } from '@tanstack/react-query';
import type { Bot } from '../../../api/client/types.ts';
import { type Note, profileQuery } from '../../../api/people.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import css from '../message.module.css';

const none: readonly Note[] = [];
/** Notes cause no event. */
const lookEveryMs = 30_000;

/** The notes about the person of a private chat. */
export function useNotes(bot: Bot, chatId: number): readonly Note[] {
  const who = { bot_id: bot.id, chat_id: chatId, user_id: chatId };
  const isKnown = bot.manage_enabled && chatId > 0;
  const query = { ...profileQuery(who), enabled: isKnown, refetchInterval: lookEveryMs };
  return useQuery(query).data?.notes ?? none;
}

/** An internal note in the flow of the chat; the person never sees it. */
export function NoteLine({ note }: { note: Note }) {
  const { people } = useT();
  const format = useFormat();
  return (
    <div className={css.note} role="note" aria-label={people.internalNote}>
      <bdi>{note.text}</bdi>
      <span>
        {people.internalNote} · {note.author} ·{' '}
        <time dateTime={note.created_at} title={format.dateTime(note.created_at)}>
          {format.time(note.created_at)}
        </time>
      </span>
    </div>
  );
}
