import { Type } from 'typebox';
import { deliveryStates } from '../../../relay/delivery/find-updates.ts';
import { Choice, Closed, Detail, Integer, List, Moment, Text } from '../../schemas.ts';
import { DeliveryAttempt, Next } from './delivery-schema.ts';

export const DeliveryState = Choice(deliveryStates, {
  description:
    'delivered: the backend accepted it. waiting: it was not sent yet. retrying: it failed and is sent again. failed: it is a dead letter. unknown: it is done, but no delivery is stored: it was skipped or discarded, or retention removed its attempts.',
  examples: ['delivered'],
});

const row = {
  position: Integer('Position of the update in the log.', 5),
  update_id: Integer('update_id of Telegram.', 700_001),
  kind: Text('The update type.', 'message'),
  queue: Text('The queue it is delivered in.', 'c42'),
  received_at: Moment('When the relay received it.'),
  user_id: Integer('The person; 0 if there is none.', 42),
  person: Text('The name of the person, or the title of the chat that wrote.', 'Anna Lind'),
  username: Text('The username of the person; empty if there is none.', 'anna'),
  chat_id: Integer('The chat; 0 if there is none.', 42),
  chat_title: Text('The title of the chat; empty if there is none.', 'Anna Lind'),
  message_id: Integer('The stored message; 0 if it has none.', 7),
  text: Text('Its first words.', 'Where is my order?'),
  state: DeliveryState,
  tries: Integer('Number of stored attempts.', 1),
  last_attempt_at: Moment('When the last attempt began; empty if none is stored.'),
  duration_ms: Integer('Response time of the last attempt.', 12),
  status: Integer('HTTP status of the last response; 0 if there was none.', 200),
  error: Text('Why the last attempt failed; empty if it did not.'),
  error_detail: Detail('error'),
  response: Text('The first line of the last response.', 'ok'),
  next_attempt_at: Moment('When it is sent again; empty if it is not.'),
  dead_letter_id: Integer('The dead letter; 0 if it is none.', 0),
};

export const DeliveredUpdateAnswer = Closed(row);

export const DeliveredUpdates = Closed({
  updates: List(DeliveredUpdateAnswer, 'One row for each update.'),
  next: Next,
  reached_at: Moment(
    'When the last update came that was looked at. A page may end early, even empty, when a search takes long: continue with `next`.',
  ),
});

export const DeliveredUpdateDetail = Closed({
  ...row,
  raw: Text('The update exactly as received, which is the body of the request.'),
  url: Text(
    'The address of the backend at present; without the scope manage, only scheme, host and port.',
    'https://bot.example.com/updates',
  ),
  attempts: List(
    Type.Object({
      ...DeliveryAttempt.properties,
      headers: List(
        Closed({ name: Text('Name.', 'webhook-id'), value: Text('Value.', 'upd_1_5') }),
        'The headers of the request, by the present settings. Secrets are masked.',
      ),
      curl: Text('The request as a command for a shell. Secrets are masked.'),
    }),
    'Attempts, oldest first: the last 50 failures, and deliveries.',
  ),
});
