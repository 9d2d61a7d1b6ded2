import { hash } from 'node:crypto';
import { type ChannelSettings, channelDefaults } from '../../alerts/alert-channel.ts';
import {
  createNumbering,
  type FileSection,
  type GivenEntry,
  movedOnce,
  sortedIds,
} from '../file-section.ts';

export interface ChannelInFile extends Partial<Omit<ChannelSettings, 'bot_id' | 'bot_ids'>> {
  /** The bot that sends; left out for a webhook. */
  bot?: number;
  /** A new webhook needs it; others keep theirs. */
  secret?: string;
  bots?: readonly number[];
  disabled?: boolean;
}

const { bot_id: _botId, bot_ids: _botIds, ...settingDefaults } = channelDefaults;
const defaults = {
  ...settingDefaults,
  bot: 0,
  bots: [] as readonly number[],
  disabled: false,
};

export const alertChannels: FileSection<
  readonly ChannelInFile[],
  GivenEntry<'channel', ChannelInFile>
> = {
  entries(part) {
    const numbered = createNumbering();
    return part.map((given) => {
      const { secret: _secret, ...settings } = given;
      const fields = { ...defaults, ...settings, bots: sortedIds(given.bots ?? []) };
      return { kind: 'channel', name: numbered(nameOf(fields)), fields, given };
    });
  },
  withChats: (part, idOf) =>
    movedOnce(part, (channel) =>
      channel.chat_id === undefined ? channel : { ...channel, chat_id: idOf(channel.chat_id) },
    ),
  written: (part, writer) =>
    part.map(({ bot, url = '', ...channel }) => ({
      ...(url === ''
        ? { bot }
        : { url, secret: writer.variable('ALERTS', URL.parse(url)?.hostname ?? '', 'SECRET') }),
      ...writer.settings(channel, defaults),
    })),
};

/** Names are logged, and an address may hold a secret, so a name contains no full address. */
function nameOf(channel: ChannelInFile): string {
  const { bot, chat_id, message_thread_id: topic = 0, url = '' } = channel;
  if (url !== '') {
    return `${URL.parse(url)?.host || 'webhook'} #${hash('sha256', url).slice(0, 8)}`;
  }
  return `${bot} → chat ${chat_id}${topic === 0 ? '' : ` topic ${topic}`}`;
}
