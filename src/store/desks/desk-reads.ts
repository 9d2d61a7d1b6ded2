import type { Desk, DeskTopic } from '../../core/desks/desk.ts';
import {
  type DeskLanguage,
  type DeskOptions,
  readOptions,
  storedOptions,
} from '../../core/desks/desk-options.ts';
import { type Reason, reasonFrom } from '../../core/reasons/reason.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { isOfCustomer } from './desk-queue.ts';
import { conversationTables } from '../conversations/topic-states.ts';

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

/** What is read of desks. */
export interface DeskReads {
  list(): Promise<Desk[]>;
  get(id: number): Promise<Desk | undefined>;
  ofBot(botId: number): Promise<DesksOfBot>;
  /** False if the desks of a bot changed since they were read. */
  isStill(botId: number, known: DesksOfBot): Step<boolean>;
  /** The topic of a customer, by its place in the forum. */
  topicAt(deskId: number, threadId: number): Promise<DeskTopic | undefined>;
  /** The topic of a button on a card. Until the number of the card is known, Telegram must say that it is there. */
  topicOfCard(
    deskId: number,
    card: { id: number; nonce: string; messageId: number; isShown: boolean },
  ): Promise<DeskTopic | undefined>;
  isBanned(botId: number, chatId: number): Promise<boolean>;
  /** Which of these messages have yet to be written into their topics, by the keys of their sends. */
  waitingAmong(keys: readonly string[]): Promise<Set<string>>;
  /** True if a customer of that name has a topic. */
  hasTopicNamed(deskId: number, name: string): Promise<boolean>;
  /** Customers of a desk who wait for an answer since before that time, longest first. */
  unanswered(deskId: number, beforeMs: number, nowMs: number): Promise<Unanswered>;
  /** The number of customers whose messages wait, and why, by desk. */
  waiting(): Promise<WaitingDesk[]>;
}

const columns =
  'id, name, desk_bot_id, chat_id, settings, problems, checked_at, created_at, updated_at';
/** An alert names this many customers. */
const mostNamed = 5;

type Part = Pick<DeskRow, 'id' | 'name' | 'desk_bot_id' | 'chat_id' | 'settings'> & {
  forum: number;
};
const partsSql = `select d.id, d.name, d.desk_bot_id, d.chat_id, d.settings, 0 as forum
    from desk_bots b join desks d on d.id = b.desk_id where b.bot_id = $1
  union all select id, name, desk_bot_id, chat_id, settings, 1 from desks where desk_bot_id = $1
  order by forum, id`;

function desksIn(parts: readonly Part[]): DesksOfBot {
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
}

export function createDeskReads(engine: Engine): DeskReads {
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

  async function topic(where: string, parameters: unknown[]): Promise<DeskTopic | undefined> {
    const [row] = await engine.readRaw<Omit<DeskTopic, 'personIds'> & { settings: string }>(
      `select t.id, t.desk_id as "deskId", d.name as "deskName", t.bot_id as "botId",
         t.chat_id as "chatId", t.connection, t.from_thread_id as "fromThreadId", t.name,
         d.settings
       from desk_topics t join desks d on d.id = t.desk_id where ${where}`,
      parameters,
    );
    if (!row) return undefined;
    const { settings, ...found } = row;
    return { ...found, personIds: readOptions({ name: '', settings }).person_ids };
  }

  return {
    list: () => read('', []),
    get: async (id) => (await read('where id = $1', [id]))[0],
    ofBot: async (botId) => desksIn(await engine.readRaw<Part>(partsSql, [botId])),
    *isStill(botId, known) {
      const now = desksIn(yield* raw<Part>(partsSql, [botId]));
      return JSON.stringify(now) === JSON.stringify(known);
    },
    topicAt: (deskId, threadId) => topic('t.desk_id = $1 and t.thread_id = $2', [deskId, threadId]),
    topicOfCard: (deskId, { id, nonce, messageId, isShown }) =>
      topic(
        `t.desk_id = $1 and t.id = $2 and t.card_nonce = $3 and t.card_id in ($4, $5)
           and t.chat_id > 0`,
        [deskId, id, nonce, messageId, isShown ? 0 : messageId],
      ),
    async isBanned(botId, chatId) {
      const banned = await engine.readRaw(
        'select 1 from desk_topics where bot_id = $1 and chat_id = $2 and banned <> 0',
        [botId, chatId],
      );
      return banned.length > 0;
    },
    async waitingAmong(keys) {
      if (keys.length === 0) return new Set();
      const { isIn, list } = wordsOf[engine.dialect];
      const items = await engine.readRaw<{ key: string }>(
        `select key from desk_items where ${isIn('key', '$1', 'text')}`,
        [list(keys)],
      );
      return new Set(items.map(({ key }) => key));
    },
    async hasTopicNamed(deskId, name) {
      const named = await engine.readRaw(
        'select 1 from desk_topics where desk_id = $1 and name = $2 and thread_id is not null limit 1',
        [deskId, name],
      );
      return named.length > 0;
    },
    async unanswered(deskId, beforeMs, nowMs) {
      // A customer may wait in the chat and in topics of it.
      const waiting = conversationTables.map(
        (table) => `select c.bot_id, c.chat_id, c.unanswered_since
          from desk_bots b join ${table} c on c.bot_id = b.bot_id
          where b.desk_id = $1 and c.unanswered_since > 0 and c.unanswered_since <= $2
            and c.chat_id > 0 and c.snoozed_until <= $3`,
      );
      const of = `from (select bot_id, chat_id, min(unanswered_since) as unanswered_since
            from (${waiting.join(' union all ')}) w group by bot_id, chat_id) c
          left join desk_topics t on t.bot_id = c.bot_id and t.chat_id = c.chat_id
        where coalesce(t.banned, 0) = 0`;
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
           and exists (select 1 from desk_items i where i.topic_id = t.id and i.${isOfCustomer})
         group by d.id, d.desk_bot_id`,
        [],
      );
      return rows.map((row) => ({ ...row, customers: Number(row.customers) }));
    },
  };
}
