import { Type } from 'typebox';
import { Detail, Body, exactlyOne, Id, Moment, type Rules } from '../../schemas.ts';

const Position = (description: string) => Type.Integer({ minimum: 0, description });

export const Attempt = Type.Object({
  id: Type.Integer({ description: 'Attempt ID; newer ones are higher.' }),
  bot_id: Type.Integer({ description: 'The bot whose update was delivered.' }),
  position: Position('Where the update stands in the log of the bot.'),
  update_id: Type.Integer({ description: 'The update_id of the platform.' }),
  queue: Type.String({
    description: 'What is kept in order: c and the chat, or u and the user of a query.',
    examples: ['c-1001234567890'],
  }),
  started_at: Moment('When the request was sent.'),
  duration_ms: Type.Integer({ description: 'How long the answer took.' }),
  status: Type.Integer({ description: 'The HTTP status of the answer, 0 when none came.' }),
  delivered: Type.Boolean({ description: 'Whether the backend took it.' }),
  error: Type.String({ description: 'What went wrong; empty for a delivery.' }),
  error_detail: Detail('error'),
  answer: Type.String({ description: 'The first 512 bytes of the answer.' }),
  replay: Type.Boolean({ description: 'Whether someone asked for this delivery.' }),
});

export const DeadLetter = Type.Object({
  id: Type.Integer({ description: 'Dead letter ID.' }),
  bot_id: Type.Integer({ description: 'The bot whose update it is.' }),
  position: Position('Where the update stood in the log of the bot.'),
  update_id: Type.Integer({ description: 'The update_id of the platform.' }),
  kind: Type.String({ description: 'The kind of update.', examples: ['message'] }),
  queue: Type.String({ description: 'The queue it was delivered in.' }),
  reason: Type.String({ description: 'Why its last attempt failed.' }),
  reason_detail: Detail('reason'),
  attempts: Type.Integer({ description: 'How often it was tried.' }),
  received_at: Moment('When the relay received it.'),
  died_at: Moment('When it was given up.'),
  replayed_at: Moment('When its replay was asked for; empty while nobody did.'),
  raw: Type.String({ description: 'The update exactly as received.' }),
});

export const DeliveryQueues = Type.Object({
  bot_id: Type.Integer({ description: 'The bot.' }),
  last_position: Position('The end of the log.'),
  trimmed_to: Position('Positions up to this one are gone.'),
  backend_status: Type.String({
    description: 'ok, unknown, failing, paused, or empty: not forwarded.',
  }),
  pending_updates: Type.Integer({ description: 'Updates that wait to be delivered.' }),
  dead_letters: Type.Integer({ description: 'Updates that were given up.' }),
  readers: Type.Array(
    Type.Object({
      name: Type.String({
        description: 'push, routing, pull, or pull: and the name of a consumer.',
      }),
      position: Position('Everything up to here is finished, or waits below.'),
      lag: Type.Integer({
        description: 'How many updates it has not finished; of push as pending_updates.',
      }),
      updated_at: Moment('When it last moved.'),
    }),
  ),
  parked: Type.Array(
    Type.Object({
      queue: Type.String({ description: 'The chat (c…) or user (u…).' }),
      waiting: Type.Integer({ description: 'How many updates wait in it.' }),
      first_position: Position('The update at its head.'),
      attempts: Type.Integer({ description: 'Failures of its head in a row.' }),
      first_failed_at: Moment('When its head failed first; empty when it did not.'),
      next_attempt_at: Moment('When it is tried next; the present moment while it is due.'),
      due: Type.Boolean({
        description:
          'Its time has come: it is tried as soon as a place is free, or once the backend answers when deliveries are paused.',
      }),
      reason: Type.String({ description: 'Why the last attempt failed.' }),
      reason_detail: Detail('reason'),
    }),
    { description: 'The queues that wait, those due first; at most 200.' },
  ),
});

const ids = Type.Array(Id('Dead letter ID.'), {
  minItems: 1,
  maxItems: 1_000,
  uniqueItems: true,
  description: 'These dead letters.',
  examples: [[1]],
});

/** Exactly one of `ids`, `all_dead` being true, and the others. */
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
    bot_id: Id('The bot whose updates are delivered again.'),
    ids: Type.Optional(ids),
    all_dead: Type.Optional(Type.Boolean({ description: 'All dead letters of the bot.' })),
    from_position: Type.Optional(
      Type.Integer({ minimum: 1, description: 'A stretch of the log, from this position on.' }),
    ),
    to_position: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Its last position; left out: all that was read.' }),
    ),
  },
  [],
  whichLetters('from_position'),
);

export const DiscardBody = Body(
  {
    bot_id: Id('The bot whose dead letters are thrown away.'),
    ids: Type.Optional(ids),
    all_dead: Type.Optional(Type.Boolean({ description: 'All dead letters of the bot.' })),
  },
  [],
  whichLetters(),
);

export const LoggedUpdate = Type.Object({
  position: Position('Where it stands in the log of the bot.'),
  update_id: Type.Integer({ description: 'The update_id of the platform.' }),
  kind: Type.String({ description: 'The kind of update.', examples: ['message'] }),
  queue: Type.String({ description: 'What push keeps in order.' }),
  received_at: Moment('When the relay received it.'),
  raw: Type.String({ description: 'The update exactly as received.' }),
});

export const BackendCheckResult = Type.Object({
  reachable: Type.Boolean({ description: 'Whether the backend answered at all.' }),
  accepted: Type.Optional(
    Type.Boolean({ description: 'Whether it took the test update; only with deliver.' }),
  ),
  status: Type.Integer({ description: 'The HTTP status of its answer, 0 when none came.' }),
  duration_ms: Type.Integer({ description: 'How long the answer took.' }),
  error: Type.String({ description: 'What is wrong; empty when nothing is.' }),
  error_detail: Detail('error'),
});
