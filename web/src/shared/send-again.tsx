import { Button } from '@mantine/core';
import { useState } from 'react';
import { sendAgain } from '../api/outbox.ts';
import { useT } from '../i18n/use-t.tsx';
import { Confirm } from '../ui/feedback/confirm.tsx';
import { useAction } from './use-action.ts';
import { useMay } from './use-session.ts';

/** Asks first: the message may have arrived, and would then appear twice. */
export function SendAgain(props: { id: number; botId: number; state: 'failed' | 'unknown' }) {
  const { botId, id, state } = props;
  const { deliveries } = useT();
  const may = useMay('chats', 'send');
  const [asking, setAsking] = useState(false);
  const again = useAction({
    run: () => sendAgain(id),
    refreshes: [['deliveries', botId], ['timeline'], ['routes', 'decisions'], ['attention']],
    done: () => {
      setAsking(false);
      return deliveries.sentAgain;
    },
  });
  if (!may) return null;
  return (
    <>
      <Button
        w="fit-content"
        size="compact-sm"
        variant="light"
        loading={again.isPending}
        onClick={() => setAsking(true)}
      >
        {deliveries.sendAgain}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={deliveries.sendAgainAsk}
        confirmLabel={deliveries.sendAgain}
        busy={again.isPending}
        onConfirm={() => again.mutate(undefined)}
      >
        {deliveries.sendAgainMeans[state]}
      </Confirm>
    </>
  );
}
