/*
 * Shows updates as one backend got them: each with its state and its attempts. A search looks at a
 * part of the log and says where to continue, so that no request takes long.
 */
import { type Caller, hasScope } from '../../core/access/access.ts';
import type { Sees } from '../../core/apps/claims.ts';
import { maskAddress } from '../../core/bots/bot-token.ts';
import { asCurl } from '../../core/delivery/curl.ts';
import { readReaderState } from '../../core/log/push-progress.ts';
import { inRanges } from '../../core/log/ranges.ts';
import { gistMatcher, gistOfUpdate, type UpdateGist } from '../../core/log/update-gist.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { redactText } from '../../logger.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { UpdateSource } from '../../store/delivery/delivered-updates.ts';
import type { StoredAttempt } from '../../store/delivery/deliveries.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { TracedDeadLetter, TracedRetry } from '../../store/messages/message-traces.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../clock.ts';
import { wantsOf } from './allowed-updates-history.ts';
import { createBackend } from './backend.ts';
import type { PushBot } from './push-target.ts';

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

export interface ShownAttempt extends StoredAttempt {
  headers: { name: string; value: string }[];
  curl: string;
}

export interface WholeUpdate extends DeliveredUpdate {
  url: string;
  attempts: ShownAttempt[];
}

export interface UpdateMatches<T> {
  found: T[];
  /** The position to continue with; 0 if all were looked at. */
  next: number;
  /** When the last update came that was looked at; 0 if none was. */
  reachedAt: number;
}

type DeliveredUpdateDeps = {
  store: Pick<Store, 'deliveredUpdates' | 'log' | 'messageTraces' | 'readers' | 'webhooks'>;
  clock: Clock;
};

/** A request reads at most this many updates, and no more once the time is over. */
const mostRead = 5_000;
const mostMs = 400;
const perPortion = 200;
const attemptsShown = 50;

export function createDeliveredUpdates({ store, clock }: DeliveredUpdateDeps) {
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
    for (let read = 0; ; ) {
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
      const isLate = read >= mostRead || clock.monotonic() - startedAt > mostMs;
      yield {
        chosen,
        context,
        reachedAt: last?.receivedAt ?? 0,
        next: isEnd ? 0 : newestFirst ? to : from,
      };
      if (isEnd || isLate) return;
    }
  }

  return {
    async list(
      bot: BotRecord,
      found: DeliveryReader,
      page: UpdatePage,
    ): Promise<UpdateMatches<DeliveredUpdate>> {
      const { limit, newestFirst, state } = page;
      const listed: DeliveredUpdate[] = [];
      let next = 0;
      let reachedAt = 0;
      for await (const { chosen, context, ...portion } of matching(bot, found, page)) {
        ({ next } = portion);
        reachedAt = portion.reachedAt || reachedAt;
        let seen = 0;
        while (seen < chosen.length && listed.length < limit) {
          const some = chosen.slice(seen, seen + limit - listed.length);
          seen += some.length;
          const shown = await withStates(bot.id, found.reader, some, context, 1);
          listed.push(...shown.filter((update) => state === undefined || update.state === state));
        }
        if (listed.length < limit) continue;
        const last = chosen[seen - 1]?.position ?? 0;
        const isLast = next === 0 && seen === chosen.length;
        const following = newestFirst ? last - 1 : last + 1;
        return {
          found: listed,
          next: isLast ? 0 : following,
          reachedAt: listed.at(-1)?.entry.receivedAt ?? reachedAt,
        };
      }
      return { found: listed, next, reachedAt };
    },

    /** Finds matching updates for as long as one request may take, oldest first. */
    async positions(
      bot: BotRecord,
      found: DeliveryReader,
      filter: UpdateFilter & { cursor?: number },
      queueOf: (entry: LogEntry) => Promise<string | undefined>,
    ): Promise<{ matches: { position: number; queue: string }[]; next: number }> {
      const matches: { position: number; queue: string }[] = [];
      let next = 0;
      const page = { ...filter, newestFirst: false, limit: perPortion };
      for await (const { chosen, context, ...portion } of matching(bot, found, page)) {
        ({ next } = portion);
        const hasState = new Set(
          filter.state === undefined
            ? chosen
            : (await withStates(bot.id, found.reader, chosen, context, 1))
                .filter(({ state }) => state === filter.state)
                .map(({ entry }) => entry),
        );
        for (const entry of chosen) {
          const queue = hasState.has(entry) ? await queueOf(entry) : undefined;
          if (queue !== undefined) matches.push({ position: entry.position, queue });
        }
      }
      return { matches, next };
    },

    async one(
      caller: Caller,
      bot: BotRecord,
      found: DeliveryReader & { pushBot: PushBot | undefined },
      position: number,
    ): Promise<WholeUpdate> {
      const at = { botId: bot.id, reader: found.reader, from: position, to: position };
      const page = { ...at, newestFirst: true, limit: 1 };
      const [letter] = await updates.range({ ...page, source: 'dead' });
      const [logged] = await updates.range({ ...page, source: 'log' });
      const context = await contextOf(bot.id, found);
      const entry = letter ?? (logged && (await context.isFor(logged)) ? logged : undefined);
      if (!entry) {
        throw new RelayError(
          'delivery_not_found',
          reason('no_delivered_update', { bot_id: bot.id, position }),
        );
      }
      const [update] = await withStates(bot.id, found.reader, [entry], context, attemptsShown);
      if (!update) throw new Error('the update has no state');
      const { backend_url = '', secret_token = '' } = found.pushBot ?? {};
      const address = hasScope(caller, 'manage')
        ? redactText(backend_url)
        : maskAddress(backend_url);
      const shown = { address, url: backend_url, secret: secret_token };
      return {
        ...update,
        url: address,
        attempts: update.attempts.map((attempt) => ({
          ...attempt,
          ...requestOf(bot.id, entry, attempt, shown),
        })),
      };
    },
  };
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

/** The names of headers whose values are secrets, or follow from one. */
const secretHeaders = new Set(['x-telegram-bot-api-secret-token', 'webhook-signature']);

/** The request of an attempt as the backend's present settings build it. */
function requestOf(
  botId: number,
  { position, raw }: LogEntry,
  attempt: StoredAttempt,
  backend: { address: string; url: string; secret: string },
) {
  if (backend.url === '') return { headers: [], curl: '' };
  const built = createBackend(backend.url, backend.secret).request({
    botId,
    position,
    raw,
    replay: attempt.replay === 1,
    nowMs: attempt.started_at,
  });
  const flat = built.headers as string[];
  const headers = flat.flatMap((name, index) =>
    index % 2 === 1
      ? []
      : [{ name, value: secretHeaders.has(name) ? '***' : (flat[index + 1] ?? '') }],
  );
  return { headers, curl: asCurl({ url: backend.address, headers, body: raw }) };
}
