import { useQuery } from '@tanstack/react-query';
import type { ChatPlace } from '../../api/chats.ts';
import { pinnedQuery } from '../../api/messages.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { SideSection } from '../../ui/side-panel.tsx';
import { MessageLine } from './message-line.tsx';
import css from './person.module.css';

/** What is pinned in the chat, as far as the platform told. */
export function PinnedMessages(props: { place: ChatPlace; onGo: (messageId: number) => void }) {
  const { chatInfo } = useT();
  const query = useQuery(pinnedQuery(props.place));
  if (query.isPending) return null;
  return (
    <SideSection title={chatInfo.pinned}>
      {query.isError ? <ErrorBox error={query.error} /> : null}
      {query.data?.length === 0 ? <p className={css.small}>{chatInfo.noPinned}</p> : null}
      <ul className={css.lines}>
        {query.data?.map((message) => (
          <li key={message.id}>
            <MessageLine message={message} onGo={props.onGo} />
          </li>
        ))}
      </ul>
    </SideSection>
  );
}
