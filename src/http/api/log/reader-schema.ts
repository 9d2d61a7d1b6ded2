import { Type } from 'typebox';
import { allReaderKinds, readerKinds } from '../../../core/log/reader-kinds.ts';
import { Body, Choice, exactlyOne, Id, largestId, Moment } from '../../schemas.ts';

const Position = (description: string) => Type.Integer({ minimum: 0, description });

export const consumerPattern = '^[A-Za-z0-9_.-]{0,64}$';

export const Reader = Type.Object({
  reader: Type.String({
    description:
      'Name in requests: push, routing, pull (the consumer that bot libraries use), or push: or pull: and the name of an app.',
    examples: ['pull:analytics'],
  }),
  kind: Choice(allReaderKinds, {
    description: `${allReaderKinds.map((kind) => `${kind} ${readerKinds[kind].does}`).join(', ')}.`,
  }),
  name: Type.String({
    description: 'Name of the app; empty for readers without a name of their own.',
  }),
  app: Type.String({
    description: 'The app it reads for: default, or its name. Empty for routing and export.',
    examples: ['analytics'],
  }),
  removable: Type.Boolean({
    description: 'Whether POST /api/bots/readers/remove removes it: true for named consumers.',
  }),
  position: Position(
    'The last position it read. Everything up to here is finished, except updates in retry queues.',
  ),
  behind: Type.Integer({
    description:
      'Updates for it that it has not finished, including those in retry queues. Exact within the last 1,000 of the bot.',
  }),
  in_retry: Type.Integer({
    description: 'Updates of them in retry queues; 0 for all readers but push.',
  }),
  oldest_waiting_seconds: Type.Integer({
    description: 'Waiting time of the oldest of them; 0 if there is none.',
  }),
  dropped: Type.Integer({
    description: 'Updates that retention removed before it read them.',
  }),
  last_moved_at: Moment('When its position last changed, or it was created.'),
  active: Type.Boolean({
    description:
      'False while it does not read: the bot is disabled, forwarding or getUpdates is off, its app is disabled, or it has no routes. It keeps its position.',
  }),
  waiting: Type.Boolean({
    description: 'Whether a client is waiting for updates on the responding node.',
  }),
  failure: Type.String({
    description:
      'System error code that stops it, such as ENOSPC; empty if none. It retries automatically.',
  }),
});

export const Readers = Type.Object({
  bot_id: Type.Integer({ description: 'The bot.' }),
  log_start: Position(
    'Position of the oldest update in the log; past the end if the log is empty.',
  ),
  log_end: Position('Position of the newest update.'),
  readers: Type.Array(Reader),
});

export const RewindBody = Body(
  {
    bot_id: Id('The bot whose log is read.'),
    reader: Type.String({
      pattern: `^(${allReaderKinds.join('|')})(:[A-Za-z0-9_.-]{1,64})?$`,
      description: 'Name of the reader, as in GET /api/bots/readers.',
      examples: ['pull:analytics'],
    }),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: largestId,
        description: 'The reader continues after this position.',
      }),
    ),
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 99_999_999_999,
        description: 'Unix time: the reader continues with updates received from then on.',
        examples: [1769860800],
      }),
    ),
    to: Type.Optional(
      Choice(['start', 'end'], {
        description: 'start: read everything in the log again. end: only new updates.',
      }),
    ),
  },
  [],
  exactlyOne('position', 'since', 'to'),
);

export const Rewound = Type.Object({
  bot_id: Type.Integer({ description: 'The bot.' }),
  reader: Type.String({ description: 'The reader.' }),
  position: Position('New position.'),
  previous_position: Position('Previous position.'),
  read_again: Type.Integer({ description: 'Updates it will read again.' }),
  skipped: Type.Integer({ description: 'Updates it skips.' }),
});

export const RemovedConsumer = Type.Object({
  bot_id: Type.Integer({ description: 'The bot.' }),
  consumer: Type.String({ description: 'The removed consumer.' }),
  position: Position('Its last position.'),
});
