import type { ChannelInFile } from '../../../core/config-file/sections/alert-channels.ts';
import { webhookKey } from '../../../core/delivery/webhook-signature.ts';
import type { AlertChannel, ChannelSettings } from '../../../core/alerts/alert-channel.ts';
import { reason } from '../../../core/reasons/reason.ts';
import { invalidField } from '../../../errors.ts';
import { checkChannel, mostChannels } from '../../alerts/alert-channels.ts';
import { wrongEntry } from '../changes.ts';
import type { Changed, ConfigKind, Plan, Prepared, Preparing } from '../config-kind.ts';

export const channelKind: ConfigKind<'channel'> = {
  async read({ store, platformIdOf, platformIdsOf }) {
    // A channel whose bots are all deleted receives nothing. In a file without bots it would
    // receive alerts of every bot, so it is left out.
    const records = (await store.alertChannels.list()).filter(
      ({ bot_ids }) => bot_ids.length === 0 || platformIdsOf(bot_ids).length > 0,
    );
    const part = records.map((channel) => ({
      ...inFile(channel),
      ...(channel.type === 'telegram' ? { bot: platformIdOf(channel.bot_id) } : {}),
      bots: platformIdsOf(channel.bot_ids),
    }));
    return { part, records };
  },
  compare: (entry) => entry,
  prepare: prepareChannel,
  remove: ({ alertChannels }, id) => alertChannels.removeStep(id),
  bots: ({ fields, given: { bot } }) => ({
    bots: fields['bots'] as readonly number[],
    bot: bot === undefined ? [] : [bot],
  }),
  boundBy: ['bot'],
  changesBots: false,
  check: checkCount,
};

function inFile(channel: AlertChannel): ChannelInFile {
  const { allowed_user_ids, chat_id, delay_seconds, disabled, kinds, url } = channel;
  const { message_thread_id, min_severity, quiet_hours } = channel;
  return {
    ...(url === '' ? { chat_id, message_thread_id } : { url }),
    kinds,
    min_severity,
    delay_seconds,
    quiet_hours,
    allowed_user_ids,
    disabled,
  };
}

const secretPattern = '^whsec_[A-Za-z0-9+/]+=*$';
const [fewestBytes, mostBytes] = [24, 64];

/** A new webhook needs its secret in the file: nobody would see a generated one. */
function checkSecret(secret: string | undefined): void {
  if (secret === undefined) throw invalidField('secret', reason('needed_for_new_entry'));
  const { length } = webhookKey(secret);
  if (!new RegExp(secretPattern).test(secret) || length < fewestBytes || length > mostBytes) {
    throw invalidField('secret', reason('wrong_form', { pattern: secretPattern }));
  }
}

function prepareChannel(
  { fields, given, name }: Changed<'channel'>,
  { config, store, current }: Preparing,
): Prepared {
  const before = current.stored.channel.get(name);
  const { bot, bots, disabled, ...settings } = fields as unknown as Required<
    Omit<typeof given, 'secret'>
  >;
  const type = settings.url === '' ? 'telegram' : 'webhook';
  checkChannel(type, { ...settings, bot_id: bot, bot_ids: [] }, config.backends);
  const secret = type === 'webhook' ? given.secret : '';
  if (!before && type === 'webhook') checkSecret(secret);
  return {
    *write({ botIds, nowMs }) {
      const idOf = (platformId: number) => botIds.get(platformId) as number;
      const bot_id = bot === 0 ? 0 : idOf(bot);
      const wanted: ChannelSettings = { ...settings, bot_id, bot_ids: bots.map(idOf) };
      const channel = { type, secret: secret ?? '', disabled } as const;
      const saved = before ? { ...channel, id: before.id } : channel;
      yield* store.alertChannels.saveStep(saved, wanted, nowMs);
    },
  };
}

function checkCount({ entries, staying }: Plan): void {
  const channels = entries.filter((entry) => entry.kind === 'channel');
  const added = channels.find(({ name }) => !staying.stored.channel.has(name));
  if (!added || channels.length <= mostChannels) return;
  const why = reason('too_many_alert_channels', { most: mostChannels });
  throw wrongEntry(added, '', why, 'conflict');
}
