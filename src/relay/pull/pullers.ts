/*
 * Serves polls on the log: getUpdates for any bot library, and the same for key holders.
 *
 * Invariants: what an offset confirms is on disk before the poll is answered; an answer never spans
 * a downward jump of IDs; updates that were not confirmed come again, whatever happened to the
 * answer. A consumer moves by compare-and-set, so that polls of one consumer on several nodes
 * cannot undo each other. Unlike the platform, updates do not expire here before the log's
 * retention.
 */
import type { Clock } from '../../clock.ts';
import { requireMayPoll } from '../../core/apps/may-poll.ts';
import type { ConsumerRepository } from '../../store/apps/consumers.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { answerStart, applyRequest, type PollRequest } from './apply-request.ts';
import type { ConsumerPosition } from './confirm.ts';
import { countPending } from './count-pending.ts';
import { PollSearch } from './poll-search.ts';
import { type AppReaders, ownView } from '../apps/app-readers.ts';
import { rewoundTo } from './consumer-state.ts';
import { createConsumerCursors } from './consumer-cursors.ts';
import { createPollingApps } from './polling-apps.ts';
import { settleShown } from './settle-shown.ts';
import { createPollWaiters } from './poll-waiters.ts';

export interface Pullers {
  /**
   * Returns the updates exactly as received; empty if the time ran out. Throws if clients may not
   * poll as the consumer's app.
   */
  poll(request: PollRequest): Promise<string[]>;
  /**
   * Makes sure that the consumer of bot libraries misses nothing from then on, while it has the
   * queue.
   */
  ensureDefaultReader(botId: number): Promise<void>;
  /** Skips everything that a consumer has not confirmed. */
  drop(botId: number, consumer?: string): Promise<void>;
  /** Counts the updates that a consumer has not confirmed; undefined for an unknown one. */
  pending(botId: number, consumer?: string): Promise<number | undefined>;
  /**
   * Moves a consumer to another position; returns the previous one, undefined if there is no such
   * consumer.
   */
  rewind(botId: number, consumer: string, position: number): Promise<number | undefined>;
  /** Removes a consumer; returns its position, undefined if there is no such consumer. */
  remove(botId: number, consumer: string): Promise<number | undefined>;
  /** A consumer was moved or removed on another node. */
  moved(botId: number, consumer: string): void;
  /** A poll of this consumer began to wait, on this node or another. */
  onPollAnnounced(botId: number, consumer: string, pollId: string): void;
  /** True if a client waits on this node. */
  isWaiting(botId: number, consumer: string): boolean;
  /**
   * Answers the polls of a bot whose settings changed, so that they ask again under the new ones.
   */
  recall(botId: number): void;
  readonly waiting: number;
  /** Answers all waiting polls at once, with nothing. */
  close(): void;
}

export interface PullersDeps {
  consumers: ConsumerRepository;
  log: Pick<LogRepository, 'head'>;
  updateLog: UpdateLog;
  clock: Clock;
  apps: Pick<AppReaders, 'find'>;
  /** Resolves when what push has finished on this node is on disk. */
  settlePush?: (botId: number) => Promise<void>;
  /** Tells all nodes, including this one, that a poll begins to wait here. */
  onWaiting?: (botId: number, consumer: string, pollId: string) => void;
  /** Tells the other nodes that a consumer was moved or removed. */
  onMoved?: (botId: number, consumer: string) => void;
  /** Called when an app polls; 0 is the default app. */
  onPoll?: (botId: number, appId: number) => void;
  /** The ID of this node, which distinguishes its polls from those of other nodes. */
  nodeId?: string;
}

const maxTimeoutSeconds = 50;

export function isConsumerName(text: string): boolean {
  return /^[A-Za-z0-9_.-]{0,64}$/.test(text);
}

