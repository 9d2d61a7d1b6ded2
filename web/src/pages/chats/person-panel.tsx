import { CloseButton } from '@mantine/core';
import type { Bot, Message } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import css from './chats.module.css';
import { speakerName } from './history-items.ts';
import { PersonTags } from './person-tags.tsx';

/** Who this is, as far as the stored messages tell, and the tags of this chat. */
export function PersonPanel(props: {
  bot: Bot;
  chatId: number;
  /** Any message of theirs. */
  known: Message;
  count: number;
  onClose: () => void;
}) {
  const { known } = props;
  const t = useT();
  const format = useFormat();
  const name = speakerName(known) || t.chats.unknownPerson;
  return (
    <aside className={css.person} aria-label={t.chats.about(name)}>
      <CloseButton
        aria-label={t.chats.hidePerson}
        style={{ float: 'right' }}
        onClick={props.onClose}
      />
      <div className={css.personHead}>
        <Avatar id={known.user_id} name={name} size={72} />
        <h2>{name}</h2>
        {known.username ? <span className={css.chatSub}>@{known.username}</span> : null}
      </div>
      <dl className={css.facts}>
        <dt>{t.chats.personId}</dt>
        <dd className="mono">{known.user_id}</dd>
        <dt>{t.chats.messagesHere}</dt>
        <dd className="tabular">{format.number(props.count)}</dd>
      </dl>
      <PersonTags bot={props.bot} chatId={props.chatId} userId={known.user_id} />
    </aside>
  );
}
