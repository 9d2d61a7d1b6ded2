/* Manages the destinations of alerts: chats and webhooks. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Config } from '../../config.ts';
import { type Caller, requireEveryBot } from '../../core/access/access.ts';
import { newWebhookSecret } from '../../core/delivery/webhook-signature.ts';
import {
  type AlertChannel,
  channelDefaults,
  type ChannelSettings,
  type ChannelType,
} from '../../core/alerts/alert-channel.ts';
import { isTimeZone } from '../../core/alerts/quiet-hours.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { packReason } from '../../core/reasons/stored.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { checkCalledUrl } from '../../telegram/address-policy.ts';
import { botNotFound } from '../bots/bots.ts';

export type ChannelInput = Partial<ChannelSettings>;

export interface AlertChannelService {
  list(caller: Caller): Promise<AlertChannel[]>;
  /** Returns the secret of a webhook, which is shown only this once. */
  add(caller: Caller, type: ChannelType, input: ChannelInput): Promise<AlertChannel>;
  update(caller: Caller, id: number, input: ChannelInput): Promise<AlertChannel>;
  toggleDisabled(caller: Caller, id: number): Promise<AlertChannel>;
  /** Returns the channel as it was. */
  delete(caller: Caller, id: number): Promise<AlertChannel>;
  /** Sends a test message; null if it arrived. */
  test(caller: Caller, id: number): Promise<Reason | null>;
}

export const mostChannels = 50;
const words = { example: 'https://example.com/alerts', secretField: 'the signature' };

/** Checks that the settings of a channel are consistent; its bots are not looked up. */
export function checkChannel(
  type: ChannelType,
  settings: ChannelSettings,
  backends: Config['backends'],
): void {
  const { bot_id, chat_id, message_thread_id, quiet_hours, url } = settings;
  const other = type === 'telegram' ? 'webhook' : 'telegram';
  const wrong = type === 'telegram' ? { url } : { bot_id, chat_id, message_thread_id };
  for (const [field, value] of Object.entries(wrong)) {
    if (value) throw invalidField(field, reason('channel_field_of_other', { type: other }));
  }
  const needed = type === 'telegram' ? { bot_id, chat_id } : { url };
  for (const [field, value] of Object.entries(needed)) {
    if (!value) throw invalidField(field, reason('channel_field_needed', { type }));
  }
  const problem = type === 'webhook' ? checkCalledUrl(url, backends, words) : undefined;
  if (problem) throw invalidField('url', problem);
  if (quiet_hours && !isTimeZone(quiet_hours.timezone)) {
    throw invalidField('quiet_hours.timezone', reason('not_a_timezone'));
  }
  if (quiet_hours && quiet_hours.start === quiet_hours.end) {
    throw invalidField('quiet_hours.end', reason('quiet_hours_empty'));
  }
}

export function createAlertChannelService(deps: {
  store: Pick<Store, 'alertChannels' | 'bots'>;
  clock: Clock;
  config: Pick<Config, 'backends'>;
  /** Sends a test message to a channel, regardless of its filters. */
  sendTest(channel: AlertChannel): Promise<Reason | null>;
  /** Called when channels have changed. */
  onChanged(): void;
}): AlertChannelService {
  const { clock, config, store } = deps;
  const channels = store.alertChannels;

  async function existing(caller: Caller, id: number): Promise<AlertChannel> {
    requireEveryBot(caller);
    const channel = await channels.get(id);
    if (!channel) throw channelNotFound(id);
    return channel;
  }

  /** Bots already set for the channel may be deleted by now, so only new ones are checked. */
  async function check(
    type: ChannelType,
    settings: ChannelSettings,
    before: readonly number[] = [],
  ): Promise<void> {
    checkChannel(type, settings, config.backends);
    const { bot_id, bot_ids } = settings;
    if (type === 'telegram' && !(await store.bots.get(bot_id))) throw botNotFound(bot_id, 'bot_id');
    const known = new Set([...before, ...(await store.bots.list(bot_ids)).map(({ id }) => id)]);
    if (!bot_ids.every((id) => known.has(id)))
      throw invalidField('bot_ids', reason('names_no_bot'));
  }

  async function changed(channel: AlertChannel | undefined, id: number): Promise<AlertChannel> {
    if (!channel) throw channelNotFound(id);
    deps.onChanged();
    return channel;
  }

  return {
    async list(caller) {
      requireEveryBot(caller);
      return channels.list();
    },
    async add(caller, type, input) {
      requireEveryBot(caller);
      const settings = { ...channelDefaults, ...input };
      await check(type, settings);
      if ((await channels.list()).length >= mostChannels) {
        throw new RelayError('conflict', reason('too_many_alert_channels', { most: mostChannels }));
      }
      const secret = type === 'webhook' ? newWebhookSecret(randomBytes(32)) : '';
      return changed(await channels.add(type, settings, secret, clock.now()), 0);
    },
    async update(caller, id, input) {
      const before = await existing(caller, id);
      const settings = { ...settingsOf(before), ...input };
      await check(before.type, settings, before.bot_ids);
      return changed(await channels.update(id, settings, clock.now()), id);
    },
    async toggleDisabled(caller, id) {
      await existing(caller, id);
      return changed(await channels.toggle(id, clock.now()), id);
    },
    async delete(caller, id) {
      const channel = await existing(caller, id);
      if (!(await channels.remove(id))) throw channelNotFound(id);
      return changed(channel, id);
    },
    async test(caller, id) {
      const problem = await deps.sendTest(await existing(caller, id));
      await channels.noteError(id, packReason(problem), clock.now());
      deps.onChanged();
      return problem;
    },
  };
}

function settingsOf(channel: AlertChannel): ChannelSettings {
  const names = Object.keys(channelDefaults) as (keyof ChannelSettings)[];
  return Object.fromEntries(
    names.map((name) => [name, channel[name]]),
  ) as unknown as ChannelSettings;
}

function channelNotFound(id: number): RelayError {
  return new RelayError('not_found', reason('no_such_alert_channel', { channel_id: id }), {
    details: [{ field: 'id', problem: reason('names_no_channel') }],
  });
}