export function createPullers(deps: PullersDeps): Pullers {
  const { consumers, updateLog, clock, log } = deps;
  const waiters = createPollWaiters(clock);
  const cursors = createConsumerCursors(consumers, clock, deps.settlePush);
  const apps = createPollingApps(deps.apps, cursors);
  const keyOf = (botId: number, consumer: string) => `${botId} ${consumer}`;
  let polls = 0;
  /**
   * Grows when any consumer was moved by hand: polls in flight then check whether it was theirs.
   */
  const moves = { count: 0 };
  /** Polls in flight, and whether they must end without waiting. */
  const inFlight = new Set<{ botId: number; isRecalled: boolean }>();

  async function poll(request: PollRequest): Promise<string[]> {
    const flight = { botId: request.botId, isRecalled: false };
    inFlight.add(flight);
    try {
      return await pollUnder({ ...request, consumer: await apps.consumerOf(request) }, flight);
    } finally {
      inFlight.delete(flight);
    }
  }

  async function pollUnder(
    request: PollRequest,
    flight: { readonly isRecalled: boolean },
  ): Promise<string[]> {
    const { botId, consumer } = request;
    const timeoutMs = Math.min(Math.max(request.timeoutSeconds, 0), maxTimeoutSeconds) * 1000;
    const seenMoves = moves.count;
    const app = await apps.findOrAdd(request);
    deps.onPoll?.(botId, app?.app.id ?? 0);
    if (app) requireMayPoll(app.app);
    const view = app ?? ownView;
    const asked = app
      ? { ...request, appId: app.app.id, keepsPending: app.app.keep_pending }
      : request;
    const apply = (now: ConsumerPosition) => applyRequest(deps, asked, view, now);
    const stored = await cursors.open(botId, consumer, apply, app?.app.id);
    const at = await answerStart(deps, asked, view, stored);
    const search = new PollSearch({ updateLog, cursors, moves }, { request, view, at, seenMoves });
    try {
      let found = await search.look();
      if (!found && timeoutMs > 0 && !flight.isRecalled) {
        const id = `${deps.nodeId ?? ''} ${++polls}`;
        deps.onWaiting?.(botId, consumer, id);
        found = await waiters.wait({
          name: keyOf(botId, consumer),
          id,
          timeoutMs,
          signal: request.signal,
          look: () => search.look(),
          onWake: (wake) => search.onWake(wake),
        });
      }
      // The client polls again and is answered by the new settings.
      if (app && !(await apps.isCurrent(app))) return [];
      const collected = found ?? { entries: [], clearTo: search.clearTo };
      const shown = await settleShown(cursors, asked, stored, collected);
      return shown.map((entry) => entry.raw);
    } finally {
      search.end();
    }
  }

  function moved(botId: number, consumer: string): void {
    moves.count++;
    waiters.wake(keyOf(botId, consumer));
  }

  return {
    poll,
    async ensureDefaultReader(botId) {
      await cursors.openDefault(botId);
    },
    async drop(botId, consumer = '') {
      if (consumer === '') await cursors.openDefault(botId);
      const { lastPosition } = await log.head(botId);
      await cursors.change(botId, consumer, async (at) =>
        at.position >= lastPosition
          ? at
          : { position: lastPosition, state: rewoundTo(at.state, lastPosition) },
      );
    },
    async pending(botId, consumer = '') {
      const cursor = await cursors.find(botId, consumer);
      const view = (await apps.find(botId, consumer)) ?? ownView;
      return cursor && countPending(deps, botId, cursor, view);
    },
    async rewind(botId, consumer, position) {
      let before: number | undefined;
      await cursors.change(botId, consumer, async (at) => {
        before = at.position;
        return { position, state: rewoundTo(at.state, position) };
      });
      if (before === undefined) return undefined;
      moved(botId, consumer);
      deps.onMoved?.(botId, consumer);
      return before;
    },
    async remove(botId, consumer) {
      const gone = await consumers.remove(botId, consumer, clock.now());
      if (!gone) return undefined;
      moved(botId, consumer);
      deps.onMoved?.(botId, consumer);
      return gone.position;
    },
    moved,
    onPollAnnounced: (botId, consumer, pollId) =>
      waiters.onAnnounced(keyOf(botId, consumer), pollId),
    isWaiting: (botId, consumer) => waiters.has(keyOf(botId, consumer)),
    recall(botId) {
      for (const flight of inFlight) if (flight.botId === botId) flight.isRecalled = true;
      waiters.dismiss(keyOf(botId, ''));
    },
    get waiting() {
      return waiters.size;
    },
    close: () => waiters.close(),
  };
}
