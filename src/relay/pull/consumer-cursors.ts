/*
 * Stores the cursors of consumers and moves them by compare-and-set, so that no poll undoes the
 * move of another.
 */
import { mostApps } from '../../core/apps/app.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';
import { readState, writeState } from '../../core/log/consumer-state.ts';
import type { ConsumerRepository, Cursor } from '../../store/apps/consumers.ts';
import type { ConsumerPosition } from './confirm.ts';
import { withoutOldAllowedUpdates } from './consumer-state.ts';

type CursorChange = (at: ConsumerPosition) => Promise<ConsumerPosition>;

export interface ConsumerCursors {
  find(botId: number, consumer: string): Promise<ConsumerPosition | undefined>;
  /**
   * Applies `change` to a consumer, again whenever someone else moved it meanwhile. Creates the
   * consumer if needed, and its app unless `appId` says which app it is.
   */
  open(
    botId: number,
    consumer: string,
    change: CursorChange,
    appId?: number,
  ): Promise<ConsumerPosition>;
  /** Does the same for an existing consumer of that app; undefined if it does not exist. */
  change(
    botId: number,
    consumer: string,
    change: CursorChange,
    appId?: number,
  ): Promise<ConsumerPosition | undefined>;
  openDefault(botId: number): Promise<void>;
}

const attempts = 20;

/**
 * `settlePush` stores what push has finished: the unnamed consumer of a bot with a webhook begins
 * there.
 */
export function createConsumerCursors(
  consumers: ConsumerRepository,
  clock: Clock,
  settlePush: (botId: number) => Promise<void> = async () => {},
): ConsumerCursors {
  async function findOrMake(botId: number, consumer: string, appId?: number): Promise<Cursor> {
    const known = await consumers.find(botId, consumer, appId);
    if (known) return known;
    if (consumer === '') await settlePush(botId);
    const made = await consumers.open(botId, consumer, clock.now(), mostApps, appId);
    if (made) return made;
    if (appId !== undefined) throw removed(consumer);
    throw new RelayError(
      'conflict',
      reason('too_many_consumers', { bot_id: botId, most: mostApps }),
    );
  }

  async function tryToMove(
    { botId, consumer, appId }: { botId: number; consumer: string; appId: number | undefined },
    from: Cursor,
    change: CursorChange,
  ): Promise<ConsumerPosition | undefined> {
    const before = asConsumerPosition(from);
    const after = await change(before);
    if (after.position === before.position && after.state === before.state) return before;
    const state = withoutOldAllowedUpdates(after.state, after.position);
    const to = { position: after.position, state: writeState(state) };
    const isMoved = await consumers.move(botId, consumer, { from, to, appId }, clock.now());
    return isMoved ? { position: to.position, state } : undefined;
  }

  return {
    async find(botId, consumer) {
      const cursor = await consumers.find(botId, consumer);
      return cursor && asConsumerPosition(cursor);
    },
    async open(botId, consumer, change, appId) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const from = await findOrMake(botId, consumer, appId);
        const moved = await tryToMove({ botId, consumer, appId }, from, change);
        if (moved) return moved;
      }
      throw tooMany();
    },
    async change(botId, consumer, change, appId) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const from = await consumers.find(botId, consumer, appId);
        if (!from) return undefined;
        const moved = await tryToMove({ botId, consumer, appId }, from, change);
        if (moved) return moved;
      }
      throw tooMany();
    },
    async openDefault(botId) {
      await consumers.open(botId, '', clock.now(), mostApps);
    },
  };
}

export function isSameCursor(left: ConsumerPosition, right: ConsumerPosition): boolean {
  return left.position === right.position && left.state.rewound === right.state.rewound;
}

function asConsumerPosition({ position, state }: Cursor): ConsumerPosition {
  return { position, state: readState(state) };
}

export function removed(consumer: string): RelayError {
  return new RelayError('conflict', reason('consumer_removed', { consumer }));
}

function tooMany(): RelayError {
  return new RelayError('conflict', reason('too_many_polls'));
}
