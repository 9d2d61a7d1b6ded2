import { Type } from 'typebox';
import { appNamePattern } from '../../../core/apps/app.ts';
import {
  Body,
  Closed,
  Detail,
  exactlyOne,
  Flag,
  Id,
  Integer,
  largestId,
  List,
  Moment,
  Optional,
  type Rules,
  Text,
} from '../../schemas.ts';
import { backendSeenAt, backendStatus } from '../bots/bot-schema.ts';

/** Selects the app whose backend a request is about. */
export const OfApp = Optional.Text(
  'Name of the app. Default: default, the backend of the bot itself.',
  'shop',
  {
    pattern: appNamePattern,
  },
);

const App = Text('The app it was for; default is the bot itself.', 'default');

const Position = (description: string) => Type.Integer({ minimum: 0, description });

export const DeliveryAttempt = Type.Object({
  id: Integer('Attempt ID; newer ones are higher.'),
  bot_id: Integer('The bot whose update was delivered.'),
  app: App,
  position: Position('Position of the update in the log.'),
  update_id: Integer('update_id of Telegram.'),
  queue: Text(
    'Updates of one queue are delivered in order: c and the chat ID, u and the user ID of a press or query, or s and the chat ID of a stop. With per_topic, t and the topic follow, in the queue of a user after c and the chat.',
    'c-1001234567890',
  ),
  started_at: Moment('When the request was sent.'),
  duration_ms: Integer('Response time.'),
  status: Integer('HTTP status of the response; 0 if there was none.'),
  delivered: Flag('Whether the backend accepted it.'),
  error: Text('What went wrong; empty if delivered.'),
  error_detail: Detail('error'),
  answer: Text('The first 512 bytes of the response.'),
  replay: Flag('Whether this was a replay.'),
});

export const DeadLetter = Type.Object({
  id: Integer('Dead letter ID.'),
  bot_id: Integer('The bot whose update it is.'),
  app: App,
  position: Position('Position of the update in the log.'),
  update_id: Integer('update_id of Telegram.'),
  kind: Text('The update type.', 'message'),
  queue: Text('The queue it was delivered in.'),
  reason: Text('Why its last attempt failed.'),
  reason_detail: Detail('reason'),
  attempts: Integer('Number of attempts.'),
  received_at: Moment('When the relay received it.'),
  died_at: Moment('When it became a dead letter.'),
  replayed_at: Moment('When a replay was requested; empty if none.'),
  raw: Text('The update exactly as received.'),
});

export const Backend = Type.Object({
  bot_id: Integer('The bot.'),
  app: Text('The app whose backend it is; default is that of the bot itself.', 'default'),
  backend_status: backendStatus(),
  backend_error: Text(
    'Why the last delivery or check failed; "" unless backend_status is failing or paused.',
  ),
  backend_error_detail: Detail('backend_error'),
  backend_seen_at: backendSeenAt(),
  pending_updates: Integer('Updates that wait for it.'),
});

export const DeliveryQueues = Type.Object({
  bot_id: Integer('The bot.'),
  last_position: Position('The end of the log.'),
  trimmed_to: Position('Retention removed all positions up to this one.'),
  backend_status: Text(
    'ok, unknown, failing or paused (circuit breaker open); empty if nothing is forwarded.',
  ),
  pending_updates: Integer(
    'Updates that wait for the backend; 0 while nothing is forwarded to it.',
  ),
  dead_letters: Integer('Number of dead letters.'),
  readers: Type.Array(
    Type.Object({
      name: Text('push, routing, pull, or push: or pull: and the name of an app.'),
      position: Position('Everything up to here is finished or in a retry queue.'),
      lag: Integer(
        'Updates it has not finished; for the reader that delivers to the app the same as pending_updates.',
      ),
      updated_at: Moment('When it last moved.'),
    }),
  ),
  queues: Integer('Number of retry queues; at most 200 of them are listed.'),
  retry_queues: List(
    Type.Object({
      queue: Text('The chat (c…), user (u…) or topic (…t…).'),
      waiting: Integer('Updates waiting in it.'),
      first_position: Position('Position of its first update.'),
      attempts: Integer('Failed attempts of its first update.'),
      first_failed_at: Moment('When its first update first failed; empty if it did not.'),
      next_attempt_at: Moment('Next attempt; the current time if it is due.'),
      due: Flag(
        'Due: delivered as soon as a connection is free, or when the circuit breaker closes.',
      ),
      reason: Text('Why the last attempt failed.'),
      reason_detail: Detail('reason'),
    }),
    'Retry queues, due ones first; at most 200. While the circuit breaker is open, also the chats that were only tried as a probe.',
  ),
});

