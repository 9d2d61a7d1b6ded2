import { Type } from 'typebox';
import { reason } from '../../../core/reasons/reason.ts';
import { invalidField } from '../../../errors.ts';
import { messageMarks } from '../../../core/messages/message-mark.ts';
import { stepKinds, stepStates } from '../../../relay/messages/timeline-steps.ts';
import type { MessageKey, TimelineService } from '../../../relay/messages/timeline.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import {
  ChatId,
  Choice,
  Closed,
  Detail,
  Id,
  Integer,
  largestId,
  List,
  Moment,
  Optional,
  Query,
  Text,
} from '../../schemas.ts';
import { MessageAuthor } from './message-schema.ts';

const key = {
  bot_id: Integer('Bot ID.', 1),
  chat_id: Integer('Chat ID.', 42),
  message_id: Integer('Message ID.', 7),
};

const Mark = Choice(messageMarks, {
  description:
    'failed: a backend did not take it after all retries, or a send that it led to failed or may not have arrived. waiting: a backend, an app, a route or a send has yet to finish. delivered: all have; a message of the bot has reached Telegram. nobody: nothing was to receive it. none: retention removed what was known.',
  examples: ['waiting'],
});

const StepAction = Closed(
  {
    type: Choice(['retry_now', 'replay', 'send_again', 'edit_route'], {
      description:
        'retry_now: `POST /api/deliveries/retry-now`. replay: `POST /api/deliveries/replay`. send_again: `POST /api/outbox/send-again`. edit_route: `POST /api/routes/update`.',
    }),
    app: Optional.Text('The app whose backend is meant.', 'default'),
    queue: Optional.Text('The retry queue.', 'c42'),
    dead_letter_id: Optional.Integer('The dead letter.', 3),
    send_id: Optional.Integer('The send.', 7),
    route_id: Optional.Integer('The route.', 2),
  },
  'What can be done about it.',
);

const Step = Closed({
  kind: Choice(stepKinds, {
    description:
      'What the step is about. routing is the decision, route a route that matched, send what was sent because of it, attempt and delivery a backend, reading an app that calls getUpdates.',
  }),
  state: Choice(stepStates, { description: 'removed: retention deleted what was stored of it.' }),
  at: Moment('When it happened, or is tried next; empty if not known.'),
  text: Text('What happened, as a sentence.', 'Waits for the backend.'),
  detail: Detail('text'),
  why: Type.Optional(
    Closed(
      { text: Text('As a sentence.', 'The backend answered 500.'), detail: Detail('text') },
      'Why, if there is more to say.',
    ),
  ),
  author: Type.Optional(MessageAuthor),
  target: Type.Optional(Closed(key, 'The other message that the step is about.')),
  action: Type.Optional(StepAction),
});

/** Bot, chat and message. */
const messageList = '^\\d{1,16}(:-?\\d{1,16}){2}(,\\d{1,16}(:-?\\d{1,16}){2}){0,99}$';

function messagesIn(list: string): MessageKey[] {
  return [...new Set(list.split(','))].flatMap((one) => {
    const [bot_id = 0, chat_id = 0, id = 0] = one.split(':').map(Number);
    return [bot_id, chat_id, id].every(Number.isSafeInteger) ? { bot_id, chat_id, id } : [];
  });
}

const idList = '^-?\\d{1,16}(,-?\\d{1,16}){0,199}$';

export function timelineEndpoints({ timeline }: { timeline: TimelineService }): Endpoint[] {
  const errors = ['bot_not_found', 'bot_not_allowed', 'management_disabled'] as const;
  const asked = { bot_id: Id('Bot ID.'), chat_id: ChatId('Chat ID.') };
  return [
    get('Messages', '/api/messages/timeline', {
      scope: 'read',
      chats: 'reads',
      summary: 'Find out where a message went',
      description:
        'What happened to a stored message, in order: received or sent, stored, claimed by an app, the decision of the routes and the sends it led to, each attempt at a backend, the apps that read it and those that have not yet, and the replies. At most 20 attempts and 20 replies are listed.',
      query: Query({
        ...asked,
        message_id: Integer('Message ID.', 7, { minimum: -largestId, maximum: largestId }),
      }),
      response: Closed({
        ...key,
        mark: Mark,
        position: Integer('Position of its update in the log; 0 if not known, or it had none.', 5),
        steps: List(Step, 'The steps, in order.'),
      }),
      responseName: 'MessageTimeline',
      errors: [...errors, 'message_not_found'],
      handler: ({ caller, query }) => timeline.timeline(caller, query),
    }),
    get('Messages', '/api/messages/marks', {
      scope: 'read',
      chats: 'filtered',
      summary: 'Get what became of messages',
      description:
        'One word for each of the messages, without those that are not stored. Set `bot_id`, `chat_id` and `ids` for messages of one chat, or `messages` for those of any chats, such as a search found.',
      query: Query({
        bot_id: Type.Optional(asked.bot_id),
        chat_id: Type.Optional(asked.chat_id),
        ids: Optional.Text('Up to 200 message IDs, separated by commas.', '7,8', {
          pattern: idList,
        }),
        messages: Optional.Text(
          'Up to 100 messages, separated by commas: each is bot, chat and message ID with colons between. Messages that the key may not see are left out.',
          '1:42:7,2:-1001:8',
          { pattern: messageList },
        ),
      }),
      response: Type.Array(
        Closed({
          id: Integer('Message ID.', 7),
          bot_id: key.bot_id,
          chat_id: key.chat_id,
          mark: Mark,
        }),
      ),
      responseName: 'MessageMarks',
      errors,
      handler: ({ caller, query: { bot_id, chat_id, ids, messages } }) => {
        if (messages !== undefined && bot_id === undefined && chat_id === undefined && !ids) {
          return timeline.marksOfAny(caller, messagesIn(messages));
        }
        if (messages !== undefined || !bot_id || !chat_id || !ids) {
          throw invalidField('messages', reason('marks_choice_needed'));
        }
        const listed = [...new Set(ids.split(',').map(Number))].filter(Number.isSafeInteger);
        return timeline.marks(caller, { bot_id, chat_id, ids: listed });
      },
    }),
  ];
}
