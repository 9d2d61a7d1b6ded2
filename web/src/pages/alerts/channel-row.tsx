import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import {
  type AlertChannel,
  channelsQuery,
  deleteChannel,
  enableChannel,
  testChannel,
  toggleChannel,
} from '../../api/alerts.ts';
import { botName } from '../../api/bots.ts';
import type { Bot } from '../../api/client/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { sendErrorWords } from '../../shared/error-words.ts';
import { useAction } from '../../shared/use-action.ts';
import { toast } from '../../ui/feedback/toast.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Entry, type EntryAction } from '../../ui/lists/entry-list.tsx';
import css from '../../ui/rows.module.css';
import { State } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import own from './alerts.module.css';
import { channelState, channelTones } from './channel-state.ts';

export function useRefreshChannels(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: channelsQuery.queryKey });
}

export function ChannelRow(props: {
  channel: AlertChannel;
  /** The name of its destination. */
  name: string;
  bot: Bot | undefined;
  onEdit: () => void;
}) {
  const { bot, channel, name } = props;
  const t = useT();
  const { alerts, common } = t;
  const state = channelState(channel, bot);
  const test = useTest(channel, name);
  return (
    <Entry
      name={name}
      off={channel.disabled}
      lead={<Icon name={channel.type === 'webhook' ? 'out' : 'send'} />}
      sub={
        <>
          <div className={own.target}>{useTarget(channel, bot).join(' · ')}</div>
          <div>{useFilters(channel).join(' · ')}</div>
          {channel.error === '' ? null : (
            <div className={css.bad}>{sendErrorWords(channel.error, channel.error_detail, t)}</div>
          )}
        </>
      }
      side={
        <div className={own.side}>
          <div>
            <State tone={channelTones[state]}>{alerts.states[state]}</State>
            <LastTime channel={channel} />
          </div>
          <Button
            size="compact-sm"
            variant="light"
            loading={test.isPending}
            aria-label={common.labelled(alerts.test, name)}
            onClick={() => test.mutate(undefined)}
          >
            {alerts.test}
          </Button>
        </div>
      }
      actions={useChannelActions(channel, name, props.onEdit)}
    />
  );
}

function LastTime(props: { channel: AlertChannel }) {
  const { failed_at, sent_at } = props.channel;
  const { alerts } = useT();
  const at = sent_at || failed_at;
  if (at === '') return null;
  return (
    <div>
      {sent_at === '' ? alerts.failedAt : alerts.lastSent} <TimeAgo at={at} />
    </div>
  );
}

function useTarget({ bot_id, message_thread_id: topic, type, url }: AlertChannel, bot?: Bot) {
  const { alerts } = useT();
  if (type === 'webhook') return [alerts.types.webhook, url];
  return [
    alerts.types.telegram,
    alerts.by(bot ? botName(bot) : `#${bot_id}`),
    ...(topic === 0 ? [] : [alerts.topic(topic)]),
  ];
}

function useFilters(channel: AlertChannel): string[] {
  const { alerts } = useT();
  const format = useFormat();
  const { allowed_user_ids, bot_ids, delay_seconds, kinds, quiet_hours: quiet, type } = channel;
  return [
    alerts.severities[channel.min_severity],
    kinds.length === 0 ? alerts.allKinds : alerts.someKinds(kinds.length),
    bot_ids.length === 0 ? alerts.allBots : alerts.someBots(bot_ids.length),
    delay_seconds === 0 ? alerts.atOnce : alerts.after(format.duration(delay_seconds * 1_000)),
    ...(quiet ? [alerts.quiet(quiet.start, quiet.end, quiet.timezone)] : []),
    ...(type === 'webhook'
      ? []
      : [allowed_user_ids.length === 0 ? alerts.noPeople : alerts.people(allowed_user_ids.length)]),
  ];
}

function useTest({ id }: AlertChannel, name: string) {
  const t = useT();
  const refresh = useRefreshChannels();
  return useAction({
    run: () => testChannel(id),
    done: ({ delivered, error, error_detail }) => {
      refresh();
      if (delivered) return t.alerts.tested(name);
      const detail = sendErrorWords(error, error_detail, t);
      return toast(t.alerts.notTested(name), { tone: 'bad', detail });
    },
  });
}

function useChannelActions(
  { disabled, id }: AlertChannel,
  name: string,
  onEdit: () => void,
): EntryAction[] {
  const { alerts, bots, common } = useT();
  const refresh = useRefreshChannels();
  const enable = useAction({ run: () => enableChannel(id), done: refresh });
  const toggle = useAction({
    run: () => toggleChannel(id),
    done: (changed) => {
      refresh();
      if (!changed.disabled) return bots.nowEnabled(name);
      return { words: bots.nowDisabled(name), undo: () => enable.mutate(undefined) };
    },
  });
  const remove = useAction({
    run: () => deleteChannel(id),
    done: () => {
      refresh();
      return bots.deleted(name);
    },
  });
  return [
    { label: common.edit, icon: 'edit', run: onEdit },
    {
      label: disabled ? bots.enable : bots.disable,
      icon: disabled ? 'play' : 'pause',
      run: () => toggle.mutate(undefined),
    },
    {
      label: common.delete,
      icon: 'trash',
      run: () => remove.mutate(undefined),
      ask: {
        title: alerts.deleteAsk(name),
        means: alerts.deleteMeans,
        confirm: alerts.deleteDo,
      },
    },
  ];
}
