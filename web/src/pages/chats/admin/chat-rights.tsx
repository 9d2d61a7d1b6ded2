import type { Chat } from '../../../api/chats.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { rightsIn } from './admin-rights.ts';
import css from '../person.module.css';

/** The bot's own rights in the chat, and those it lacks. */
export function ChatRights(props: { chat: Chat }) {
  const { chat } = props;
  const { chatInfo, rights } = useT();
  if (chat.refreshed_at === '') return null;
  if (chat.status === 'left' || chat.status === 'kicked') {
    return (
      <SideSection title={chatInfo.rights}>
        <p className={css.small}>{chatInfo.notThere}</p>
      </SideSection>
    );
  }
  if (chat.status !== 'administrator' && chat.status !== 'creator') {
    return (
      <SideSection title={chatInfo.rights}>
        <p className={css.small}>{chatInfo.plainMember}</p>
      </SideSection>
    );
  }
  return (
    <SideSection title={chatInfo.rights}>
      <ul className={css.pieces}>
        {rightsIn(chat.type)
          .filter((right) => right in chat.rights)
          .map((right) => {
            const has = chat.rights[right] === true;
            return (
              <li key={right} data-off={has ? undefined : true}>
                <Icon name={has ? 'check' : 'cross'} size={14} />
                <span>
                  {rights.names[right]}
                  <span className="visually-hidden">: {has ? chatInfo.has : chatInfo.lacks}</span>
                </span>
              </li>
            );
          })}
      </ul>
    </SideSection>
  );
}
