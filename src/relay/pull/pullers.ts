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
import { defaultApp } from '../../core/apps/app.ts';
import { requireMayPoll } from '../../core/apps/may-poll.ts';
import type { ConsumerRepository } from '../../store/apps/consumers.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import { sizeOf, without } from '../../core/log/ranges.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { type Collected, collect } from './collect.ts';
import { type ConsumerPosition, confirmAllBut, confirmBelow } from './confirm.ts';
import { type AppReaders, type LogView, ownView, type ReadingApp } from '../apps/app-readers.ts';
import { wants } from '../../core/log/consumer-state.ts';
import { readAllowedUpdates, rewoundTo, withAllowedUpdates } from './consumer-state.ts';
import { createConsumerCursors, isSameCursor, removed } from './consumer-cursors.ts';
import { beginOfRun, withoutAmbiguousEnd } from './run-begin.ts';
import { createPollWaiters } from './poll-waiters.ts';

export interface PollRequest {
  botId: number;
  /** '' is the consumer that every bot library uses. */
  consumer: string;
  /**
   * The ID of the app that the client acts as, so that an app deleted meanwhile is not created
   * again by its name.
   */
  appId?: number;
  offset: number;
  /** Clamped to 1–100. */
  limit: number;
  /** Clamped to 0–50. */
  timeoutSeconds: number;
  /** The value as the client gave it; undefined keeps its previous choice. */
  allowedUpdates?: unknown;
  signal?: AbortSignal;
}

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
// Updates that the consumer does not get are skipped with its next confirmation, and before that
// only if the stretch is worth a commit.
const worthwhileSkip = 100;
const maxCounted = 1_000;

export function isConsumerName(text: string): boolean {
  return /^[A-Za-z0-9_.-]{0,64}$/.test(text);
}