/** What a person searches updates for. */
export const updateFilter = {
  q: Optional.Text(
    'Words that must all be in the name of the person, the title of the chat or the text; or an ID: of the person, the chat or the update.',
    'refund',
    { minLength: 1, maxLength: 256 },
  ),
  since: Optional.Moment('Only updates received from this time on.'),
  until: Optional.Moment('Only updates received before this time.'),
};

export const Cursor = Optional.Integer('`next` of the previous page.', undefined, {
  minimum: 1,
  maximum: largestId,
});
export const Next = Integer('`cursor` of the next page; 0 if this was the last one.', 0);

const ids = List(Id('Dead letter ID.'), 'These dead letters.', [1], {
  minItems: 1,
  maxItems: 1_000,
  uniqueItems: true,
});

/** Requires exactly one of `ids`, `all_dead: true` and `others`. */
function whichLetters(...others: string[]): Rules {
  const named = ['ids', ...others] as [string, ...string[]];
  return {
    if: { required: ['all_dead'], properties: { all_dead: { const: true } } },
    then: { not: { anyOf: named.map((name) => ({ required: [name] })) } },
    else: exactlyOne(...named),
  };
}

export const ReplayBody = Body(
  {
    bot_id: Id('The bot whose updates to replay.'),
    app: OfApp,
    ids: Type.Optional(ids),
    all_dead: Optional.Flag('All dead letters of the app.'),
    from_position: Optional.Integer('Replay the log from this position.', undefined, {
      minimum: 1,
    }),
    to_position: Optional.Integer(
      'Last position to replay. Default: the position of the reader.',
      undefined,
      { minimum: 1 },
    ),
    matching: Type.Optional(
      Closed(
        {
          ...updateFilter,
          state: Optional.Choice(['delivered', 'failed', 'unknown'], {
            description: 'Only updates in this state. Those that wait are delivered anyway.',
          }),
          cursor: Cursor,
        },
        'All updates that match, oldest first; {} for all in the log.',
      ),
    ),
  },
  [],
  whichLetters('from_position', 'matching'),
);

export const DiscardBody = Body(
  {
    bot_id: Id('The bot whose dead letters to discard.'),
    app: OfApp,
    ids: Type.Optional(ids),
    all_dead: Optional.Flag('All dead letters of the app.'),
  },
  [],
  whichLetters(),
);

export const LoggedUpdate = Type.Object({
  position: Position('Position in the log of the bot.'),
  update_id: Integer('update_id of Telegram.'),
  kind: Text('The update type.', 'message'),
  queue: Text('The queue that keeps its order.'),
  received_at: Moment('When the relay received it.'),
  raw: Text('The update exactly as received.'),
});

export const BackendCheckResult = Type.Object({
  reachable: Flag('Whether the backend answered at all.'),
  accepted: Optional.Flag('Whether it accepted the test update; only with `deliver`.'),
  status: Integer('HTTP status of the response; 0 if there was none.'),
  duration_ms: Integer('Response time.'),
  error: Text('What is wrong; empty if nothing.'),
  error_detail: Detail('error'),
});
