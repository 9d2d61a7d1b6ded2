/*
 * Wraps the log for the relay: appends of many bots share a commit, readers are woken, and new
 * entries are read from memory.
 *
 * Invariants: an append resolves only after its commit; a wake-up is only a hint, and a reader that
 * subscribes before it reads never misses an entry; the tail in memory holds an unbroken run of
 * positions or nothing.
 */
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import { isOutage } from '../../errors.ts';
import type { AppendAwaits, AppendOutcome, AppendRequest } from '../../store/log/append.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { AppSends } from '../apps/app-sends.ts';
import type { Publish } from '../events/relay-events.ts';
import type { ArchiveMemory } from './archive-memory.ts';
import { createTailCache } from './tail-cache.ts';

export interface UpdateLog {
  append(
    botId: number,
    updates: readonly IncomingUpdate[],
    options: { receivedAt: number; leaseEpoch?: number },
  ): Promise<AppendOutcome>;
  /**
   * Returns entries in order, from the first position after `after`; fewer than `limit` do not mean
   * the end.
   */
  read(botId: number, after: number, limit: number): Promise<LogEntry[]>;
  /**
   * Returns the same synchronously, as far as it is in memory; undefined if memory does not know.
   */
  peek(botId: number, after: number): readonly LogEntry[] | undefined;
  /**
   * Calls `listener` each time a bot's log may have grown, with the last known position. Subscribe
   * first, then read, then wait: that way no wake-up is lost.
   */
  onAppend(botId: number, listener: (lastPosition: number) => void): () => void;
  /** Wakes the readers after another node appended. */
  wake(botId: number, lastPosition: number): void;
  forget(botId: number): void;
}

interface Pending {
  request: AppendRequest;
  resolve: (outcome: AppendOutcome) => void;
  reject: (error: unknown) => void;
}

// One commit takes at most this many updates, so that a flood cannot hold the event loop.
const updatesPerCommit = 2_000;

/**
 * Webhooks of a bot arrive out of order, and one answer to a poll holds only rising IDs: if the
 * updates of a commit are sorted, one poll can fetch them. Times of arrival still rise with
 * positions, which a search by time relies on.
 */
function sortedByBot(group: Pending[]): Pending[] {
  const byBot = Map.groupBy(group, ({ request }) => request.botId);
  if (byBot.size === group.length) return group;
  const firstId = ({ request }: Pending) => request.updates[0]?.updateId ?? 0;
  for (const own of byBot.values()) {
    own.sort((left, right) => firstId(left) - firstId(right));
    let latest = 0;
    for (const { request } of own) {
      latest = Math.max(latest, request.receivedAt);
      request.receivedAt = latest;
    }
  }
  // The sorted requests of a bot take the places that its requests had in the group.
  return group.map(({ request }) => byBot.get(request.botId)?.shift() as Pending);
}

interface UpdateLogOptions {
  /** Without it, all facts about people and chats are written every time. */
  memory?: ArchiveMemory;
  sends?: Pick<AppSends, 'wait' | 'isAwaited'>;
  events?: Publish;
}

