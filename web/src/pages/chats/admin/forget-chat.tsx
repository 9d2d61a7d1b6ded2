import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { type ChatKey, forgetChat } from '../../../api/chats.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Confirm } from '../../../ui/feedback/confirm.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { SideSection } from '../../../ui/side-panel.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { type ChatSearch, listSearchOf } from '../chat-search.ts';
import css from '../person.module.css';

/** Deletes the stored data of a chat, after explaining the effect. */
export function ForgetChat(props: { chatKey: ChatKey; title: string }) {
  const { chatKey, title } = props;
  const t = useT();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const forget = useAction({
    run: () => forgetChat(chatKey),
    refreshes: [['chats']],
    done: () => {
      setAsking(false);
      void navigate({ to: '/chats', search: (before: ChatSearch) => listSearchOf(before) });
      client.removeQueries({ queryKey: ['messages', chatKey.bot_id, chatKey.chat_id] });
      return t.chatInfo.forgotten(title);
    },
  });
  return (
    <SideSection title={t.chatInfo.forget}>
      <p className={css.small}>{t.chatInfo.forgetHint}</p>
      <Button
        size="compact-sm"
        variant="default"
        c="var(--bad)"
        leftSection={<Icon name="trash" size={15} />}
        onClick={() => setAsking(true)}
      >
        {t.chatInfo.forget}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={t.chatInfo.forgetAsk(title)}
        confirmLabel={t.chatInfo.forgetConfirm}
        busy={forget.isPending}
        onConfirm={() => forget.mutate(undefined)}
      >
        <ul className={css.means}>
          {t.chatInfo.forgetMeans.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </Confirm>
    </SideSection>
  );
}
