import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeData } from '../../../api/client/change-data.ts';
import type { ChatKey } from '../../../api/chats.ts';
import { pinnedQuery, unpinAllMessages } from '../../../api/messages.ts';
import { rightsQuery } from '../../../api/people.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Confirm } from '../../../ui/feedback/confirm.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { MessageLine } from './message-line.tsx';
import css from '../person.module.css';
import { forgetPins } from './use-history.ts';
import { whyNot } from './decision-words.ts';

export function PinnedMessages(props: {
  chatKey: ChatKey;
  title: string;
  onGo: (messageId: number) => void;
}) {
  const { chatInfo } = useT();
  const may = useMay('chats', 'manage');
  const query = useQuery(pinnedQuery(props.chatKey));
  if (query.isPending) return null;
  const isEmpty = query.data?.length === 0;
  return (
    <SideSection
      title={chatInfo.pinned}
      actions={may && query.data && !isEmpty ? <UnpinAll {...props} /> : null}
    >
      {query.isError ? <ErrorBox error={query.error} /> : null}
      {isEmpty ? <p className={css.small}>{chatInfo.noPinned}</p> : null}
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

function UnpinAll(props: { chatKey: ChatKey; title: string }) {
  const { chatKey } = props;
  const t = useT();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const why = whyNot(useQuery(rightsQuery(chatKey)).data, 'unpin', t);
  const unpin = useAction({
    run: () => unpinAllMessages(chatKey),
    done: () => {
      setAsking(false);
      forgetPins(client, chatKey);
      changeData(client, pinnedQuery(chatKey).queryKey, () => []);
      return t.chatInfo.allUnpinned;
    },
  });
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={why !== ''}
        title={why}
        onClick={() => setAsking(true)}
      >
        {t.chatInfo.unpinAll}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        onConfirm={() => unpin.mutate(undefined)}
        title={t.chatInfo.unpinAllTitle(props.title)}
        confirmLabel={t.chatInfo.unpinAll}
        busy={unpin.isPending}
      >
        {t.chatInfo.unpinAllHint}
      </Confirm>
    </>
  );
}
