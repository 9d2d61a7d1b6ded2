import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { type AlertChannel, channelsQuery, type CreatedAlertChannel } from '../../api/alerts.ts';
import { botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EntryList } from '../../ui/lists/entry-list.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { Panel } from '../../ui/page.tsx';
import { AddChannelDialog, EditChannelDialog, SecretDialog } from './channel-dialogs.tsx';
import { ChannelRow } from './channel-row.tsx';
import { useTargetName } from './use-channel-name.ts';

type Open =
  | { dialog: 'edit'; channel: AlertChannel }
  | { dialog: 'secret'; channel: CreatedAlertChannel };

/** Lists the destinations of alerts. */
export function ChannelsPanel() {
  const { alerts } = useT();
  const query = useQuery(channelsQuery);
  const bots = useQuery(botsQuery).data;
  const nameOf = useTargetName((query.data ?? []).map(({ bot_id }) => bot_id));
  const [open, setOpen] = useState<Open>();
  // Stored in the URL, so that other pages can link to it.
  const isAdding = useSearch({ from: '/frame/alerts' }).add === true;
  const navigate = useNavigate();
  const setAdding = (add: boolean) =>
    void navigate({ to: '/alerts', search: add ? { add } : { tab: 'channels' }, replace: true });
  const isEmpty = query.data?.length === 0;
  return (
    <Panel
      flush={!isEmpty}
      title={alerts.channels}
      hint={isEmpty ? alerts.noChannels : alerts.channelsHint}
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          {alerts.add}
        </Button>
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={1} />}>
        {(channels) =>
          channels.length === 0 ? null : (
            <EntryList>
              {channels.map((channel) => (
                <ChannelRow
                  key={channel.id}
                  channel={channel}
                  name={nameOf(channel)}
                  bot={bots?.find(({ id }) => id === channel.bot_id)}
                  onEdit={() => setOpen({ dialog: 'edit', channel })}
                />
              ))}
            </EntryList>
          )
        }
      </Loaded>
      {isAdding && bots ? (
        <AddChannelDialog
          bots={bots}
          onSecret={(channel) => setOpen({ dialog: 'secret', channel })}
          onClose={() => setAdding(false)}
        />
      ) : null}
      {open?.dialog === 'edit' ? (
        <EditChannelDialog
          bots={bots ?? []}
          channel={open.channel}
          name={nameOf(open.channel)}
          onClose={() => setOpen(undefined)}
        />
      ) : null}
      {open?.dialog === 'secret' ? (
        <SecretDialog secret={open.channel.secret} onClose={() => setOpen(undefined)} />
      ) : null}
    </Panel>
  );
}
