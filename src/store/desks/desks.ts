import type { Desk, DeskStep } from '../../core/desks/desk.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { moveDesks } from '../messages/chat-moves.ts';
import { actInTopic, type DeskAct } from './desk-acts.ts';
import { refreshCard, staleCardsSql } from './desk-card.ts';
import type { ChangedConversation } from '../conversations/topic-states.ts';
import { endConversation, hasUnseen, rate } from './desk-ratings.ts';
import { type DeskReads, createDeskReads } from './desk-reads.ts';
import { replyInAbsence } from './desk-replies.ts';
import { createDeskSettings, type DeskSettings } from './desk-settings.ts';
import { stepSent } from './desk-outcomes.ts';
import { importTopics } from './import-topics.ts';
import {
  addDeskCall,
  noteForCustomer,
  noteInTopic,
  takeForDesk,
  takeUpStep,
} from './desk-queue.ts';
import { createRatingReads, type RatingReads } from './rating-reads.ts';
import { tellRestored } from './restored-answers.ts';

export interface DeskRepository extends DeskReads, DeskSettings, RatingReads {
  /** Stores what a check found. */
  noteCheck(
    desk: Pick<Desk, 'id' | 'desk_bot_id'>,
    problems: readonly Reason[],
    nowMs: number,
  ): Promise<void>;
  /** The desks whose check is due, at most 10. No other node gets them within a minute. */
  takeDueChecks(nowMs: number): Promise<number[]>;
  /** The forum became a supergroup. */
  follow(fromChatId: number, toChatId: number, nowMs: number): Promise<void>;
  importTopics: typeof importTopics;
  take(...args: WithoutDialect<typeof takeForDesk>): Step<number>;
  replyInAbsence: typeof replyInAbsence;
  note(...args: WithoutDialect<typeof noteInTopic>): Step<number>;
  noteForCustomer(...args: WithoutDialect<typeof noteForCustomer>): Step<number>;
  stepSent(step: DeskStep, intentKey: string | null, result: unknown, nowMs: number): Step<void>;
  /**
   * Somebody closed the topic by hand at that time, or with 0 reopened it; closing it ends the
   * conversation. It opens again if the customer wrote something that was not there. Returns the
   * bot that says so or asks for a rating, or 0.
   */
  setClosed(topicId: number, closedAt: number, key: string, nowMs: number): Step<number>;
  act(topicId: number, act: DeskAct, nowMs: number): Step<readonly number[]>;
  /** Ends a conversation that is done. Returns the bot that asks for a rating, or 0. */
  end(conversation: ChangedConversation, nowMs: number): Promise<number>;
  rate(...args: WithoutDialect<typeof rate>): Step<readonly number[]>;
  /**
   * Queues steps that nobody queued: those whose problem may be over, and what a crash left.
   * Returns the bots that make them. With a desk, its problems are taken for over.
   */
  takeUp(nowMs: number, deskId?: number): Promise<Set<number>>;
  /** Edits cards that show what is no longer so; returns the bots that do. */
  refreshCards(nowMs: number): Promise<Set<number>>;
  /** Tells topics of answers that a restored backup did not send; returns the bots that do. */
  tellRestored(nowMs: number): Promise<Set<number>>;
}

type WithoutDialect<F> = F extends (dialect: never, ...args: infer A) => unknown ? A : never;

const atOnce = 50;
const checkMs = 3_600_000;
const recheckMs = 60_000;
/** After a restore, a step is in the outbox that is never made. */
const isIdle = `(t.doing = '' or not exists (
  select 1 from outbox where intent_key = t.doing and state in ('queued', 'sending')))`;
const idleSql = `select t.id from desk_topics t
  where t.id in (select topic_id from desk_items) and t.id > $1 and t.problem = '' and ${isIdle}
  order by t.id limit $2`;
/** One topic of each desk with a problem, the one that has waited longest. */
const probeSql = `select t.id from desks d join desk_topics t on t.id = (
    select id from desk_topics where desk_id = d.id and problem <> ''
      and (retry_at <= $1 or desk_id = $2) order by retry_at, id limit 1)
  where ${isIdle} order by t.id`;

