import { NumberInput, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  audienceQuery,
  type Broadcast,
  broadcastsQuery,
  editBroadcast,
  startBroadcast,
  testBroadcast,
} from '../../api/broadcasts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { FormEnd } from '../../shared/form-end.tsx';
import { useAction } from '../../shared/use-action.ts';
import { Dialog } from '../../ui/feedback/dialog.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';
import css from './broadcasts.module.css';

interface DialogProps {
  broadcast: Broadcast;
  onClose: () => void;
}

/** Shows how many chats will get it before it starts. */
export function StartBroadcast({ broadcast, onClose }: DialogProps) {
  const { broadcasts: words } = useT();
  const audience = useQuery(audienceQuery(broadcast.bot_id, broadcast.audience)).data;
  const start = useAction({
    run: (seen: { recipients: number; stars?: number }) => startBroadcast(broadcast.id, seen),
    refreshes: [broadcastsQuery.queryKey],
    quiet: true,
    done: onClose,
  });
  const recipients = audience?.recipients;
  const { allow_paid_broadcast: isPaid } = broadcast;
  return (
    <Dialog opened onClose={onClose} title={words.startAsk(broadcast.name)}>
      <form
        className={css.form}
        onSubmit={withoutReload(() => {
          if (recipients === undefined) return;
          start.mutate({ recipients, ...(isPaid ? { stars: audience?.stars ?? 0 } : {}) });
        })}
      >
        {audience ? (
          <p>
            {words.recipients(audience.recipients)}
            {audience.left_out > 0 ? ` ${words.leftOut(audience.left_out)}` : ''}
          </p>
        ) : null}
        {audience && isPaid ? <p>{words.cost(audience.stars)}</p> : null}
        <FormEnd
          submit={words.start}
          error={start.error}
          busy={start.isPending}
          disabled={!recipients}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

export function TestBroadcast({ broadcast, onClose }: DialogProps) {
  const { broadcasts: words } = useT();
  const [chat, setChat] = useState<number | string>('');
  const test = useAction({
    run: () => testBroadcast(broadcast.id, Number(chat)),
    quiet: true,
    done() {
      onClose();
      return words.tested;
    },
  });
  return (
    <Dialog opened onClose={onClose} title={words.test}>
      <form className={css.form} onSubmit={withoutReload(() => test.mutate(undefined))}>
        <NumberInput
          label={words.testChat}
          description={words.testHint}
          value={chat}
          onChange={setChat}
          hideControls
          allowDecimal={false}
          data-autofocus
        />
        <FormEnd
          submit={words.test}
          error={test.error}
          busy={test.isPending}
          disabled={chat === ''}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

export function EditBroadcast({ broadcast, onClose }: DialogProps) {
  const { broadcasts: words } = useT();
  const [text, setText] = useState(broadcast.text);
  const edit = useAction({
    run: () => editBroadcast(broadcast.id, text),
    refreshes: [broadcastsQuery.queryKey],
    quiet: true,
    done: onClose,
  });
  return (
    <Dialog opened onClose={onClose} title={words.edit}>
      <form className={css.form} onSubmit={withoutReload(() => edit.mutate(undefined))}>
        <Textarea
          label={words.text}
          description={words.textHint}
          autosize
          minRows={3}
          maxRows={12}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <FormEnd
          submit={words.edit}
          error={edit.error}
          busy={edit.isPending}
          disabled={text.trim() === ''}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}
