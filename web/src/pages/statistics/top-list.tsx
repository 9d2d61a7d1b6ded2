import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/activity.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import css from './statistics.module.css';

/** Lists people; each links to the chosen chat, or to the private chat with the bot. */
export function TopPeople(props: { stats: Stats }) {
  const { bot_id: botId, chat_id: chatId, top_people: people } = props.stats;
  const { chats, statistics } = useT();
  if (people.length === 0) return <p>{statistics.nobody}</p>;
  return (
    <TopList
      botId={botId}
      rows={people.map(({ first_name, last_name, messages, user_id: id, username }) => {
        const full = [first_name, last_name].filter(Boolean).join(' ');
        const name = full || (username ? `@${username}` : chats.unknownPerson);
        return { id, name, messages, chatId: chatId || id, search: { about: id } };
      })}
    />
  );
}

/** Lists topics of the chat; each links to its messages. */
export function TopTopics(props: { stats: Stats }) {
  const { bot_id: botId, by_topic: topics, chat_id: chatId } = props.stats;
  const words = useT().topics;
  return (
    <TopList
      botId={botId}
      rows={topics.map(({ message_thread_id: id, name, received, sent }) => ({
        id,
        name: name || words.unnamed(id),
        messages: received + sent,
        chatId,
        search: { topic: id },
      }))}
    />
  );
}

interface Row {
  id: number;
  name: string;
  messages: number;
  /** Where the link leads. */
  chatId: number;
  search: { about?: number; topic?: number };
}

function TopList(props: { botId: number; rows: readonly Row[] }) {
  const format = useFormat();
  const most = Math.max(1, ...props.rows.map(({ messages }) => messages));
  return (
    <ol className={css.top}>
      {props.rows.map(({ chatId, id, messages, name, search }) => (
        <li key={id}>
          <Avatar id={id} name={name} size={30} />
          <Link
            to="/chats/$botId/$chatId"
            params={{ botId: String(props.botId), chatId: String(chatId) }}
            search={search}
            className={css.topName}
            preload={false}
            dir="auto"
          >
            {name}
          </Link>
          <span className="tabular">{format.number(messages)}</span>
          <span className={css.bar}>
            <i style={{ width: `${(messages / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}
