/* Shows updates as one backend got them: each with its state and its attempts. */
import { type Caller, hasScope } from '../../core/access/access.ts';
import { maskAddress } from '../../core/bots/bot-token.ts';
import { asCurl } from '../../core/delivery/curl.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import { redactText } from '../../logger.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { StoredAttempt } from '../../store/delivery/deliveries.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import { createBackend } from './backend.ts';
import {
  createUpdateFinder,
  type DeliveredUpdate,
  type DeliveredUpdateDeps,
  type DeliveryReader,
  perPortion,
  type UpdateFilter,
  type UpdatePage,
} from './find-updates.ts';
import type { PushBot } from './push-target.ts';

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

const attemptsShown = 50;
/** A search for a state reads the states of this many updates at once. */
const perCheck = 50;

export function createDeliveredUpdates({ store, clock }: DeliveredUpdateDeps) {
  const { deliveredUpdates: updates } = store;
  const { contextOf, matching, withStates } = createUpdateFinder({ store, clock });
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
      for await (const { chosen, context, isLate, ...portion } of matching(bot, found, page)) {
        ({ next } = portion);
        reachedAt = portion.reachedAt || reachedAt;
        for (let seen = 0; seen < chosen.length; ) {
          const most = state === undefined ? limit - listed.length : perCheck;
          const some = chosen.slice(seen, seen + most);
          for (const update of await withStates(bot.id, found.reader, some, context, 1)) {
            seen += 1;
            if (state === undefined || update.state === state) listed.push(update);
            if (listed.length === limit) break;
          }
          const last = chosen[seen - 1];
          if (!last || seen === chosen.length || (listed.length < limit && !isLate())) continue;
          const following = newestFirst ? last.position - 1 : last.position + 1;
          return { found: listed, next: following, reachedAt: last.receivedAt };
        }
        if (listed.length === limit) break;
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
