import { Type } from 'typebox';
import { alertKinds } from '../../../core/ops/alerts.ts';
import { Detail, Choice, Moment } from '../../schemas.ts';

export const AlertAnswer = Type.Object(
  {
    kind: Choice(alertKinds, { description: 'What is the matter.' }),
    bot_id: Type.Integer({ description: 'The bot it is about.', examples: [1] }),
    count: Type.Integer({
      description:
        'Updates, chats, dead letters, sends, messages of a route that were refused, or routes to and from a disabled bot, as the kind says; 0 where nothing is counted.',
      examples: [331],
    }),
    since: Moment('Since when; empty where that is not known.'),
    text: Type.String({
      description:
        'What was said about it: the last error, why a message was refused, or the address of the backend.',
      examples: ['https://backend.example.com/updates'],
    }),
    text_detail: Detail('text'),
    reader: Type.Optional(
      Type.String({ description: 'The reader of the log, by its name in GET /api/bots/readers.' }),
    ),
    reason: Type.Optional(
      Type.String({
        description:
          'Of backend_down and chats_parked: why the last delivery or check failed; "" where that is not known.',
        examples: ['answered 401'],
      }),
    ),
    reason_detail: Type.Optional(Detail('reason')),
    seen_at: Type.Optional(
      Moment(
        'Of backend_down and chats_parked: when it last failed; empty where that is not known.',
      ),
    ),
    route_id: Type.Optional(Type.Integer({ description: 'The route.' })),
    target_bot_id: Type.Optional(Type.Integer({ description: 'The bot the route leads to.' })),
  },
  { additionalProperties: false },
);
