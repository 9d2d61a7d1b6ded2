/*
 * Finds the updates that a backend got and tells what became of them. A search looks at a part of the
 * log and says where to continue, so that no request takes long.
 */
import type { Clock } from '../../clock.ts';
import type { Sees } from '../../core/apps/claims.ts';
import { readReaderState } from '../../core/log/push-progress.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { gistMatcher, gistOfUpdate, type UpdateGist } from '../../core/log/update-gist.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { UpdateSource } from '../../store/delivery/delivered-updates.ts';
import type { StoredAttempt } from '../../store/delivery/deliveries.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { TracedDeadLetter, TracedRetry } from '../../store/messages/message-traces.ts';
import type { Store } from '../../store/store.ts';
import { wantsOf } from './allowed-updates-history.ts';

export const deliveryStates = ['delivered', 'waiting', 'retrying', 'failed', 'unknown'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** Which updates to list or to replay. */
export interface UpdateFilter {
  q?: string;
  state?: DeliveryState;
  /** Times in milliseconds. */
  since?: number;
  until?: number;
}

export interface UpdatePage extends UpdateFilter {
  newestFirst: boolean;
  /** The position to continue with. */
  cursor?: number;
  limit: number;
}

/** The backend of a bot or an app, and what it sees of the log. */
export interface DeliveryReader {
  reader: string;
  sees: Sees;
  kinds: readonly string[];
}

export interface DeliveredUpdate {
  entry: LogEntry;
  gist: UpdateGist;
  state: DeliveryState;
  tries: number;
  last: StoredAttempt | undefined;
  retry: TracedRetry | undefined;
  deadLetter: TracedDeadLetter | undefined;
}

export type DeliveredUpdateDeps = {
  store: Pick<Store, 'deliveredUpdates' | 'log' | 'messageTraces' | 'readers' | 'webhooks'>;
  clock: Clock;
};

/** A request reads at most this many updates, and no more once the time is over. */
const mostRead = 5_000;
const mostMs = 400;
export const perPortion = 200;

export function createUpdateFinder({ store, clock }: DeliveredUpdateDeps) {
  const { deliveredUpdates: updates, messageTraces: traces } = store;

  /** Returns what says whether an update is for this backend, and what became of it. */
  async function contextOf(botId: number, { reader, sees, kinds }: DeliveryReader) {
    const [readers, webhook] = await Promise.all([
      traces.readers(botId),
      store.webhooks.get(botId, reader),
    ]);
    const own = readers.find(({ name }) => name === reader);
    const finished = own ? readReaderState(own.state).finished : [];
    const wants = webhook ? wantsOf(webhook.allowedUpdatesHistory, kinds) : () => true;
    const isFinished = (position: number) =>
      own !== undefined && (position <= own.position || inRanges(finished, position));
    return {
      isFinished,
      async isFor(entry: LogEntry): Promise<boolean> {
        const { position } = entry;
        if (!own || position <= own.opened || !(own.isOn || isFinished(position))) return false;
        await sees.ready?.(entry);
        return sees(entry) && wants(entry);
      },
    };
  }
  type Context = Awaited<ReturnType<typeof contextOf>>;

  /** Adds to updates what became of them. */
  async function withStates(
    botId: number,
    reader: string,
    entries: readonly LogEntry[],
    context: Context,
    perUpdate: number,
  ) {
    const positions = entries.map(({ position }) => position);
    const [retries, letters] = await Promise.all([
      traces.retries(botId, [reader], positions),
      traces.deadLetters(botId, [reader], positions),
    ]);
    const stuck = new Set([...retries, ...letters].map(({ position }) => position));
    const sought = entries.map(({ position, receivedAt }) => ({
      position,
      receivedAt,
      isFinished: context.isFinished(position) && !stuck.has(position),
    }));
    const { attempts, failed } = await updates.attempts(botId, reader, sought, perUpdate);
    return entries.map((entry, index) => {
      const own = attempts.filter(({ position }) => position === entry.position);
      const delivered = own.filter(({ error }) => error === '').length;
      const update = {
        entry,
        gist: gistOfUpdate(entry),
        tries: (failed.get(entry.position) ?? 0) + delivered,
        last: own.at(-1),
        retry: retries.find(({ position }) => position === entry.position),
        deadLetter: letters.find(({ position }) => position === entry.position),
        attempts: own,
      };
      return { ...update, state: stateOf(update, delivered > 0, sought[index]?.isFinished) };
    });
  }

  /** Reads on from the cursor until enough updates match, or the request took long enough. */
  async function* matching(bot: BotRecord, found: DeliveryReader, page: UpdatePage) {
    const { q = '', state, newestFirst, cursor } = page;
    const context = await contextOf(bot.id, found);
    const matches = q.trim() === '' ? () => true : gistMatcher(q);
    const head = await store.log.head(bot.id);
    const at = (ms: number) => store.readers.positionBefore(bot.id, ms, head);
    let from = page.since === undefined ? 1 : (await at(page.since)) + 1;
    let to = page.until === undefined ? head.lastPosition : await at(page.until);
    if (cursor !== undefined && newestFirst) to = Math.min(to, cursor);
    if (cursor !== undefined && !newestFirst) from = Math.max(from, cursor);
    const source = sourceOf(state);
    const startedAt = clock.monotonic();
    let read = 0;
    const isLate = () => read >= mostRead || clock.monotonic() - startedAt > mostMs;
    for (;;) {
      const range = { botId: bot.id, reader: found.reader, source, from, to, newestFirst };
      const entries = await updates.range({ ...range, limit: perPortion });
      const chosen: LogEntry[] = [];
      for (const entry of entries) {
        if (!matches(entry)) continue;
        if (source === 'dead' || (await context.isFor(entry))) chosen.push(entry);
      }
      read += entries.length;
      const last = entries.at(-1);
      const isEnd = entries.length < perPortion;
      if (last && newestFirst) to = last.position - 1;
      if (last && !newestFirst) from = last.position + 1;
      yield {
        chosen,
        context,
        isLate,
        reachedAt: last?.receivedAt ?? 0,
        next: isEnd ? 0 : newestFirst ? to : from,
      };
      if (isEnd || isLate()) return;
    }
  }

  return { contextOf, matching, withStates };
}

function sourceOf(state: DeliveryState | undefined): UpdateSource {
  if (state === 'failed') return 'dead';
  return state === 'waiting' || state === 'retrying' ? 'waiting' : 'log';
}

/** An update without a stored delivery may have been skipped, or its attempts were removed. */
function stateOf(
  { deadLetter, last }: Pick<DeliveredUpdate, 'deadLetter' | 'last'>,
  isDelivered: boolean,
  isFinished: boolean | undefined,
): DeliveryState {
  if (deadLetter && !deadLetter.isReplayed) return 'failed';
  if (isFinished) return isDelivered ? 'delivered' : 'unknown';
  return !deadLetter && last && last.error !== '' ? 'retrying' : 'waiting';
}
