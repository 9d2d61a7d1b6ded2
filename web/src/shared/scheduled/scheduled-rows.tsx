import { ActionIcon, Button, Group, Textarea, Tooltip } from '@mantine/core';
import { useState } from 'react';
import { cancelScheduled, type Scheduled, updateScheduled } from '../../api/scheduled.ts';
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

/** Scheduled messages, each with its actions. */
export function ScheduledRows(props: { rows: readonly Scheduled[]; showsChat: boolean }) {
  const [changed, setChanged] = useState<Scheduled>();
  return (
    <>
      {props.rows.map((row) => (
        <ScheduledRow
          key={row.scheduled_id}
          row={row}
          showsChat={props.showsChat}
          onEdit={() => setChanged(row)}
        />
      ))}
      {changed ? <ScheduledDialog row={changed} onClose={() => setChanged(undefined)} /> : null}
    </>
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
