import { Button } from '@mantine/core';
import { useState } from 'react';
import { botName } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import { replayMatching, type UpdateFilter } from '../../../api/deliveries.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { Confirm } from '../../../ui/feedback/confirm.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';

/** Updates in these states are delivered anyway. */
const waiting: ReadonlySet<string | undefined> = new Set(['waiting', 'retrying']);

/** Sends all updates again that the filter finds. */
export function ReplayMatching(props: { bot: Bot; app: string; filter: UpdateFilter }) {
  const { app, bot, filter } = props;
  const { deliveries } = useT();
  const [asking, setAsking] = useState(false);
  const again = useAction({
    run: () => replayMatching(bot.id, app, filter),
    refreshes: [['deliveries', bot.id]],
    done(queued) {
      setAsking(false);
      const about = botName(bot);
      if (queued === 0) toast(deliveries.nothingToRetry, { about });
      else toast(deliveries.replayQueued(queued), { about });
    },
  });
  if (waiting.has(filter.state)) return null;
  return (
    <>
      <Button size="compact-sm" variant="light" onClick={() => setAsking(true)}>
        {deliveries.replayMatching}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={deliveries.replayMatchingAsk}
        confirmLabel={deliveries.replay}
        busy={again.isPending}
        onConfirm={() => again.mutate(undefined)}
      >
        {deliveries.replayMatchingMeans}
      </Confirm>
    </>
  );
}
