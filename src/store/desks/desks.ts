import type { Desk, DeskTopic, NewDesk } from '../../core/desks/desk.ts';
import {
  deskDefaults,
  type DeskLanguage,
  type DeskOptions,
  optionsOf,
  readOptions,
  storedOptions,
} from '../../core/desks/desk-options.ts';
import { type Reason, reasonFrom } from '../../core/reasons/reason.ts';
import { appsChanged } from '../apps/app-steps.ts';
import { changes, type Engine, raw, type Step } from '../engine.ts';
import { moveDesks } from '../messages/chat-moves.ts';
import { openRoutingReader } from '../routing/routing.ts';
import { actInTopic, endConversation } from './desk-acts.ts';
import { deletePortions } from '../sql/delete-portions.ts';
import { replyInAbsence } from './desk-replies.ts';
import { wordsOf } from '../sql/dialect.ts';
import { stepSent } from './desk-outcomes.ts';
import { importTopics } from './import-topics.ts';
import { noteForCustomer, noteInTopic, takeForDesk, takeUpStep } from './desk-queue.ts';
import { tellRestored } from './restored-answers.ts';
import { withdrawSteps } from '../routing/withdraw-desk-steps.ts';

type DeskRow = Omit<Desk, 'bot_ids' | 'problems' | keyof DeskOptions> & {
  name: string;
  settings: string;
  problems: string;
};

/** The desks in which a bot takes part. */
export interface DesksOfBot {
  /** The desk of its customers. */
  desk:
    | { id: number; name: string; deskBotId: number; chatId: number; options: DeskOptions }
    | undefined;
  /** The forums in which it writes for a desk. */
  forums: readonly { deskId: number; chatId: number; language: DeskLanguage }[];
}

export interface WaitingDesk {
  deskId: number;
  deskBotId: number;
  customers: number;
  problem: string;
}

export interface Unanswered {
  count: number;
  /** The first of them. */
  chats: { bot_id: number; chat_id: number; name: string; since: number }[];
}

export interface DeskRepository {
  list(): Promise<Desk[]>;
  /** The bot that writes in the forum, by bot whose customers come to a desk. */
  deskBots(): Promise<Map<number, number>>;
  /** False if the bot had no desk when `deskBots` was asked last, which settings changes cause. */
  mayHaveDesk(botId: number): boolean;
  get(id: number): Promise<Desk | undefined>;
  ofBot(botId: number): Promise<DesksOfBot>;
  /** False if the desks of a bot changed since they were read. */
  isStill(botId: number, known: DesksOfBot): Step<boolean>;
  /** The topic of a customer, by its place in the forum. */
  topicAt(deskId: number, threadId: number): Promise<DeskTopic | undefined>;
  /** True if a customer of that name has a topic. */
  hasTopicNamed(deskId: number, name: string): Promise<boolean>;
  /** Customers of a desk who wait for an answer since before that time, longest first. */
  unanswered(deskId: number, beforeMs: number, nowMs: number): Promise<Unanswered>;
  /** The number of customers whose messages wait, and why, by desk. */
  waiting(): Promise<WaitingDesk[]>;
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
  /** Adds a desk, or replaces the one with that ID; an option that is left out has its default. */
  saveStep(id: number | undefined, settings: NewDesk, nowMs: number): Step<number>;
  /** Takes bots out of other desks than the one with that ID. */
  leaveStep(botIds: readonly number[], deskId: number): Step<void>;
  /** Takes bots out of a desk, with their topics a portion at a time: there may be many. */
  release(id: number, botIds: readonly number[], nowMs: number): Promise<void>;
  removeStep(id: number, nowMs: number): Step<boolean>;
  importTopics: typeof importTopics;
  take(...args: WithoutDialect<typeof takeForDesk>): Step<number>;
  replyInAbsence: typeof replyInAbsence;
  note(...args: WithoutDialect<typeof noteInTopic>): Step<number>;
  noteForCustomer(...args: WithoutDialect<typeof noteForCustomer>): Step<number>;
  stepSent(...args: WithoutDialect<typeof stepSent>): Step<void>;
  /** Somebody closed or reopened the topic by hand; closing it ends the conversation. */
  setClosed(topicId: number, closedAt: number): Step<void>;
  act(...args: WithoutDialect<typeof actInTopic>): Step<readonly number[]>;
  /**
   * Queues steps that nobody queued: those whose problem may be over, and what a crash left.
   * Returns the bots that make them. With a desk, its problems are taken for over.
   */
  takeUp(nowMs: number, deskId?: number): Promise<Set<number>>;
  /** Tells topics of answers that a restored backup did not send; returns the bots that do. */
  tellRestored(nowMs: number): Promise<Set<number>>;
}

type WithoutDialect<F> = F extends (dialect: never, ...args: infer A) => unknown ? A : never;

const columns =
  'id, name, desk_bot_id, chat_id, settings, problems, checked_at, created_at, updated_at';
const atOnce = 50;
/** An alert names this many customers. */
const mostNamed = 5;
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

