import { type Static, Type } from 'typebox';
import { isoTime } from '../../../core/iso-time.ts';
import type { AlertChannel } from '../../../core/alerts/alert-channel.ts';
import { readReason } from '../../../core/reasons/stored.ts';
import { stateOf } from '../../../manage/access/audit-subjects.ts';
import type { AlertChannelService } from '../../../manage/alerts/alert-channels.ts';
import { type Endpoint, get, post } from '../../endpoint.ts';
import {
  AddChannelBody,
  Channel,
  ChannelQuery,
  ChannelWithSecret,
  TestResult,
  UpdateChannelBody,
} from './alert-channel-schema.ts';
import { errorOf } from './stored-error.ts';

const managed = { scope: 'manage' } as const;
const ofChannel = ['not_found', 'bot_not_allowed'] as const;

export function alertChannelEndpoints({ channels }: { channels: AlertChannelService }): Endpoint[] {
  return [
    get('Alerts', '/api/alerts/channels', {
      scope: 'manage',
      summary: 'List alert channels',
      description:
        'Where alerts go, in the order in which they were added. Secrets are not listed.',
      response: Type.Array(Channel),
      errors: ['bot_not_allowed'],
      handler: async ({ caller }) => (await channels.list(caller)).map(view),
    }),
    post('Alerts', '/api/alerts/channels/add', {
      ...managed,
      audit: {},
      summary: 'Add an alert channel',
      description:
        'A Telegram chat (`bot_id`, `chat_id`) or a webhook (`url`). Returns the signing `secret` of a webhook, this once: requests are signed by Standard Webhooks. Needs a key for all bots.',
      body: AddChannelBody,
      response: ChannelWithSecret,
      errors: ['bot_not_found', 'bot_not_allowed', 'conflict'],
      async handler({ caller, body: { type, ...input } }) {
        const added = await channels.add(caller, type, input);
        return { ...view(added), secret: added.secret };
      },
    }),
    post('Alerts', '/api/alerts/channels/update', {
      ...managed,
      audit: { before: stateOf.alertChannel },
      summary: 'Update an alert channel',
      description: 'Omitted fields keep their value. The type stays.',
      body: UpdateChannelBody,
      response: Channel,
      errors: [...ofChannel, 'bot_not_found'],
      handler: async ({ caller, body: { id, ...input } }) =>
        view(await channels.update(caller, id, input)),
    }),
    post('Alerts', '/api/alerts/channels/toggle-disabled', {
      ...managed,
      audit: { before: stateOf.alertChannel },
      summary: 'Disable or enable an alert channel',
      query: ChannelQuery,
      response: Channel,
      errors: ofChannel,
      handler: async ({ caller, query }) => view(await channels.toggleDisabled(caller, query.id)),
    }),
    post('Alerts', '/api/alerts/channels/delete', {
      ...managed,
      audit: { before: stateOf.alertChannel, removes: true },
      summary: 'Delete an alert channel',
      description: 'Messages it sent stay as they are. Returns the deleted channel.',
      query: ChannelQuery,
      response: Channel,
      errors: ofChannel,
      handler: async ({ caller, query }) => view(await channels.delete(caller, query.id)),
    }),
    post('Alerts', '/api/alerts/channels/test', {
      ...managed,
      audit: {},
      summary: 'Send a test alert',
      description:
        'Sends a test message to a channel at once, whatever its filters say. A webhook receives the event `alert.test`.',
      query: ChannelQuery,
      response: TestResult,
      errors: ofChannel,
      async handler({ caller, query }) {
        const problem = readReason(await channels.test(caller, query.id));
        return {
          delivered: problem.detail === null,
          error: problem.text,
          error_detail: problem.detail,
        };
      },
    }),
  ];
}

function view(channel: AlertChannel): Static<typeof Channel> {
  return {
    id: channel.id,
    type: channel.type,
    bot_id: channel.bot_id,
    chat_id: channel.chat_id,
    message_thread_id: channel.message_thread_id,
    url: channel.url,
    kinds: [...channel.kinds],
    bot_ids: [...channel.bot_ids],
    min_severity: channel.min_severity,
    delay_seconds: channel.delay_seconds,
    quiet_hours: channel.quiet_hours,
    allowed_user_ids: [...channel.allowed_user_ids],
    disabled: channel.disabled,
    ...errorOf(channel.error),
    failed_at: isoTime(channel.failedAt),
    sent_at: isoTime(channel.sentAt),
    created_at: isoTime(channel.created_at),
    updated_at: isoTime(channel.updated_at),
  };
}
