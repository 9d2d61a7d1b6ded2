import { Type } from 'typebox';
import { alertActions, alertKindNames, severities } from '../../../core/alerts/alerts.ts';
import {
  Body,
  Choice,
  Closed,
  Detail,
  Id,
  Integer,
  List,
  Moment,
  Optional,
  Text,
} from '../../schemas.ts';

export const Kind = Choice(alertKindNames, { description: 'Kind of alert.' });

const shown = {
  kind: Kind,
  severity: Choice(severities, { description: 'How urgent it is.' }),
  bot_id: Integer('The bot it is about; 0 for the service.', 1),
  params: Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description:
      'The values in the text, by name. Addresses are masked. why_detail is the code of why.',
    examples: [{ bot: 'Support', host: 'backend.example.com:443', count: 12 }],
  }),
};

const handled = {
  acknowledged_by: Text('Who says that they take care of it; empty if nobody does.', 'Ann'),
  acknowledged_at: Moment('When they said so; empty if nobody did.'),
  muted_until: Moment('Until then nothing new is sent; empty if not muted.'),
  muted_by: Text('Who muted it; empty if not muted.'),
  action: Choice([...alertActions, ''], {
    description: 'What somebody did about it last, since it opened; empty if nothing.',
  }),
  action_by: Text('Who did it; empty if nobody.'),
  action_at: Moment('When; empty if never.'),
};

export const OpenAlertAnswer = Closed({
  ...shown,
  ...handled,
  alert_id: Integer('Its ID in GET /api/alerts; 0 until it is recorded, after seconds.', 1),
  count: Integer(
    'How many updates, chats, dead letters, sends, refused messages or routes are affected, depending on the kind; 0 if nothing is counted.',
    331,
  ),
  since: Moment('Start time; empty if unknown.'),
  text: Type.String({
    description: 'Details: the last error, why a message was refused, or the backend address.',
    examples: ['https://backend.example.com/updates'],
  }),
  text_detail: Detail('text'),
  app: Optional.Text('The app it is about; left out if it is about the bot itself.', 'shop'),
  reader: Optional.Text('The reader, as in GET /api/bots/readers.'),
  reason: Optional.Text(
    'For backend_down and chats_in_retry: why the last delivery or check failed; "" if unknown.',
    'answered 401',
  ),
  reason_detail: Type.Optional(Detail('reason')),
  seen_at: Type.Optional(
    Moment('For backend_down and chats_in_retry: time of the last failure; empty if unknown.'),
  ),
  route_id: Optional.Integer('The route.'),
  target_bot_id: Optional.Integer('The target bot of the route.'),
});

export const ChannelUse = Type.Object({
  channel_id: Integer('The channel.', 1),
  state: Choice(['sending', 'sent', 'failed', 'skipped'], {
    description: 'What became of it; skipped: the channel could not be used.',
  }),
  error: Text('Why it failed or was skipped; empty otherwise.'),
  error_detail: Detail('error'),
  used_channel_id: Integer('The channel that was used instead; 0 for none.'),
});

export const AlertAnswer = Closed({
  id: Id('Alert ID.'),
  ...shown,
  text: Text('What is wrong.'),
  url: Text('Page of the web UI; empty without RELAY_PUBLIC_URL.'),
  opened_at: Moment('When it began; if it came back, when it did last.'),
  changed_at: Moment('Last change.'),
  resolved_at: Moment('When it ended; empty while it is open.'),
  occurrences: Integer('How often it came back within 15 minutes, and 1.', 1),
  ...handled,
  channels: List(ChannelUse, 'Where it was sent. Only for keys for all bots.'),
});

export const AcknowledgeBody = Body({
  id: Id('Alert ID.'),
  acknowledged: Optional.Flag('false takes it back, whose ever it is.', undefined, {
    default: true,
  }),
});

export const MuteBody = Body({
  id: Id('Alert ID.'),
  minutes: Optional.Integer('For how long; 0 unmutes it.', undefined, {
    minimum: 0,
    maximum: 10_080,
    default: 60,
  }),
});
