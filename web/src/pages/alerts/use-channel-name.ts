import { useQuery } from '@tanstack/react-query';
import { type AlertChannel, channelsQuery } from '../../api/alerts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useChatNames } from '../../shared/use-chat-names.ts';
import { useMayAddBots } from '../../shared/use-session.ts';
import { hostOf } from '../../ui/text/host-of.ts';

export type Target = Pick<AlertChannel, 'type' | 'chat_id' | 'url'>;

/** Returns the destination of a channel: the name of its chat, or the host of its webhook. */
export function useTargetName(botIds: readonly number[]): (channel: Target) => string {
  const { alerts } = useT();
  const titleOf = useChatNames(botIds);
  return ({ chat_id, type, url }) =>
    type === 'webhook' ? hostOf(url) : (titleOf(chat_id) ?? alerts.chatOf(chat_id));
}

/** Returns the channels, and the name of one by its ID. */
export function useChannels() {
  const { alerts } = useT();
  const channels = useQuery({ ...channelsQuery, enabled: useMayAddBots() }).data ?? [];
  const nameOf = useTargetName(channels.map(({ bot_id }) => bot_id));
  const find = (id: number) => channels.find((one) => one.id === id);
  return {
    find,
    nameById(id: number): string {
      const channel = find(id);
      return channel ? nameOf(channel) : alerts.deletedChannel(id);
    },
  };
}
