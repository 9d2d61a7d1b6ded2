/*
 * Wraps the log for the relay: appends of many bots share a commit, readers are woken, and new
 * entries are read from memory.
 *
 * Invariants: an append resolves only after its commit; a wake-up is only a hint, and a reader that
 * subscribes before it reads never misses an entry; the tail in memory holds an unbroken run of
 * positions or nothing.
 */
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import type { AppendAwaits, AppendOutcome, AppendRequest } from '../../store/log/append.ts';
import { groupCommit } from '../../store/group-commit.ts';
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

// One commit takes at most this many updates, so that a flood cannot hold the event loop.
const updatesPerCommit = 2_000;
/** A commit that takes longer waits for the server, so another one for other bots begins beside it. */
const appendMs = 8;

/**
 * Webhooks of a bot arrive out of order, and one answer to a poll holds only rising IDs: if the
 * updates of a commit are sorted, one poll can fetch them. Times of arrival still rise with
 * positions, which a search by time relies on.
 */
function sortedByBot<Entry extends { item: AppendRequest }>(group: Entry[]) {
  const byBot = Map.groupBy(group, ({ item }) => item.botId);
  if (byBot.size === group.length) return group;
  const firstId = ({ item }: Entry) => item.updates[0]?.updateId ?? 0;
  for (const own of byBot.values()) {
    own.sort((left, right) => firstId(left) - firstId(right));
    let latest = 0;
    for (const { item } of own) {
      latest = Math.max(latest, item.receivedAt);
      item.receivedAt = latest;
    }
  }
  // The sorted requests of a bot take the places that its requests had in the group.
  return group.map(({ item }) => byBot.get(item.botId)?.shift() as Entry);
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
  /** By bot, the last decision of claims; later appends come after it. */
  const deciding = new Map<number, Promise<void>>();

  // The group is formed when its transaction begins, so that it includes appends that arrive until
  // then.
  const commit = groupCommit<AppendRequest, AppendOutcome | AppendAwaits>({
    commit: (take) => repository.append(take),
    besideMs: appendMs,
    atOnce: repository.appendsAtOnce,
    keyOf: ({ botId }) => botId,
    next(waiting) {
      let updates = 0;
      const tooMany = waiting.findIndex(({ item }, index) => {
        updates += item.updates.length;
        return index > 0 && updates > updatesPerCommit;
      });
      return sortedByBot(waiting.splice(0, tooMany < 0 ? waiting.length : tooMany));
    },
  });

  async function add(request: AppendRequest): Promise<AppendOutcome> {
    latest.set(request.botId, request.receivedAt);
    const outcome = await commit(request);
    if (outcome.status === 'awaits') {
      if (outcome.sends.length > 0) return appendAfter(outcome.sends, request);
      return addDecided(again(request, { isDecided: true }));
    }
    settle(request, outcome);
    return outcome;
  }

  /**
   * Delays a reply to a message that an app may just have sent. The reply waits for no send that
   * begins later.
   */
  async function appendAfter(
    inFlight: readonly string[],
    request: AppendRequest,
  ): Promise<AppendOutcome> {
    const awaited = new Set(await sends?.wait(inFlight));
    return add(again(request, { awaits: (send) => awaited.has(send) }));
  }

  /** The append gets a position after those of updates that arrived meanwhile. */
  function again(request: AppendRequest, changes: Partial<AppendRequest>): AppendRequest {
    const receivedAt = Math.max(request.receivedAt, latest.get(request.botId) ?? 0);
    return { ...request, ...changes, receivedAt };
  }

  async function addDecided(request: AppendRequest): Promise<AppendOutcome> {
    const { botId, updates } = request;
    const decide = () => repository.decideClaims(botId, updates);
    const before = deciding.get(botId);
    const decision = before ? before.then(decide) : decide();
    if (!decision) return add(request);
    // Claims that could not be decided here are decided in the transaction.
    const decided = decision.catch(() => {});
    deciding.set(botId, decided);
    return decided.then(() => {
      if (deciding.get(botId) === decided) deciding.delete(botId);
      return add(request);
    });
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
      return addDecided(request);
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
