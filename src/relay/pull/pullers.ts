/*
 * Long polls on the log: getUpdates for any bot library, and the same for key holders.
 *
 * Invariants: what an offset confirms is on disk before the poll is answered; an answer never spans
 * a downward jump of ids; what was not confirmed comes again, whatever became of the answer. A
 * consumer moves by compare-and-set, so that polls of one consumer on several nodes cannot undo
 * each other. Unlike the platform, updates do not expire here before the log's retention.
 */
import type { Clock } from '../../clock.ts';
import { RelayError } from '../../errors.ts';
import type { ConsumerRepository, Place } from '../../store/consumers.ts';
import type { LogRepository } from '../../store/log.ts';
import type { UpdateLog } from '../update-log.ts';
import { type Collected, collect } from './collect.ts';
import { type Confirmation, confirmAllBut, confirmBelow } from './confirm.ts';
import {
  readAllowedUpdates,
  readState,
  type Shown,
  withoutOldWishes,
  withWish,
  writeState,
} from './consumer-state.ts';
import { createWaitingRoom } from './waiting-room.ts';

export interface PollRequest {
  botId: number;
  /** '' is the one every bot library uses. */
  consumer: string;
  offset: number;
  /** Clamped to 1–100. */
  limit: number;
  /** Clamped to 0–50. */
  timeoutSeconds: number;
  /** As the client gave it; undefined keeps what it asked for before. */
  allowedUpdates?: unknown;
  signal?: AbortSignal;
}

export interface Pullers {
  /** The updates exactly as received, empty when the time ran out. */
  poll(request: PollRequest): Promise<string[]>;
  /** From now on nothing is missed by the consumer that bot libraries use. */
  ensureDefaultReader(botId: number): Promise<void>;
  /** Forgets all that a consumer has not confirmed. */
  drop(botId: number, consumer?: string): Promise<void>;
  /** How many updates a consumer has not confirmed; 0 for an unknown one. */
  pending(botId: number, consumer?: string): Promise<number>;
  consumers(botId: number): Promise<{ name: string; pending: number; lastMovedAt: number }[]>;
  removeConsumer(botId: number, consumer: string): Promise<boolean>;
  /** A poll of this consumer began to wait on another node. */
  displace(botId: number, consumer: string): void;
  readonly waiting: number;
  /** Answers all that wait, at once and with nothing. */
  close(): void;
}

export interface PullersDeps {
  consumers: ConsumerRepository;
  log: Pick<LogRepository, 'head'>;
  updateLog: UpdateLog;
  clock: Clock;
  /** Tells other nodes that a poll begins to wait here. */
  onWaiting?: (botId: number, consumer: string) => void;
}

const mostConsumers = 100;
const longestTimeoutSeconds = 50;
// A stretch that does not concern the consumer is put behind it only when it is worth a commit.
const worthwhileSkip = 100;
const attempts = 20;

export function isConsumerName(text: string): boolean {
  return /^[A-Za-z0-9_.-]{0,64}$/.test(text);
}

