import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Profile, profileQuery } from '../../../api/people.ts';
import type { Bot, Message } from '../../../api/client/types.ts';
import { isolated } from '../../../i18n/isolate.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { Facts, SidePanel, SideSection } from '../../../ui/side-panel.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { speakerName } from '../history/history-items.ts';
import { EnableManagement } from '../admin/management-off.tsx';
import { PersonActions } from './person-actions.tsx';
import { PersonNotes } from './person-notes.tsx';
import { PersonTags } from './person-tags.tsx';
import { PersonWarnings } from './person-warnings.tsx';
import css from '../person.module.css';

/** Shows the person, their notes, and the actions. */
export function PersonPanel(props: {
  bot: Bot;
  chatId: number;
  userId: number;
  /** Any loaded message from the person. */
  known: Message | undefined;
  onClose: () => void;
}) {
  const { bot, chatId, known, userId } = props;
  const t = useT();
  const who = { bot_id: bot.id, chat_id: chatId, user_id: userId };
  const query = useQuery({ ...profileQuery(who), enabled: bot.manage_enabled });
  const profile = query.data;
  const seen = profile ?? known;
  const name = (seen && speakerName(seen)) || t.chats.unknownPerson;
  return (
    <SidePanel label={t.chats.about(name)} closeLabel={t.chats.hidePerson} onClose={props.onClose}>
      <div className={css.head}>
        <Avatar id={userId} name={name} size={72} />
        <h2>{name}</h2>
        {seen?.username ? <span className={css.small}>@{seen.username}</span> : null}
      </div>
      <PersonFacts userId={userId} profile={profile} />
      {query.isLoading ? <Skeleton height={120} radius={12} mb={16} /> : null}
      {query.isError ? <ErrorBox error={query.error} onRetry={() => void query.refetch()} /> : null}
      {bot.manage_enabled ? null : (
        <div className={css.note}>
          <p className={css.small}>{t.people.managementOff}</p>
          <EnableManagement bot={bot} />
        </div>
      )}
      <PersonTags bot={bot} chatId={chatId} userId={userId} />
      {profile ? (
        <>
          {chatId < 0 ? <PersonActions who={who} profile={profile} bot={bot} /> : null}
          <PersonWarnings who={who} warnings={profile.warnings} />
          <PersonNotes who={who} notes={profile.notes} />
          <OtherChats botId={bot.id} chatId={chatId} profile={profile} />
        </>
      ) : null}
    </SidePanel>
  );
}

function PersonFacts(props: { userId: number; profile: Profile | undefined }) {
  const { profile } = props;
  const t = useT();
  const format = useFormat();
  const status = profile?.member?.status as keyof typeof t.people.statuses | undefined;
  const former = profile?.names
    .slice(1, 4)
    .map((one) => isolated(speakerName(one)))
    .join(', ');
  return (
    <Facts
      facts={[
        [t.chats.personId, <span className="mono">{props.userId}</span>],
        [t.people.status, status ? (t.people.statuses[status] ?? status) : ''],
        [t.admins.customTitle, profile?.member?.title],
        [t.people.messages, profile ? format.number(profile.messages) : ''],
        [t.people.lastSeen, profile ? <TimeAgo at={profile.last_seen_at} /> : ''],
        [t.people.language, profile?.language_code],
        [t.people.formerNames, former],
      ]}
    />
  );
}

function OtherChats(props: { botId: number; chatId: number; profile: Profile }) {
  const t = useT();
  const others = props.profile.chats.filter((chat) => chat.chat_id !== props.chatId);
  if (others.length === 0) return null;
  return (
    <SideSection title={t.people.otherChats}>
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
    </SideSection>
  );
}
