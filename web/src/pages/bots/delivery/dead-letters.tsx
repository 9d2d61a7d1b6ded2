import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { botName } from '../../../api/bots.ts';
import { watchAttempts } from '../../../api/follow-attempts.ts';
import { deadQuery, type DeadLetter, discard, replay } from '../../../api/deliveries.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Confirm } from '../../../ui/feedback/confirm.tsx';
import { JsonView } from '../../../ui/text/json-view.tsx';
import { Loaded } from '../../../shared/loaded.tsx';
import { Panel } from '../../../ui/page.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import css from '../../../ui/rows.module.css';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useRetryToast } from '../../../shared/use-retried.ts';
import { MessageLink } from '../../../shared/message-link.tsx';
import { gistOf, messageIn } from '../log/update-gist.ts';
import { useQueueName } from './use-queue-name.ts';

/** Updates that failed after all retries, for a person to replay or discard. */
export function DeadLetters(props: { bot: Bot; app: string }) {
  const { app, bot } = props;
  const { deliveries } = useT();
  const may = useMay('bots', 'manage');
  const client = useQueryClient();
  const queueName = useQueueName(bot.id);
  const query = useQuery(deadQuery(bot.id, app));
  const sayRetried = useRetryToast(botName(bot));
  const refresh = () => void client.invalidateQueries({ queryKey: ['deliveries', bot.id] });
  const again = useAction({
    run: (body: Parameters<typeof replay>[0]) =>
      watchAttempts(bot.id, app, async () => {
        const { queued } = await replay(body);
        refresh();
        return queued;
      }),
    refreshes: [['deliveries', bot.id]],
    done: (followed) => sayRetried(followed),
  });
  const drop = useAction({
    run: discard,
    refreshes: [['deliveries', bot.id]],
    done: ({ discarded }) => deliveries.discarded(discarded),
  });
  // Replayed updates wait in the queues above until their attempt.
  const isWaiting = (letter: DeadLetter) => letter.replayed_at !== '';
  const replaying = query.data?.filter(isWaiting).length ?? 0;
  const count = (query.data?.length ?? 0) - replaying;
  return (
    <Panel
      flush
      title={deliveries.deadLetters}
      hint={deliveries.deadLettersHint}
      actions={
        may && count > 0 ? (
          <Button
            size="compact-sm"
            loading={again.isPending}
            onClick={() => again.mutate({ bot_id: bot.id, app, all_dead: true })}
          >
            {deliveries.replayAll}
          </Button>
        ) : null
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={1} />}>
        {(letters) =>
          count === 0 ? (
            <p className={css.none}>
              {replaying === 0 ? deliveries.noDeadLetters : deliveries.replaying(replaying)}
            </p>
          ) : (
            <ul data-rows className={css.rows}>
              {letters
                .filter((letter) => !isWaiting(letter))
                .map((letter) => (
                  <Letter
                    key={letter.id}
                    letter={letter}
                    botId={bot.id}
                    name={queueName(letter.queue)}
                    may={may}
                    onReplay={() => again.mutate({ bot_id: bot.id, app, ids: [letter.id] })}
                    onDiscard={() => drop.mutate({ bot_id: bot.id, app, ids: [letter.id] })}
                  />
                ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Letter(props: {
  letter: DeadLetter;
  botId: number;
  /** The name of its queue, if the update has no sender. */
  name: string;
  may: boolean;
  onReplay: () => void;
  onDiscard: () => void;
}) {
  const { letter } = props;
  const { deliveries, reasons } = useT();
  const [asking, setAsking] = useState(false);
  const [opened, setOpened] = useState(false);
  const gist = gistOf(letter);
  const message = opened ? messageIn(letter) : undefined;
  return (
    <li>
      <div className={css.row}>
        <span>
          <TimeAgo at={letter.died_at} />
        </span>
        <button
          type="button"
          className={`${css.main} ${css.opener}`}
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <bdi>{gist.who || props.name}</bdi>
          <span className={css.sub}>
            {' '}
            · <bdi>{gist.words || letter.kind}</bdi> ·{' '}
            {reasonWords(letter.reason, letter.reason_detail, reasons)}
          </span>
        </button>
        {props.may ? (
          <Group gap={6}>
            <Button data-act="r" size="compact-xs" variant="light" onClick={props.onReplay}>
              {deliveries.replay}
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => setAsking(true)}>
              {deliveries.discard}
            </Button>
            <Confirm
              opened={asking}
              onClose={() => setAsking(false)}
              title={deliveries.discardAsk}
              confirmLabel={deliveries.discard}
              onConfirm={() => {
                setAsking(false);
                props.onDiscard();
              }}
            >
              {deliveries.discardMeans}
            </Confirm>
          </Group>
        ) : null}
      </div>
      {opened ? (
        <div className={css.detail}>
          <JsonView value={letter.raw} label={deliveries.update} />
          {message ? <MessageLink botId={props.botId} {...message} /> : null}
        </div>
      ) : null}
    </li>
  );
}
