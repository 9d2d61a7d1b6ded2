/* Where consumers stand, and how they are moved: by compare-and-set, so that no one undoes another. */
import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';
import { readState, writeState } from '../../store/log/consumer-state.ts';
import type { ConsumerRepository, Place } from '../../store/log/consumers.ts';
import type { Confirmation } from './confirm.ts';
import { withoutOldWishes } from './consumer-state.ts';

type Change = (at: Confirmation) => Promise<Confirmation>;

export interface Places {
  find(botId: number, consumer: string): Promise<Confirmation | undefined>;
  /** Applies `change` to a consumer until no one else came in between; makes it if need be. */
  open(botId: number, consumer: string, change: Change): Promise<Confirmation>;
  /** The same for one that is there; undefined when it is not. */
  change(botId: number, consumer: string, change: Change): Promise<Confirmation | undefined>;
  openDefault(botId: number): Promise<void>;
}

const mostConsumers = 100;
const attempts = 20;

/** `settlePush` stores what push has finished: the unnamed consumer of a webhook's bot begins there. */
export function createPlaces(
  consumers: ConsumerRepository,
  clock: Clock,
  settlePush: (botId: number) => Promise<void> = async () => {},
): Places {
  async function findOrMake(botId: number, consumer: string): Promise<Place> {
    const known = await consumers.find(botId, consumer);
    if (known) return known;
    if (consumer === '') await settlePush(botId);
    const made = await consumers.open(botId, consumer, clock.now(), mostConsumers);
    if (made) return made;
    throw new RelayError(
      'conflict',
      `Conflict: bot ${botId} has ${mostConsumers} consumers already; remove one that is no longer used`,
    );
  }

  async function tryToMove(
    botId: number,
    consumer: string,
    from: Place,
    change: Change,
  ): Promise<Confirmation | undefined> {
    const before = asConfirmation(from);
    const after = await change(before);
    if (after.position === before.position && after.state === before.state) return before;
    const state = withoutOldWishes(after.state, after.position);
    const to = { position: after.position, state: writeState(state) };
    const isMoved = await consumers.move(botId, consumer, from, to, clock.now());
    return isMoved ? { position: to.position, state } : undefined;
  }

  return {
    async find(botId, consumer) {
      const place = await consumers.find(botId, consumer);
      return place && asConfirmation(place);
    },
    async open(botId, consumer, change) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const from = await findOrMake(botId, consumer);
        const moved = await tryToMove(botId, consumer, from, change);
        if (moved) return moved;
      }
      throw tooMany();
    },
    async change(botId, consumer, change) {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const from = await consumers.find(botId, consumer);
        if (!from) return undefined;
        const moved = await tryToMove(botId, consumer, from, change);
        if (moved) return moved;
      }
      throw tooMany();
    },
    async openDefault(botId) {
      await consumers.open(botId, '', clock.now(), mostConsumers + 1);
    },
  };
}

export function isSamePlace(left: Confirmation, right: Confirmation): boolean {
  return left.position === right.position && left.state.rewound === right.state.rewound;
}

function asConfirmation({ position, state }: Place): Confirmation {
  return { position, state: readState(state) };
}

function tooMany(): RelayError {
  return new RelayError('conflict', 'Conflict: too many polls of this consumer at once');
}
