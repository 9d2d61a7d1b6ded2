import { Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { editsOf } from '../../../api/messages.ts';
import type { Message } from '../../../api/client/types.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import css from '../message.module.css';

/** Shows "edited", which opens the earlier versions. */
export function MessageEdits(props: { message: Message }) {
  const t = useT();
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} width={320} shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <button type="button" className={css.edited} onClick={() => setOpened(!opened)}>
          {t.chats.edited}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.chats.editsTitle}>
        {opened ? <Edits message={props.message} /> : null}
      </Popover.Dropdown>
    </Popover>
  );
}

function Edits(props: { message: Message }) {
  const { bot_id, chat_id, edited_at, id } = props.message;
  const t = useT();
  const format = useFormat();
  const edits = useQuery({
    queryKey: ['edits', bot_id, chat_id, id, edited_at],
    queryFn: ({ signal }) => editsOf({ bot_id, chat_id, id }, signal),
  });
  return (
    <div className={css.edits} tabIndex={0} role="group" aria-label={t.chats.editsTitle}>
      <strong>{t.chats.editsTitle}</strong>
      <ol>
        {(edits.data ?? []).map((edit, index) => (
          <li key={index}>
            <time>{format.dateTime(edit.date * 1_000)}</time>
            <div>{edit.text || '—'}</div>
          </li>
        ))}
      </ol>
      {edits.isPending ? t.common.loading : null}
      {edits.isError ? <ErrorBox error={edits.error} onRetry={() => void edits.refetch()} /> : null}
    </div>
  );
}
