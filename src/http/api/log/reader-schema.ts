import { Type } from 'typebox';
import { allReaderKinds, readerKinds } from '../../../core/log/reader-kinds.ts';
import { Body, Choice, exactlyOne, Id, largestId, Moment } from '../../schemas.ts';

const Position = (description: string) => Type.Integer({ minimum: 0, description });

export const consumerPattern = '^[A-Za-z0-9_.-]{0,64}$';

export const Reader = Type.Object({
  reader: Type.String({
    description:
      'By which it is named in requests: push, routing, pull (the consumer that bot libraries use), or pull: and the name of a consumer. Other kinds are named alike.',
    examples: ['pull:analytics'],
  }),
  kind: Choice(allReaderKinds, {
    description: `${allReaderKinds.map((kind) => `${kind} ${readerKinds[kind].does}`).join(', ')}.`,
  }),
  name: Type.String({
    description:
      'The name of a consumer; empty for all others. Other kinds may have names as well.',
  }),
  removable: Type.Boolean({
    description: 'Whether POST /api/bots/readers/remove removes it: true for named consumers.',
  }),
  position: Position(
    'The next it reads is the one after. Everything up to here is finished, except what waits behind a failure of push.',
  ),
  behind: Type.Integer({
    description:
      'How many updates it has not finished; of push with those that wait behind a failure.',
  }),
  parked: Type.Integer({
    description:
      'How many of them it has read and are waiting behind a failure; 0 for all readers but push.',
  }),
  oldest_waiting_seconds: Type.Integer({
    description: 'How long the oldest of them waits; 0 when none does.',
  }),
  dropped: Type.Integer({
    description: 'How many updates retention took from it before it had read them.',
  }),
  last_moved_at: Moment('When its position last moved, or it was made.'),
  active: Type.Boolean({
    description:
      'false while nothing reads by it: the bot is disabled, or forwarding, long polls or routes are off. It keeps its position all the same.',
  }),
  waiting: Type.Boolean({
    description: 'Whether a client waits for updates right now, on the node that answers.',
  }),
  failure: Type.String({
    description:
      'What keeps it from moving on, as a system error code such as ENOSPC; empty while nothing does. It retries by itself.',
  }),
});

export const Readers = Type.Object({
  bot_id: Type.Integer({ description: 'The bot.' }),
  log_start: Position('The oldest update that is still there; past the end when none is.'),
  log_end: Position('The newest update.'),
  readers: Type.Array(Reader),
});

export const RewindBody = Body(
  {
    bot_id: Id('The bot whose log is read.'),
    reader: Type.String({
      pattern: `^(${allReaderKinds.join('|')})(:[A-Za-z0-9_.-]{1,64})?$`,
      description: 'As GET /api/bots/readers names it.',
      examples: ['pull:analytics'],
    }),
    position: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: largestId,
        description: 'The last update that counts as read: the one after it is read next.',
      }),
    ),
    since: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 99_999_999_999,
        description: 'Unix time: what was received from then on is read.',
        examples: [1769860800],
      }),
    ),
    to: Type.Optional(
      Choice(['start', 'end'], {
        description: 'Everything that is still there is read, or only what comes from now on.',
      }),
    ),
  },
  [],
  exactlyOne('position', 'since', 'to'),
);

export const Rewound = Type.Object({
  bot_id: Type.Integer({ description: 'The bot.' }),
  reader: Type.String({ description: 'The reader.' }),
  position: Position('Where it stands now.'),
  previous_position: Position('Where it stood before.'),
  read_again: Type.Integer({ description: 'How many updates it will read again.' }),
  skipped: Type.Integer({ description: 'How many updates it will never have read.' }),
});

export const RemovedConsumer = Type.Object({
  bot_id: Type.Integer({ description: 'The bot.' }),
  consumer: Type.String({ description: 'The consumer that is gone.' }),
  position: Position('Where it stood.'),
});
