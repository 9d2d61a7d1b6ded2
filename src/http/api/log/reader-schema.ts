import { Type } from 'typebox';
import { allReaderKinds, readerKinds } from '../../../core/log/reader-kinds.ts';
import {
  Body,
  Choice,
  exactlyOne,
  Flag,
  Id,
  Integer,
  largestId,
  Moment,
  Optional,
  Text,
} from '../../schemas.ts';

const Position = (description: string) => Type.Integer({ minimum: 0, description });

export const consumerPattern = '^[A-Za-z0-9_.-]{0,64}$';

export const Reader = Type.Object({
  reader: Text(
    'Name in requests: push, routing, pull (the consumer that bot libraries use), or push: or pull: and the name of an app.',
    'pull:analytics',
  ),
  kind: Choice(allReaderKinds, {
    description: `${allReaderKinds.map((kind) => `${kind} ${readerKinds[kind].does}`).join(', ')}.`,
  }),
  name: Text('Name of the app; empty for readers without a name of their own.'),
  app: Text(
    'The app it reads for: default, or its name. Empty for routing and export.',
    'analytics',
  ),
  removable: Flag('Whether POST /api/bots/readers/remove removes it: true for named consumers.'),
  position: Position(
    'The last position it read. Everything up to here is finished, except updates in retry queues.',
  ),
  behind: Integer(
    'Updates for it that it has not finished, including those in retry queues. Exact within the last 1,000 of the bot.',
  ),
  in_retry: Integer('Updates of them in retry queues; 0 for all readers but push.'),
  oldest_waiting_seconds: Integer('Waiting time of the oldest of them; 0 if there is none.'),
  dropped: Integer('Updates that retention removed before it read them.'),
  last_moved_at: Moment('When its position last changed, or it was created.'),
  active: Flag(
    'False while it does not read: the bot is disabled, forwarding or getUpdates is off, its app is disabled, or it has no routes. It keeps its position.',
  ),
  waiting: Flag('Whether a client is waiting for updates on the responding node.'),
  failure: Text(
    'System error code that stops it, such as ENOSPC; empty if none. It retries automatically.',
  ),
});

export const Readers = Type.Object({
  bot_id: Integer('The bot.'),
  log_start: Position(
    'Position of the oldest update in the log; past the end if the log is empty.',
  ),
  log_end: Position('Position of the newest update.'),
  readers: Type.Array(Reader),
});

export const RewindBody = Body(
  {
    bot_id: Id('The bot whose log is read.'),
    reader: Text('Name of the reader, as in GET /api/bots/readers.', 'pull:analytics', {
      pattern: `^(${allReaderKinds.join('|')})(:[A-Za-z0-9_.-]{1,64})?$`,
    }),
    position: Optional.Integer('The reader continues after this position.', undefined, {
      minimum: 0,
      maximum: largestId,
    }),
    since: Optional.Integer(
      'Unix time: the reader continues with updates received from then on.',
      1769860800,
      {
        minimum: 0,
        maximum: 99_999_999_999,
      },
    ),
    to: Optional.Choice(['start', 'end'], {
      description: 'start: read everything in the log again. end: only new updates.',
    }),
  },
  [],
  exactlyOne('position', 'since', 'to'),
);

export const Rewound = Type.Object({
  bot_id: Integer('The bot.'),
  reader: Text('The reader.'),
  position: Position('New position.'),
  previous_position: Position('Previous position.'),
  read_again: Integer('Updates it will read again.'),
  skipped: Integer('Updates it skips.'),
});

export const RemovedConsumer = Type.Object({
  bot_id: Integer('The bot.'),
  consumer: Text('The removed consumer.'),
  position: Position('Its last position.'),
});
