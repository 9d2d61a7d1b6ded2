import { ActionIcon, Button, Group, Textarea, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { gather } from '../../api/client/gather.ts';
import { onLiveEvent } from '../../api/client/live.ts';
import {
  cancelScheduled,
  type Scheduled,
  scheduledQuery,
  updateScheduled,
} from '../../api/scheduled.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { sendErrorWords } from '../error-words.ts';
import { useAction } from '../use-action.ts';
import { useMay } from '../use-session.ts';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { Said } from '../../ui/feedback/said.tsx';
import { MomentField } from '../../ui/forms/moment-field.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';
import { Icon } from '../../ui/icon.tsx';
import css from './scheduled.module.css';

const gatherMs = 300;

/** The scheduled messages of a chat, or of all chats of a bot; nothing if there are none. */
export function ScheduledList(props: { botId: number; chatId?: number; isOpen?: boolean }) {
  const { botId, chatId } = props;
  const { scheduled: words } = useT();
  const query = scheduledQuery(botId, chatId);
  const rows = useQuery(query).data ?? [];
  const [isOpen, setOpen] = useState(props.isOpen ?? false);
  const [changed, setChanged] = useState<Scheduled>();
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
      {isOpen
        ? rows.map((row) => (
            <ScheduledRow
              key={row.scheduled_id}
              row={row}
              showsChat={chatId === undefined}
              onEdit={() => setChanged(row)}
            />
          ))
        : null}
      {changed ? <ScheduledDialog row={changed} onClose={() => setChanged(undefined)} /> : null}
    </section>
  );
}

function ScheduledRow(props: { row: Scheduled; showsChat: boolean; onEdit: () => void }) {
  const { row } = props;
  const t = useT();
  const { chats, scheduled: words } = t;
  const format = useFormat();
  const may = useMay('chats', 'send');
  const cancel = useAction({
    run: () => cancelScheduled(row.scheduled_id),
    refreshes: [['scheduled', row.bot_id]],
    done: () => words.canceled,
  });
  return (
    <div className={css.row}>
      <div className={css.what}>
        <div className={css.when}>
          {format.dateTime(row.send_at * 1_000)}
          {props.showsChat ? ` · ${row.chat_id}` : ''}
        </div>
        <Said who={row.author?.name} words={row.text || row.file_name || chats.noWords} />
        {row.error === '' ? null : (
          <div className={css.error}>{sendErrorWords(row.error, row.error_detail, t)}</div>
        )}
      </div>
      {may ? (
        <>
          <Tooltip label={words.change}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.change}
              onClick={props.onEdit}
            >
              <Icon name="edit" />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={words.cancel}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={words.cancel}
              loading={cancel.isPending}
              onClick={() => cancel.mutate(undefined)}
            >
              <Icon name="cross" />
            </ActionIcon>
          </Tooltip>
        </>
      ) : null}
    </div>
  );
}

function ScheduledDialog(props: { row: Scheduled; onClose: () => void }) {
  const { row } = props;
  const { chats, common, scheduled: words } = useT();
  const [text, setText] = useState(row.text);
  const [at, setAt] = useState<number | undefined>(row.send_at);
  const save = useAction({
    run: () =>
      updateScheduled({
        scheduled_id: row.scheduled_id,
        ...(at === undefined || at === row.send_at ? {} : { send_at: at }),
        ...(text === row.text ? {} : { text }),
      }),
    refreshes: [['scheduled', row.bot_id]],
    done: props.onClose,
  });
  return (
    <Dialog opened onClose={props.onClose} title={words.change}>
      <form onSubmit={withoutReload(() => save.mutate(undefined))} className={css.form}>
        <MomentField label={words.when} value={at} onChange={setAt} />
        <Textarea
          aria-label={row.media_type ? chats.caption : words.text}
          autosize
          maxRows={12}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending} disabled={at === undefined}>
            {common.save}
          </Button>
        </Group>
      </form>
    </Dialog>
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
