import { Type } from 'typebox';
import { channelDefaults, channelTypes } from '../../../core/alerts/alert-channel.ts';
import { severities } from '../../../core/alerts/alerts.ts';
import type { QuietHours } from '../../../core/alerts/quiet-hours.ts';
import { limits, timePattern } from '../../../core/limits.ts';
import {
  addressPattern,
  Body,
  Choice,
  Closed,
  Detail,
  Flag,
  Id,
  Integer,
  largestId,
  List,
  Moment,
  Optional,
  Query,
  stated,
  Text,
  UserId,
} from '../../schemas.ts';
import { Kind } from './alert-schema.ts';

const Time = (description: string, example: string) =>
  Text(description, example, { pattern: timePattern });

const Hours = Closed({
  start: Time('Start, by the wall clock.', '22:00'),
  end: Time('End; before start, it is on the next day.', '07:00'),
  timezone: Text('IANA time zone.', 'Europe/Berlin', { maxLength: 64 }),
});
const quietText = 'Hours without new messages: they follow when the hours end. null for none.';
const QuietHoursOrNull = Type.Unsafe<QuietHours | null>({
  anyOf: [Hours, { type: 'null' }],
  description: quietText,
});

const kindsText = 'Kinds of alerts it receives; [] means all.';
const botIdsText = 'Bots whose alerts it receives; [] means all bots and the service itself.';
const severityText = 'Alerts below this severity are not sent.';
const delayText = 'How long a condition lasts before it is sent.';
const allowedText =
  'Telegram users who may press the buttons of its messages; [] means nobody, and no buttons.';

export const givenChannelSettings = (adds: boolean) => {
  const byDefault = <T>(value: T) => (adds ? { default: value } : {});
  return {
    bot_id: Optional.Integer('Only for type telegram: the bot that sends.', 1, {
      minimum: 0,
      maximum: largestId,
    }),
    chat_id: Optional.Integer('Only for type telegram: the chat.', -1001234567890, {
      minimum: -largestId,
      maximum: largestId,
    }),
    message_thread_id: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: largestId,
        description: 'Topic of the chat; 0 for none.',
        ...byDefault(0),
      }),
    ),
    url: Optional.Text(
      'For type webhook: URL that receives the events, http or https.',
      'https://ops.example.com/alerts',
      { ...stated({ pattern: addressPattern }), maxLength: limits.backendUrlLength },
    ),
    kinds: Type.Optional(
      Type.Array(Kind, { maxItems: 100, description: kindsText, ...byDefault([]) }),
    ),
    bot_ids: Type.Optional(
      Type.Array(Id('A bot.'), { maxItems: 1_000, description: botIdsText, ...byDefault([]) }),
    ),
    min_severity: Optional.Choice(severities, {
      description: severityText,
      ...(adds ? { default: channelDefaults.min_severity } : {}),
    }),
    delay_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400,
        description: delayText,
        ...byDefault(channelDefaults.delay_seconds),
      }),
    ),
    quiet_hours: Type.Optional(QuietHoursOrNull),
    allowed_user_ids: Type.Optional(
      Type.Array(UserId('A Telegram user.'), {
        maxItems: 100,
        description: allowedText,
        ...byDefault([]),
      }),
    ),
  };
};

const shown = {
  id: Id('Channel ID.'),
  type: Choice(channelTypes, { description: 'telegram or webhook.' }),
  bot_id: Integer('The bot that sends; 0 for a webhook.', 1),
  chat_id: Integer('The chat; 0 for a webhook.', -1001234567890),
  message_thread_id: Integer('Topic of the chat; 0 for none.'),
  url: Text('URL of a webhook; empty for Telegram.'),
  kinds: List(Kind, kindsText),
  bot_ids: List(Type.Integer(), botIdsText),
  min_severity: Choice(severities, { description: severityText }),
  delay_seconds: Integer(delayText, 120),
  quiet_hours: QuietHoursOrNull,
  allowed_user_ids: List(Type.Integer(), allowedText),
  disabled: Flag('Disabled channels receive nothing.'),
  error: Text('Why the last alert did not arrive; empty if it did.'),
  error_detail: Detail('error'),
  failed_at: Moment('When that was; empty if it works.'),
  sent_at: Moment('When the last alert or test arrived; empty if it failed, or none was sent yet.'),
  created_at: Moment('When it was added.'),
  updated_at: Moment('When its settings changed.'),
};

export const Channel = Closed(shown);
export const ChannelWithSecret = Closed({
  ...shown,
  secret: Text(
    'Signing secret of a webhook, shown once; empty for Telegram.',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  ),
});

export const AddChannelBody = Body(
  {
    type: Choice(channelTypes, { description: 'telegram or webhook.' }),
    ...givenChannelSettings(true),
  },
  [],
  {
    if: { properties: { type: { const: 'telegram' } } },
    then: {
      required: ['bot_id', 'chat_id'],
      properties: { bot_id: { minimum: 1 }, url: { maxLength: 0 } },
    },
    else: {
      required: ['url'],
      properties: {
        url: { minLength: 1 },
        bot_id: { maximum: 0 },
        chat_id: { minimum: 0, maximum: 0 },
        message_thread_id: { maximum: 0 },
      },
    },
  },
);
export const UpdateChannelBody = Body({ id: Id('Channel ID.'), ...givenChannelSettings(false) }, [
  'type',
  'disabled',
  'error',
  'error_detail',
  'failed_at',
  'sent_at',
  'created_at',
  'updated_at',
]);
export const ChannelQuery = Query({ id: Id('Channel ID.') });

export const TestResult = Closed({
  delivered: Flag('Whether the test message arrived.'),
  error: Text('Why not; empty if it did.'),
  error_detail: Detail('error'),
});