export function createUpdateLog(
  repository: LogRepository,
  { memory, sends, events }: UpdateLogOptions = {},
): UpdateLog {
  const tail = createTailCache();
  const listeners = new Map<number, Set<(lastPosition: number) => void>>();
  /** The time at which the last update of each bot arrived. */
  const latest = new Map<number, number>();
  let pending: Pending[] = [];
  let committing = false;
  /** By bot, the last append whose claims are being decided; later appends come after it. */
  const deciding = new Map<number, Promise<void>>();

  async function commitPending(): Promise<void> {
    committing = true;
    try {
      while (pending.length > 0) await commitGroup();
    } finally {
      committing = false;
    }
  }

  function takeGroup(): Pending[] {
    let updates = 0;
    let count = 0;
    for (const { request } of pending) {
      if (count > 0 && updates + request.updates.length > updatesPerCommit) break;
      updates += request.updates.length;
      count++;
    }
    return sortedByBot(pending.splice(0, count));
  }

  /**
   * The group is taken when its transaction begins, so that it includes appends that arrive until
   * then.
   */
  async function commitGroup(given?: Pending[]): Promise<void> {
    let group = given;
    const take = () => (group ??= takeGroup());
    try {
      const outcomes = await repository.append(() => take().map(({ request }) => request));
      take().forEach((one, index) => {
        const outcome = outcomes[index] as AppendOutcome | AppendAwaits;
        if (outcome.status === 'awaits') {
          if (outcome.sends.length > 0) void appendAfter(outcome.sends, one);
          else addDecided(again(one, { isDecided: true }));
          return;
        }
        settle(one.request, outcome);
        one.resolve(outcome);
      });
    } catch (error) {
      const failed = take();
      // If the database is unavailable, separate transactions would all wait for it again.
      if (failed.length === 1 || isOutage(error)) {
        for (const { reject } of failed) reject(error);
        return;
      }
      // One request may be what the database refuses, so each one gets its own transaction.
      for (const single of failed) await commitGroup([single]);
    }
  }

  /**
   * Delays a reply to a message that an app may just have sent. The reply waits for no send that
   * begins later.
   */
  async function appendAfter(inFlight: readonly string[], one: Pending): Promise<void> {
    const awaited = new Set(await sends?.wait(inFlight));
    add(again(one, { awaits: (send) => awaited.has(send) }));
  }

  /** The append gets a position after those of updates that arrived meanwhile. */
  function again(one: Pending, changes: Partial<AppendRequest>): Pending {
    const receivedAt = Math.max(one.request.receivedAt, latest.get(one.request.botId) ?? 0);
    return { ...one, request: { ...one.request, ...changes, receivedAt } };
  }

  function add(one: Pending): void {
    latest.set(one.request.botId, one.request.receivedAt);
    pending.push(one);
    if (!committing) void commitPending();
  }

  function addDecided(one: Pending): void {
    const { botId, updates } = one.request;
    const decide = () => repository.decideClaims(botId, updates);
    const before = deciding.get(botId);
    const decided = before ? before.then(decide) : decide();
    if (!decided) {
      add(one);
      return;
    }
    // Claims that could not be decided here are decided in the transaction.
    const added = decided
      .catch(() => {})
      .then(() => {
        if (deciding.get(botId) === added) deciding.delete(botId);
        add(one);
      });
    deciding.set(botId, added);
  }

  function settle({ botId, updates }: AppendRequest, outcome: AppendOutcome): void {
    if (outcome.status !== 'stored' || outcome.entries.length === 0) return;
    // If a duplicate is among the updates, it is unknown whose facts were stored, so none are
    // remembered.
    if (memory && outcome.duplicates === 0) {
      for (const { archive } of updates) memory.stored(botId, archive);
    }
    tail.add(botId, outcome.entries);
    wake(botId, outcome.entries.at(-1)?.position ?? 0);
    events?.publish('stored', botId, outcome.entries);
  }

  function wake(botId: number, lastPosition: number): void {
    for (const listener of listeners.get(botId) ?? []) listener(lastPosition);
  }

  memory?.onDue(() => {
    // This only affects the order of the chat list; the next message repairs a failure.
    void repository.touchChats(memory.takeDue()).catch(() => {});
  });

  return {
    append(botId, updates, { receivedAt, leaseEpoch }) {
      const request: AppendRequest = {
        botId,
        updates: memory ? updates.map((update) => memory.trim(botId, update)) : updates,
        receivedAt,
        ...(sends && { awaits: sends.isAwaited }),
        ...(leaseEpoch === undefined ? {} : { epoch: leaseEpoch }),
      };
      return new Promise((resolve, reject) => {
        addDecided({ request, resolve, reject });
      });
    },
    async read(botId, after, limit) {
      return tail.read(botId, after, limit) ?? repository.read(botId, after, limit);
    },
    peek: (botId, after) => tail.read(botId, after, Number.POSITIVE_INFINITY),
    onAppend(botId, listener) {
      const known = listeners.get(botId) ?? new Set();
      listeners.set(botId, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0 && listeners.get(botId) === known) listeners.delete(botId);
      };
    },
    wake,
    forget(botId) {
      tail.drop(botId);
      latest.delete(botId);
      memory?.forget(botId);
    },
  };
}
