import { Link } from '@tanstack/react-router';
import type { Stats } from '../../api/activity.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import css from './statistics.module.css';

/** Lists people; each links to the chosen chat, or to the private chat with the bot. */
export function TopPeople(props: { botId: number; chatId: number; people: Stats['top_people'] }) {
  const { chats, statistics } = useT();
  const format = useFormat();
  const most = Math.max(1, ...props.people.map((person) => person.messages));
  if (props.people.length === 0) return <p>{statistics.nobody}</p>;
  return (
    <ol className={css.top}>
      {props.people.map((person) => {
        const full = [person.first_name, person.last_name].filter(Boolean).join(' ');
        const name = full || (person.username ? `@${person.username}` : chats.unknownPerson);
        return (
          <li key={person.user_id}>
            <Avatar id={person.user_id} name={name} size={30} />
            <Link
              to="/chats/$botId/$chatId"
              params={{
                botId: String(props.botId),
                chatId: String(props.chatId || person.user_id),
              }}
              search={{ about: person.user_id }}
              className={css.topName}
              preload={false}
            >
              {name}
            </Link>
            <span className="tabular">{format.number(person.messages)}</span>
            <span className={css.bar}>
              <i style={{ width: `${(person.messages / most) * 100}%` }} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
