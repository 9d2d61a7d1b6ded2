import { CloseButton, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Profile, profileQuery } from '../../api/people.ts';
import type { Bot, Message } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { speakerName } from './history-items.ts';
import { EnableManagement } from './management-off.tsx';
import { PersonActions } from './person-actions.tsx';
import { PersonNotes } from './person-notes.tsx';
import { PersonTags } from './person-tags.tsx';
import { PersonWarnings } from './person-warnings.tsx';
import css from './person.module.css';

/** Who this is, what was noted about them, and what can be done. */
export function PersonPanel(props: {
  bot: Bot;
  chatId: number;
  /** Any message of theirs. */
  known: Message;
  onClose: () => void;
}) {
  const { bot, chatId, known } = props;
  const t = useT();
  const who = { bot_id: bot.id, chat_id: chatId, user_id: known.user_id };
  const query = useQuery({ ...profileQuery(who), enabled: bot.manage_enabled });
  const profile = query.data;
  const name = speakerName(profile ?? known) || t.chats.unknownPerson;
  const username = profile?.username ?? known.username;
  return (
    <aside className={css.person} data-person aria-label={t.chats.about(name)}>
      <CloseButton
        aria-label={t.chats.hidePerson}
        style={{ float: 'right' }}
        onClick={props.onClose}
      />
      <div className={css.personHead}>
        <Avatar id={known.user_id} name={name} size={72} />
        <h2>{name}</h2>
        {username ? <span className={css.small}>@{username}</span> : null}
      </div>
      <Facts who={known.user_id} profile={profile} chatId={chatId} />
      {query.isLoading ? <Skeleton height={120} radius={12} mb={16} /> : null}
      {query.isError ? <ErrorBox error={query.error} onRetry={() => void query.refetch()} /> : null}
      {bot.manage_enabled ? null : (
        <div className={css.section}>
          <p className={css.small}>{t.people.managementOff}</p>
          <EnableManagement bot={bot} />
        </div>
      )}
      <PersonTags bot={bot} chatId={chatId} userId={known.user_id} />
      {profile ? (
        <>
          {chatId < 0 ? <PersonActions who={who} profile={profile} /> : null}
          <PersonWarnings who={who} warnings={profile.warnings} />
          <PersonNotes who={who} notes={profile.notes} />
          <OtherChats botId={bot.id} chatId={chatId} profile={profile} />
        </>
      ) : null}
    </aside>
  );
}

function Facts(props: { who: number; profile: Profile | undefined; chatId: number }) {
  const { profile } = props;
  const t = useT();
  const format = useFormat();
  const status = profile?.member?.status as keyof typeof t.people.statuses | undefined;
  return (
    <dl className={css.facts}>
      <dt>{t.chats.personId}</dt>
      <dd className="mono">{props.who}</dd>
      {status ? (
        <>
          <dt>{t.people.status}</dt>
          <dd>{t.people.statuses[status] ?? status}</dd>
        </>
      ) : null}
      {profile ? (
        <>
          <dt>{t.people.messages}</dt>
          <dd className="tabular">{format.number(profile.messages)}</dd>
          <dt>{t.people.lastSeen}</dt>
          <dd>
            <TimeAgo at={profile.last_seen_at} />
          </dd>
          {profile.language_code === '' ? null : (
            <>
              <dt>{t.people.language}</dt>
              <dd>{profile.language_code}</dd>
            </>
          )}
          {profile.names.length > 1 ? (
            <>
              <dt>{t.people.formerNames}</dt>
              <dd>
                {profile.names
                  .slice(1, 4)
                  .map((one) => speakerName(one))
                  .join(', ')}
              </dd>
            </>
          ) : null}
        </>
      ) : null}
    </dl>
  );
}

function OtherChats(props: { botId: number; chatId: number; profile: Profile }) {
  const t = useT();
  const others = props.profile.chats.filter((chat) => chat.chat_id !== props.chatId);
  if (others.length === 0) return null;
  return (
    <section className={css.section}>
      <h3 className={css.sectionTitle}>{t.people.otherChats}</h3>
      <ul className={css.entries}>
        {others.map((chat) => (
          <li key={chat.chat_id}>
            <Link
              to="/chats/$botId/$chatId"
              params={{ botId: String(props.botId), chatId: String(chat.chat_id) }}
            >
              {chat.title || chat.chat_id}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
