import { createDecisionRepository, type DecisionRepository } from './decisions.ts';
import { effect, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { routingReader } from '../../core/log/reader-kinds.ts';
import { findOrMakeReader } from '../log/log.ts';
import { createMessagePairRepository, type MessagePairRepository } from './message-pairs.ts';
import { createModelQuestionRepository, type ModelQuestionRepository } from './model-questions.ts';

/** Stores what routing needs besides the routes themselves. */
export interface RoutingRepository {
  pairs: MessagePairRepository;
  decisions: DecisionRepository;
  questions: ModelQuestionRepository;
  /** True if the relay sent this message, through any bot. Not for private chats. */
  isOwnMessage(chatId: number, messageId: number): Promise<boolean>;
  isRegisteredBot(platformId: number): Promise<boolean>;
  /**
   * True if a bot has routes, is the target of some, lets the model route, has a desk or writes for
   * one, has pairs, or is about to send what creates one.
   */
  takesPart(botId: number): Promise<boolean>;
  /**
   * Opens the reader of a bot that takes part, unless it is open already; false if the bot takes no
   * part.
   */
  openReader(botId: number, nowMs: number): Promise<boolean>;
  /**
   * Removes the reader of a bot that takes no part, which would otherwise start with old updates
   * one day. Returns false and removes nothing if the bot takes part.
   */
  endReader(botId: number): Promise<boolean>;
  /** Lists the bots with a routing reader, whichever node runs them. */
  readBots(): Promise<number[]>;
  /** Counts the messages that arrived through each route, or were dropped by it, since a time. */
  traffic(sinceMs: number): Promise<Map<number, number>>;
  /**
   * Counts a message that these routes finished: it arrived, or was dropped. A route deleted
   * meanwhile is not counted; a route that is being deleted is waited for, so that it does not undo
   * the rest of the commit.
   */
  countTraffic(routeIds: readonly number[], nowMs: number): Step<void>;
}

const hourMs = 3_600_000;

const takesPartSql = `select 1 from bots where id = $1 and (llm_routing_enabled = 1
  or exists (select 1 from routes where source_bot_id = $1)
  or exists (select 1 from routes where target_bot_id = $1)
  or exists (select 1 from message_pairs where bot_id = $1)
  or exists (select 1 from desk_bots where bot_id = $1)
  or exists (select 1 from desks where desk_bot_id = $1)
  or exists (select 1 from outbox
    where state in ('queued', 'sending') and bot_id = $1 and origin = 'routed'))`;

/**
 * Run this in the transaction that makes the bot take part, after the row that does so: that row
 * locks the bot, so nobody removes the reader meanwhile.
 */
export function* openRoutingReader(botId: number, nowMs: number): Step<void> {
  yield* findOrMakeReader(botId, routingReader, nowMs);
}

export function createRoutingRepository(engine: Engine): RoutingRepository {
  const exists = async (sql: string, parameters: readonly unknown[]) =>
    (await engine.readRaw(`${sql} limit 1`, parameters)).length > 0;
  const { lock } = wordsOf[engine.dialect];

  return {
    pairs: createMessagePairRepository(engine),
    decisions: createDecisionRepository(engine),
    questions: createModelQuestionRepository(engine),
    isOwnMessage: (chatId, messageId) =>
      exists(
        `select 1 from bots join messages on messages.bot_id = bots.id
         where messages.chat_id = $1 and messages.id = $2 and messages.origin <> 'received'`,
        [chatId, messageId],
      ),
    async traffic(sinceMs) {
      const rows = await engine.readRaw<{ routeId: number; messages: number }>(
        `select route_id as "routeId", sum(messages) as messages from route_traffic
         where hour > $1 group by route_id`,
        [Math.floor(sinceMs / hourMs)],
      );
      return new Map(rows.map((row) => [row.routeId, Number(row.messages)]));
    },
    *countTraffic(routeIds, nowMs) {
      for (const routeId of routeIds) {
        yield* effect(
          `insert into route_traffic (route_id, hour, messages)
           select id, $2, 1 from (select id from routes where id = $1 ${lock('for key share')}) as route where true
           on conflict (route_id, hour) do update set messages = route_traffic.messages + 1`,
          [routeId, Math.floor(nowMs / hourMs)],
        );
      }
    },
    isRegisteredBot: (platformId) =>
      exists('select 1 from bots where platform_id = $1', [platformId]),
    async openReader(botId, nowMs) {
      if (!(await exists(takesPartSql, [botId]))) return false;
      return engine.write(function* () {
        // The bot may have just been deleted; if not, the lock keeps it until this is done.
        if ((yield* raw(`${takesPartSql} ${lock('for key share')}`, [botId])).length === 0)
          return false;
        yield* openRoutingReader(botId, nowMs);
        return true;
      });
    },
    async endReader(botId) {
      const reader = [botId, routingReader];
      if (!(await exists('select 1 from readers where bot_id = $1 and name = $2', reader))) {
        return true;
      }
      return engine.write(function* () {
        // Waits for concurrent transactions that make the bot take part, and blocks new ones.
        yield* raw(`select 1 from bots where id = $1 ${lock('for update')}`, [botId]);
        if ((yield* raw(takesPartSql, [botId])).length > 0) return false;
        yield* raw('delete from readers where bot_id = $1 and name = $2', reader);
        return true;
      });
    },
    async readBots() {
      const rows = await engine.readRaw<{ botId: number }>(
        'select bot_id as "botId" from readers where name = $1',
        [routingReader],
      );
      return rows.map(({ botId }) => botId);
    },
    takesPart: (botId) => exists(takesPartSql, [botId]),
  };
}