export function createPullers(deps: PullersDeps): Pullers {
  const { consumers, updateLog, clock, log } = deps;
  const room = createWaitingRoom(clock);
  const keyOf = (botId: number, consumer: string) => `${botId} ${consumer}`;

  async function placeOf(botId: number, consumer: string): Promise<Place> {
    const known = await consumers.find(botId, consumer);
    if (known) return known;
    const made = await consumers.open(botId, consumer, clock.now(), mostConsumers);
    if (made) return made;
    throw new RelayError(
      'conflict',
      `Conflict: bot ${botId} has ${mostConsumers} consumers already; remove one that is no longer used`,
    );
  }

  /** Applies `change` to a consumer until no one else came in between. */
  async function change(
    botId: number,
    consumer: string,
    apply: (at: Confirmation) => Promise<Confirmation>,
  ): Promise<Confirmation> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const from = await placeOf(botId, consumer);
      const before = { position: from.position, state: readState(from.state) };
      const after = await apply(before);
      if (after.position === before.position && after.state === before.state) return before;
      const state = withoutOldWishes(after.state, after.position);
      const to = { position: after.position, state: writeState(state) };
      if (await consumers.move(botId, consumer, from, to, clock.now())) {
        return { position: to.position, state };
      }
    }
    throw new RelayError('conflict', 'Conflict: too many polls of this consumer at once');
  }

  async function applyRequest(request: PollRequest, at: Confirmation): Promise<Confirmation> {
    const { botId, offset } = request;
    let next = at;
    const kinds = readAllowedUpdates(request.allowedUpdates);
    if (kinds !== undefined) {
      const { lastPosition } = await log.head(botId);
      next = { ...next, state: withWish(next.state, kinds, lastPosition) };
    }
    if (offset > 0) return confirmBelow(deps, botId, next, offset);
    if (offset < 0) return confirmAllBut(deps, botId, next, -offset);
    return next.state === at.state ? at : next;
  }

  /** Remembers, before they are shown, that a new run of ids begins; and skips what is not wanted. */
  async function settle(request: PollRequest, at: Confirmation, found: Collected): Promise<void> {
    const { botId, consumer } = request;
    const begins = beginOfRun(at, found, request.offset);
    if (!begins && found.clearTo - at.position < worthwhileSkip) return;
    await change(botId, consumer, async (now) => {
      // Another poll of the same consumer moved it: its word counts.
      if (now.position !== at.position) return now;
      return {
        position: Math.max(now.position, found.clearTo),
        state: begins ? { ...now.state, shown: begins } : now.state,
      };
    });
  }

  async function poll(request: PollRequest): Promise<string[]> {
    const { botId, consumer, signal } = request;
    const limit = Math.min(Math.max(request.limit, 1), 100);
    const timeoutMs = Math.min(Math.max(request.timeoutSeconds, 0), longestTimeoutSeconds) * 1000;
    const at = await change(botId, consumer, (now) => applyRequest(request, now));
    let clearTo = at.position;
    const look = async () => {
      const found = await collect(updateLog, botId, { after: clearTo, state: at.state }, limit);
      clearTo = found.clearTo;
      return found.entries.length > 0 ? found : undefined;
    };

    // Listening begins before looking, so that no append falls in between.
    let grew = false;
    let wake = () => {
      grew = true;
    };
    const stopListening = updateLog.onAppend(botId, () => wake());
    try {
      let found = await look();
      if (!found && timeoutMs > 0) {
        deps.onWaiting?.(botId, consumer);
        found = await room.wait({
          name: keyOf(botId, consumer),
          timeoutMs,
          signal,
          look,
          onWake(wakeGuest) {
            wake = wakeGuest;
            if (grew) wakeGuest();
          },
        });
      }
      await settle(request, at, found ?? { entries: [], clearTo });
      return found?.entries.map((entry) => entry.raw) ?? [];
    } finally {
      stopListening();
    }
  }

  async function pendingOf(botId: number, position: number): Promise<number> {
    const head = await log.head(botId);
    return Math.max(0, head.lastPosition - Math.max(position, head.trimmedTo));
  }

  return {
    poll,
    async ensureDefaultReader(botId) {
      await consumers.open(botId, '', clock.now(), mostConsumers + 1);
    },
    async drop(botId, consumer = '') {
      const { lastPosition } = await log.head(botId);
      await change(botId, consumer, async (at) =>
        at.position >= lastPosition ? at : { ...at, position: lastPosition },
      );
    },
    async pending(botId, consumer = '') {
      const place = await consumers.find(botId, consumer);
      return place ? pendingOf(botId, place.position) : 0;
    },
    async consumers(botId) {
      const head = await log.head(botId);
      return (await consumers.list(botId)).map(({ name, position, updatedAt }) => ({
        name,
        pending: Math.max(0, head.lastPosition - Math.max(position, head.trimmedTo)),
        lastMovedAt: updatedAt,
      }));
    },
    removeConsumer: (botId, consumer) => consumers.remove(botId, consumer),
    displace: (botId, consumer) => room.end(keyOf(botId, consumer)),
    get waiting() {
      return room.size;
    },
    close: () => room.close(),
  };
}

/** The first update of a run that was not shown before, if that is what an answer begins with. */
function beginOfRun(at: Confirmation, { entries }: Collected, asked: number): Shown | null {
  const [first] = entries;
  const { shown } = at.state;
  if (!first || !shown || shown.position > at.position) return null;
  if (first.updateId > shown.updateId) return null;
  return { position: first.position, updateId: first.updateId, asked };
}
