import type { ChannelSettings } from '../../core/ops/alert-channel.ts';
import { webhookKey } from '../../core/delivery/webhook-signature.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField } from '../../errors.ts';
import { checkChannel } from '../ops/alert-channels.ts';
import type { BotChangeOptions } from './bot-changes.ts';
import type { Changed, Job } from './changes.ts';
import type { CurrentConfig } from './current-config.ts';

const secretPattern = '^whsec_[A-Za-z0-9+/]+=*$';
const [fewestBytes, mostBytes] = [24, 64];

/** Of a new webhook: nobody would know a secret that is made here. */
function checkSecret(secret: string | undefined): void {
  if (secret === undefined) throw invalidField('secret', reason('needed_for_new_entry'));
  const { length } = webhookKey(secret);
  if (!new RegExp(secretPattern).test(secret) || length < fewestBytes || length > mostBytes) {
    throw invalidField('secret', reason('wrong_form', { pattern: secretPattern }));
  }
}

export function prepareChannel(
  { config, store }: Pick<BotChangeOptions, 'config' | 'store'>,
  { fields, given, name }: Changed<'channel'>,
  current: CurrentConfig,
): Job {
  const before = current.channels.get(name);
  const { bot, bots, disabled, ...settings } = fields as unknown as Required<
    Omit<typeof given, 'secret'>
  >;
  const type = settings.url === '' ? 'telegram' : 'webhook';
  checkChannel(type, { ...settings, bot_id: bot, bot_ids: [] }, config.backends);
  const secret = type === 'webhook' ? given.secret : '';
  if (!before && type === 'webhook') checkSecret(secret);
  return function* ({ botIds, nowMs }) {
    const idOf = (platformId: number) => botIds.get(platformId) as number;
    const bot_id = bot === 0 ? 0 : idOf(bot);
    const wanted: ChannelSettings = { ...settings, bot_id, bot_ids: bots.map(idOf) };
    const channel = { type, secret: secret ?? '', disabled } as const;
    const saved = before ? { ...channel, id: before.id } : channel;
    yield* store.alertChannels.saveStep(saved, wanted, nowMs);
  };
}
