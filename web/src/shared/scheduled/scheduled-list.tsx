import { UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { gather } from '../../api/client/gather.ts';
import { onLiveEvent } from '../../api/client/live.ts';
import { scheduledQuery } from '../../api/scheduled.ts';
import { useT } from '../../i18n/use-t.tsx';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import css from './scheduled.module.css';

const ScheduledRows = lazyPart(
  async () => (await import('./scheduled-rows.tsx')).ScheduledRows,
  <RowsSkeleton rows={1} />,
);

const gatherMs = 300;

/** The scheduled messages of a chat, or of all chats of a bot; nothing if there are none. */
export function ScheduledList(props: { botId: number; chatId?: number; isOpen?: boolean }) {
  const { botId, chatId } = props;
  const { scheduled: words } = useT();
  const query = scheduledQuery(botId, chatId);
  const rows = useQuery(query).data ?? [];
  const [isOpen, setOpen] = useState(props.isOpen ?? false);
  useFreshList(botId, chatId);
  if (rows.length === 0) return null;
  const held = rows.filter(({ state }) => state === 'held').length;
  return (
    <section className={css.list} aria-label={words.title}>
      {props.isOpen ? null : (
        <UnstyledButton
          className={css.head}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="clock" size={16} />
          {words.count(rows.length)}
          {held > 0 ? <span className={css.held}>{words.heldCount(held)}</span> : null}
          <Icon name={isOpen ? 'down' : 'right'} size={14} />
        </UnstyledButton>
      )}
      {isOpen ? <ScheduledRows rows={rows} showsChat={chatId === undefined} /> : null}
    </section>
  );
}

/** Messages leave the list when they are sent, and others add some. */
function useFreshList(botId: number, chatId: number | undefined): void {
  const client = useQueryClient();
  useEffect(() => {
    const { queryKey } = scheduledQuery(botId, chatId);
    const reads = gather(async () => client.invalidateQueries({ queryKey, exact: true }), gatherMs);
    const stop = onLiveEvent(({ type, data }) => {
      const isHere = (type === 'chat' || type === 'message') && data.bot_id === botId;
      if (isHere && (chatId === undefined || data.chat_id === chatId)) reads.ask();
    });
    return () => {
      stop();
      reads.stop();
    };
  }, [client, botId, chatId]);
}
