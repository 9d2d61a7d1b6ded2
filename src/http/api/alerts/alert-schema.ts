import { Type } from 'typebox';
import { attentionKinds } from '../../../core/alerts/alerts.ts';
import { Detail, Choice, Moment, Integer, Text, Closed } from '../../schemas.ts';

export const AlertAnswer = Closed({
  kind: Choice(attentionKinds, { description: 'Kind of alert.' }),
  bot_id: Integer('The bot it is about.', 1),
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
  app: Type.Optional(Text('The app it is about; left out if it is about the bot itself.', 'shop')),
  reader: Type.Optional(Text('The reader, as in GET /api/bots/readers.')),
  reason: Type.Optional(
    Text(
      'For backend_down and chats_in_retry: why the last delivery or check failed; "" if unknown.',
      'answered 401',
    ),
  ),
  reason_detail: Type.Optional(Detail('reason')),
  seen_at: Type.Optional(
    Moment('For backend_down and chats_in_retry: time of the last failure; empty if unknown.'),
  ),
  route_id: Type.Optional(Integer('The route.')),
  target_bot_id: Type.Optional(Integer('The target bot of the route.')),
});