export function createDeskRepository(engine: Engine, newNonce: () => string): DeskRepository {
  const { dialect } = engine;
  return {
    ...createDeskReads(engine),
    ...createRatingReads(engine),
    ...createDeskSettings(engine),
    async noteCheck({ id, desk_bot_id }, problems, nowMs) {
      const stored = JSON.stringify(problems.map(({ code, params }) => ({ code, params })));
      const next = nowMs + (problems.length > 0 ? recheckMs : checkMs);
      await engine.write(() =>
        raw(
          `update desks set problems = $3, checked_at = $4, check_at = $5
           where id = $1 and desk_bot_id = $2`,
          [id, desk_bot_id, stored, nowMs, next],
        ),
      );
    },
    async takeDueChecks(nowMs) {
      const [due] = await engine.readRaw('select 1 from desks where check_at <= $1 limit 1', [
        nowMs,
      ]);
      if (!due) return [];
      const taken = await engine.write(() =>
        raw<{ id: number }>(
          `update desks set check_at = $2 where check_at <= $1 and id in (
             select id from desks where check_at <= $1 order by check_at, id limit 10)
           returning id`,
          [nowMs, nowMs + recheckMs],
        ),
      );
      return taken.map(({ id }) => id);
    },
    async follow(fromChatId, toChatId, nowMs) {
      await engine.write(() => moveDesks(fromChatId, toChatId, nowMs));
    },
    importTopics,
    replyInAbsence,
    take: (...args) => takeForDesk(dialect, ...args),
    note: (...args) => noteInTopic(dialect, ...args),
    noteForCustomer: (...args) => noteForCustomer(dialect, ...args),
    stepSent: (...args) => stepSent(dialect, newNonce, ...args),
    *setClosed(topicId, closedAt, key, nowMs) {
      const [topic] = yield* raw<{ bot_id: number; chat_id: number }>(
        'update desk_topics set closed = $2 where id = $1 returning bot_id, chat_id',
        [topicId, closedAt],
      );
      if (!topic || closedAt === 0) return 0;
      if (yield* hasUnseen(topicId, closedAt)) {
        const why = reason('desk_unseen');
        const reopen = 'reopenForumTopic';
        const botId = yield* addDeskCall(dialect, topicId, `${key}:open`, reopen, {}, nowMs);
        return (yield* noteInTopic(dialect, topicId, { key, why }, nowMs)) || botId;
      }
      const chat = { botId: topic.bot_id, chatId: topic.chat_id };
      return yield* endConversation(newNonce, chat, nowMs);
    },
    act: (...args) => actInTopic(dialect, newNonce, ...args),
    end: (chat, nowMs) => engine.write(() => endConversation(newNonce, chat, nowMs)),
    rate: (...args) => rate(dialect, ...args),
    tellRestored: (nowMs) => tellRestored(engine, nowMs),
    async refreshCards(nowMs) {
      const bots = new Set<number>();
      for (const { id } of await engine.readRaw<{ id: number }>(staleCardsSql, [])) {
        const key = `desk:card-edit:${id}:${newNonce()}`;
        bots.add(await engine.write(() => refreshCard(dialect, id, key, nowMs)));
      }
      bots.delete(0);
      return bots;
    },
    async takeUp(nowMs, deskId = 0) {
      const bots = new Set<number>();
      const take = async (id: number) => {
        const botId = await engine.write(() => takeUpStep(dialect, id, nowMs));
        if (botId !== 0) bots.add(botId);
      };
      for (let after = 0; ; ) {
        const idle = await engine.readRaw<{ id: number }>(idleSql, [after, atOnce]);
        for (const { id } of idle) await take(id);
        if (idle.length < atOnce) break;
        after = idle.at(-1)?.id ?? 0;
      }
      for (const { id } of await engine.readRaw<{ id: number }>(probeSql, [nowMs, deskId])) {
        await take(id);
      }
      return bots;
    },
  };
}