export function createDeskRepository(engine: Engine): DeskRepository {
  const { dialect } = engine;
  let known: Map<number, number> | undefined;

  async function read(where: string, parameters: readonly unknown[]): Promise<Desk[]> {
    const rows = await engine.readRaw<DeskRow>(
      `select ${columns} from desks ${where} order by id`,
      parameters,
    );
    const bots = await engine.readRaw<{ bot_id: number; desk_id: number }>(
      'select bot_id, desk_id from desk_bots order by bot_id',
      [],
    );
    return rows.map(({ settings, ...row }) => ({
      ...row,
      ...readOptions({ name: row.name, settings }),
      problems: (JSON.parse(row.problems) as Reason[]).map((one) =>
        reasonFrom({ ...one, text: one.code }),
      ),
      bot_ids: bots.filter(({ desk_id }) => desk_id === row.id).map(({ bot_id }) => bot_id),
    }));
  }

  type Part = Pick<DeskRow, 'id' | 'name' | 'desk_bot_id' | 'chat_id' | 'settings'> & {
    forum: number;
  };
  const partsSql = `select d.id, d.name, d.desk_bot_id, d.chat_id, d.settings, 0 as forum
      from desk_bots b join desks d on d.id = b.desk_id where b.bot_id = $1
    union all select id, name, desk_bot_id, chat_id, settings, 1 from desks where desk_bot_id = $1
    order by forum, id`;
  const desksIn = (parts: readonly Part[]): DesksOfBot => {
    const own = parts.find(({ forum }) => forum === 0);
    return {
      desk: own && {
        id: own.id,
        name: own.name,
        deskBotId: own.desk_bot_id,
        chatId: own.chat_id,
        options: readOptions(own),
      },
      forums: parts
        .filter(({ forum }) => forum === 1)
        .map(({ id, chat_id, settings }) => ({
          deskId: id,
          chatId: chat_id,
          language: storedOptions(settings).language,
        })),
    };
  };

  function* changed(desk: { desk_bot_id: number; bot_ids: readonly number[] }, nowMs: number) {
    for (const botId of [...new Set([desk.desk_bot_id, ...desk.bot_ids])].sort((a, b) => a - b)) {
      // From this commit on, updates in its topics are for the desk alone.
      if (yield* appsChanged(botId, nowMs)) yield* openRoutingReader(botId, nowMs);
    }
  }

  return {
    list: () => read('', []),
    async deskBots() {
      const rows = await engine.readRaw<{ bot_id: number; desk_bot_id: number }>(
        'select b.bot_id, d.desk_bot_id from desk_bots b join desks d on d.id = b.desk_id',
        [],
      );
      known = new Map(rows.map((row) => [row.bot_id, row.desk_bot_id]));
      return known;
    },
    mayHaveDesk: (botId) => known?.has(botId) ?? true,
    get: async (id) => (await read('where id = $1', [id]))[0],
    ofBot: async (botId) => desksIn(await engine.readRaw<Part>(partsSql, [botId])),
    *isStill(botId, known) {
      const now = desksIn(yield* raw<Part>(partsSql, [botId]));
      return JSON.stringify(now) === JSON.stringify(known);
    },
    async topicAt(deskId, threadId) {
      const [row] = await engine.readRaw<Omit<DeskTopic, 'personIds'> & { settings: string }>(
        `select t.id, t.desk_id as "deskId", d.name as "deskName", t.bot_id as "botId",
           t.chat_id as "chatId", t.connection, t.from_thread_id as "fromThreadId", t.name,
           d.settings
         from desk_topics t join desks d on d.id = t.desk_id
         where t.desk_id = $1 and t.thread_id = $2`,
        [deskId, threadId],
      );
      if (!row) return undefined;
      const { settings, ...topic } = row;
      return { ...topic, personIds: readOptions({ name: '', settings }).person_ids };
    },
    async hasTopicNamed(deskId, name) {
      const named = await engine.readRaw(
        'select 1 from desk_topics where desk_id = $1 and name = $2 and thread_id is not null limit 1',
        [deskId, name],
      );
      return named.length > 0;
    },
    async unanswered(deskId, beforeMs, nowMs) {
      const of = `from desk_bots b join chats c on c.bot_id = b.bot_id
          left join desk_topics t on t.bot_id = c.bot_id and t.chat_id = c.chat_id
        where b.desk_id = $1 and c.unanswered_since > 0 and c.unanswered_since <= $2
          and c.chat_id > 0 and c.snoozed_until <= $3 and coalesce(t.banned, 0) = 0`;
      const parameters = [deskId, beforeMs, nowMs];
      const chats = await engine.readRaw<Unanswered['chats'][number]>(
        `select c.bot_id, c.chat_id, coalesce(t.name, '') as name, c.unanswered_since as since ${of}
         order by c.unanswered_since, c.chat_id limit ${mostNamed}`,
        parameters,
      );
      if (chats.length < mostNamed) return { count: chats.length, chats };
      const [all] = await engine.readRaw<{ count: number }>(
        `select count(*) as count ${of}`,
        parameters,
      );
      return { count: Number(all?.count), chats };
    },
    async waiting() {
      const rows = await engine.readRaw<WaitingDesk>(
        `select d.id as "deskId", d.desk_bot_id as "deskBotId", count(*) as customers,
           max(t.problem) as problem
         from desk_topics t join desks d on d.id = t.desk_id where t.problem <> ''
         group by d.id, d.desk_bot_id`,
        [],
      );
      return rows.map((row) => ({ ...row, customers: Number(row.customers) }));
    },
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
    *saveStep(id, { desk_bot_id, chat_id, bot_ids, ...options }, nowMs) {
      const { name, ...settings } = optionsOf({ ...deskDefaults, ...options });
      // Until the bots are read again, any may have a desk.
      known = undefined;
      const [row] = yield* raw<{ id: number }>(
        id === undefined
          ? `insert into desks (name, desk_bot_id, chat_id, settings, created_at, updated_at)
             values ($1, $2, $3, $5, $4, $4) returning id`
          : `update desks set name = $1, desk_bot_id = $2, chat_id = $3, updated_at = $4,
               settings = $5,
               problems = case when desk_bot_id = $2 then problems else '[]' end,
               checked_at = case when desk_bot_id = $2 then checked_at else 0 end
             where id = $6 returning id`,
        [
          name,
          desk_bot_id,
          chat_id,
          nowMs,
          JSON.stringify(settings),
          ...(id === undefined ? [] : [id]),
        ],
      );
      if (!row) return 0;
      // What is queued goes through the new desk bot: the former one may be gone.
      yield* raw(
        `update outbox set bot_id = $2 where state = 'queued' and bot_id <> $2 and intent_key in (
           select doing from desk_topics where desk_id = $1 and doing <> '')`,
        [row.id, desk_bot_id],
      );
      const before = yield* raw<{ bot_id: number }>(
        'select bot_id from desk_bots where desk_id = $1',
        [row.id],
      );
      for (const { bot_id } of before.filter((one) => !bot_ids.includes(one.bot_id))) {
        yield* withdrawSteps('bot_id', bot_id);
        yield* raw('delete from desk_topics where bot_id = $1', [bot_id]);
        yield* raw('delete from desk_bots where bot_id = $1', [bot_id]);
      }
      for (const botId of bot_ids.filter((one) => !before.some(({ bot_id }) => bot_id === one))) {
        // A crash may have left them when the bot left another desk.
        yield* raw('delete from desk_topics where bot_id = $1 and desk_id <> $2', [botId, row.id]);
        yield* raw('insert into desk_bots (bot_id, desk_id) values ($1, $2)', [botId, row.id]);
      }
      yield* changed({ desk_bot_id, bot_ids }, nowMs);
      return row.id;
    },
    *leaveStep(botIds, deskId) {
      const { isIn, list } = wordsOf[dialect];
      const elsewhere = `desk_id <> $1 and ${isIn('bot_id', '$2')}`;
      const leaving = yield* raw<{ bot_id: number }>(
        `select bot_id from desk_bots where ${elsewhere}`,
        [deskId, list(botIds)],
      );
      for (const { bot_id } of leaving) yield* withdrawSteps('bot_id', bot_id);
      for (const table of ['desk_topics', 'desk_bots']) {
        yield* raw(`delete from ${table} where ${elsewhere}`, [deskId, list(botIds)]);
      }
    },
    async release(id, botIds, nowMs) {
      known = undefined;
      const released = await engine.write(function* () {
        const gone: number[] = [];
        for (const botId of botIds) {
          const rows = yield* raw(
            'delete from desk_bots where bot_id = $1 and desk_id = $2 returning 1',
            [botId, id],
          );
          if (rows.length === 0) continue;
          gone.push(botId);
          yield* withdrawSteps('bot_id', botId);
          yield* appsChanged(botId, nowMs);
        }
        return gone;
      });
      for (const botId of released) await deletePortions(engine, [['desk_topics', 'id']], botId);
    },
    *removeStep(id, nowMs) {
      const [desk] = yield* raw<DeskRow>(`select ${columns} from desks where id = $1`, [id]);
      if (!desk) return false;
      yield* withdrawSteps('desk_id', id);
      yield* changes('delete from desks where id = $1', [id]);
      yield* changed({ desk_bot_id: desk.desk_bot_id, bot_ids: [] }, nowMs);
      return true;
    },
    importTopics,
    replyInAbsence,
    take: (...args) => takeForDesk(dialect, ...args),
    note: (...args) => noteInTopic(dialect, ...args),
    noteForCustomer: (...args) => noteForCustomer(dialect, ...args),
    stepSent: (...args) => stepSent(dialect, ...args),
    *setClosed(topicId, closedAt) {
      const [topic] = yield* raw<{ bot_id: number; chat_id: number }>(
        'update desk_topics set closed = $2 where id = $1 returning bot_id, chat_id',
        [topicId, closedAt],
      );
      if (topic && closedAt > 0) yield* endConversation(topic.bot_id, topic.chat_id);
    },
    act: (...args) => actInTopic(dialect, ...args),
    tellRestored: (nowMs) => tellRestored(engine, nowMs),
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