export function createPullers(deps: PullersDeps): Pullers {
  const { consumers, updateLog, clock, log } = deps;
  const waiters = createPollWaiters(clock);
  const cursors = createConsumerCursors(consumers, clock, deps.settlePush);
  const keyOf = (botId: number, consumer: string) => `${botId} ${consumer}`;
  let polls = 0;
  /**
   * Grows when any consumer was moved by hand: polls in flight then check whether it was theirs.
   */
  let moves = 0;
  /** Polls in flight, and whether they must end without waiting. */
  const inFlight = new Set<{ botId: number; isRecalled: boolean }>();

  const appOf = async (botId: number, consumer: string) =>
    consumer === '' ? undefined : deps.apps.find(botId, consumer);

  /** Returns the app of the consumer, creating it if needed; undefined for the bot itself. */
  async function appFor({ botId, consumer, appId }: PollRequest): Promise<ReadingApp | undefined> {
    if (consumer === '' || consumer === defaultApp) return undefined;
    let app = await appOf(botId, consumer);
    if (!app && appId === undefined) {
      await cursors.open(botId, consumer, async (at) => at);
      app = await appOf(botId, consumer);
    }
    if (!app || app.app.id !== (appId ?? app.app.id)) throw removed(consumer);
    return app;
  }

  /**
   * Returns false if the settings of the app changed meanwhile, so that the poll may have skipped
   * or shown updates by mistake.
   */
  async function isCurrent({ app, sees }: ReadingApp): Promise<boolean> {
    const now = await appOf(app.bot_id, app.name);
    return now?.sees === sees && now.app.updated_at === app.updated_at;
  }

  async function applyRequest(
    request: PollRequest,
    view: LogView,
    at: ConsumerPosition,
  ): Promise<ConsumerPosition> {
    const { botId, offset } = request;
    let next = at;
    const kinds = readAllowedUpdates(request.allowedUpdates);
    if (kinds !== undefined) {
      const { lastPosition } = await log.head(botId);
      next = { ...next, state: withAllowedUpdates(next.state, kinds, lastPosition) };
    }
    if (offset > 0) return confirmBelow(deps, { botId, view }, next, offset);
    if (offset < 0) return confirmAllBut(deps, { botId, view }, next, -offset);
    return next.state === at.state ? at : next;
  }

  /**
   * If the next answer begins a new run of IDs, this is remembered with the confirmation: webhooks
   * arrive out of order, and another commit would double the time of a poll.
   */
  async function withNextRun(
    { botId, offset }: PollRequest,
    { kinds, sees }: LogView,
    at: ConsumerPosition,
  ): Promise<ConsumerPosition> {
    let first: LogEntry | undefined;
    for (const entry of updateLog.peek(botId, at.position) ?? []) {
      if (!wants(at.state, kinds, entry)) continue;
      const waiting = sees.ready?.(entry);
      if (waiting) await waiting;
      if (!sees(entry)) continue;
      first = entry;
      break;
    }
    const shown = first && beginOfRun(at, [first], offset);
    return shown ? { ...at, state: { ...at.state, shown } } : at;
  }

  /**
   * Remembers that a new run of IDs begins, before its updates are shown, and skips unwanted
   * updates.
   */
  async function settle(
    { botId, consumer, offset, appId }: PollRequest,
    at: ConsumerPosition,
    { entries, clearTo }: Collected,
  ): Promise<LogEntry[]> {
    const begins = beginOfRun(at, entries, offset);
    const shown = withoutAmbiguousEnd(at, entries, offset, begins);
    const skipped = clearTo - at.position;
    const isWorthwhile = entries.length > 0 ? skipped >= worthwhileSkip : skipped > 0;
    if (!begins && !isWorthwhile) return shown;
    const move = async (now: ConsumerPosition) => {
      // Another poll of the same consumer, or a person, moved it: that move wins.
      if (!isSameCursor(now, at)) return now;
      const { rewound: _, ...state } = now.state;
      return {
        position: Math.max(now.position, clearTo),
        state: begins ? { ...state, shown: begins } : now.state,
      };
    };
    await cursors.change(botId, consumer, move, appId);
    return shown;
  }

  async function poll(request: PollRequest): Promise<string[]> {
    const flight = { botId: request.botId, isRecalled: false };
    inFlight.add(flight);
    try {
      return await pollUnder({ ...request, consumer: await knownBy(request) }, flight);
    } finally {
      inFlight.delete(flight);
    }
  }

  /**
   * Returns the stored name: `default` is the consumer without a name, unless a consumer of that
   * name already has a position.
   */
  async function knownBy({ botId, consumer }: PollRequest): Promise<string> {
    if (consumer !== defaultApp) return consumer;
    return (await cursors.find(botId, consumer)) ? consumer : '';
  }

  async function pollUnder(
    request: PollRequest,
    flight: { readonly isRecalled: boolean },
  ): Promise<string[]> {
    const { botId, consumer, signal } = request;
    const limit = Math.min(Math.max(request.limit, 1), 100);
    const timeoutMs = Math.min(Math.max(request.timeoutSeconds, 0), maxTimeoutSeconds) * 1000;
    let seenMoves = moves;
    const app = await appFor(request);
    deps.onPoll?.(botId, app?.app.id ?? 0);
    if (app) requireMayPoll(app.app);
    const view = app ?? ownView;
    const apply = async (now: ConsumerPosition) => {
      const next = await applyRequest(request, view, now);
      return next.position === now.position ? next : withNextRun(request, view, next);
    };
    const at = await cursors.open(botId, consumer, apply, app?.app.id);
    let clearTo = at.position;
    /** The last position known to be in the log; undefined if the log may go further. */
    let end: number | undefined;

    /** Returns true if the poll has nothing left to wait for. */
    async function wasMoved(): Promise<boolean> {
      if (seenMoves === moves) return false;
      seenMoves = moves;
      const cursor = await cursors.find(botId, consumer);
      if (!cursor) throw removed(consumer);
      return !isSameCursor(cursor, at);
    }

    async function look(): Promise<Collected | undefined> {
      // The client polls again and gets its answer from the consumer's new position.
      if (await wasMoved()) return { entries: [], clearTo: at.position };
      const from = { after: clearTo, state: at.state, view, ...(end === undefined ? {} : { end }) };
      const found = await collect(updateLog, botId, from, limit);
      clearTo = found.clearTo;
      return found.entries.length > 0 ? found : undefined;
    }

    // The listener is added before the first look, so that no append falls in between.
    let grew = false;
    let wake = () => {
      grew = true;
    };
    const stopListening = updateLog.onAppend(botId, (lastPosition) => {
      end = lastPosition > 0 ? Math.max(end ?? 0, lastPosition) : undefined;
      if (!skips(lastPosition)) wake();
    });
    /** Skips the entries that just arrived, if none of them is for this consumer. */
    function skips(lastPosition: number): boolean {
      const fresh = updateLog.peek(botId, clearTo);
      if (!fresh || lastPosition === 0 || (fresh.at(-1)?.position ?? 0) < lastPosition)
        return false;
      const mayBeFor = (entry: LogEntry) =>
        wants(at.state, view.kinds, entry) &&
        (view.sees.isReady?.(entry) === false || view.sees(entry));
      if (fresh.some(mayBeFor)) return false;
      clearTo = lastPosition;
      return true;
    }
    try {
      let found = await look();
      if (!found && timeoutMs > 0 && !flight.isRecalled) {
        const id = `${deps.nodeId ?? ''} ${++polls}`;
        deps.onWaiting?.(botId, consumer, id);
        found = await waiters.wait({
          name: keyOf(botId, consumer),
          id,
          timeoutMs,
          signal,
          look,
          onWake(wakeWaiter) {
            wake = wakeWaiter;
            if (grew || seenMoves !== moves) wakeWaiter();
          },
        });
      }
      // The client polls again and is answered by the new settings.
      if (app && !(await isCurrent(app))) return [];
      const asApp = app ? { ...request, appId: app.app.id } : request;
      const shown = await settle(asApp, at, found ?? { entries: [], clearTo });
      return shown.map((entry) => entry.raw);
    } finally {
      stopListening();
    }
  }

  function moved(botId: number, consumer: string): void {
    moves++;
    waiters.wake(keyOf(botId, consumer));
  }

  async function pendingOf(
    botId: number,
    { position, state }: ConsumerPosition,
    { kinds, sees, needsText }: LogView,
  ): Promise<number> {
    // The count is exact while it is cheap; among many updates, few are of kinds that the consumer
    // does not want.
    const marks = await consumers.marks(botId, position, maxCounted, needsText);
    let counted = 0;
    for (const mark of marks) {
      if (!wants(state, kinds, mark)) continue;
      const waiting = sees.ready?.(mark);
      if (waiting) await waiting;
      if (sees(mark)) counted++;
    }
    if (marks.length < maxCounted) return counted;
    const head = await log.head(botId);
    const finished = without(state.finished ?? [], [[0, Math.max(position, head.trimmedTo)]]);
    const all = head.lastPosition - Math.max(position, head.trimmedTo) - sizeOf(finished);
    // A filter may let little through, so the rest is extrapolated from the first 1,000.
    return needsText ? Math.round((all * counted) / maxCounted) : all;
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
      return cursor && pendingOf(botId, cursor, (await appOf(botId, consumer)) ?? ownView);
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
