import type { ListedState, SettableState } from '../../core/people/conversation-states.ts';
import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type Filter, filter, ofBots } from '../sql/filter.ts';
import { insertInto } from '../sql/write-row.ts';
import { chatKey, keyColumns, keysOf, type ListedKey, topicKeyColumns } from './chat-key.ts';
import { hasTopicBots } from './topic-conversations.ts';
import {
  type ConversationOfBot,
  conversationTables,
  stateRow,
} from '../conversations/topic-states.ts';
import { touchCards } from './touch-cards.ts';

export function inState(state: ListedState, nowMs: number): Filter {
  if (state === 'waiting') return ['unanswered_since > 0 and snoozed_until <= ?', nowMs];
  if (state === 'snoozed') return ['unanswered_since > 0 and snoozed_until > ?', nowMs];
  if (state === 'unfinished') return ['(unanswered_since > 0 or is_done = 0) and chat_id > 0'];
  if (state === 'open') return ['is_done = 0 and unanswered_since = 0'];
  return ['is_done = 1 and unanswered_since = 0 and chat_id > 0'];
}

export const ofManaged = 'bot_id in (select id from bots where manage_enabled = 1)';

/** Who has a conversation: `user:3` or `person:5001`, with the name. */
export interface AssigneeKey {
  key: string;
  name: string;
}

export interface ConversationCounts {
  waiting: number;
  /** Since when the longest of them waits, in milliseconds; 0 if none does. */
  waitingSince: number;
  snoozed: number;
  open: number;
  /** Waiting and open ones of the asking user, and those that nobody has. */
  mine: number;
  /** Since when the longest of them waits; 0 if none does. */
  mineSince: number;
  unassigned: number;
}

/** `date` in Unix seconds. */
export interface SeenMessage {
  id: number;
  date: number;
}

/** No conversations. */
const none: ConversationCounts = {
  waiting: 0,
  waitingSince: 0,
  snoozed: 0,
  open: 0,
  mine: 0,
  mineSince: 0,
  unassigned: 0,
};

export interface ConversationRepository {
  counts(
    botIds: readonly number[] | null,
    mine: string,
    nowMs: number,
  ): Promise<ConversationCounts>;
  /**
   * Gives a conversation to somebody, or with undefined to nobody. Without `confirmed`, it is only
   * taken from nobody, from the caller and from the one who gets it.
   */
  assign(
    conversation: ConversationOfBot,
    to: AssigneeKey | undefined,
    by: { key: string; confirmed: boolean },
  ): Promise<'assigned' | { heldBy: string }>;
  setState(conversation: ConversationOfBot, state: SettableState): Promise<void>;
  snooze(conversation: ConversationOfBot, untilMs: number): Promise<void>;
  /** Stores the last message that the user saw. */
  markSeen(conversation: ConversationOfBot, userId: number, message: SeenMessage): Promise<void>;
  /** Returns the last messages that the user saw of these, by `chatKey`. */
  seen(userId: number, conversations: readonly ListedKey[]): Promise<Map<string, SeenMessage>>;
}

export function createConversationRepository(engine: Engine): ConversationRepository {
  return {
    async counts(botIds, mine, nowMs) {
      if (botIds?.length === 0) return none;
      const those = ofBots(engine.dialect, botIds);
      // Each part reads one of the indexes that hold only such chats.
      const waiting = filter([['unanswered_since > 0'], [ofManaged], those]);
      const open = filter([['is_done = 0 and unanswered_since = 0'], [ofManaged], those]);
      const sum = (condition: string) =>
        `coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
      const isMine = (at: number) => `assignee = $${at}`;
      const least = (condition: string) =>
        `coalesce(min(case when ${condition} then unanswered_since end), 0)`;
      const read = async (table: string, { where, parameters: given }: typeof waiting) => {
        const parameters = [...given];
        const now = parameters.push(nowMs);
        const by = parameters.push(mine);
        const [row] = await engine.readHeavy<Part>(
          `select count(*) as count, ${sum(`snoozed_until > $${now}`)} as snoozed,
             ${sum(isMine(by))} as mine, ${sum(`assignee = ''`)} as unassigned,
             ${least(`snoozed_until <= $${now}`)} as since,
             ${least(`snoozed_until <= $${now} and ${isMine(by)}`)} as "mineSince"
           from ${table} ${where}`,
          parameters,
        );
        return row as Part;
      };
      const tables = (await hasTopicBots(engine)) ? conversationTables : (['chats'] as const);
      const total = async (where: typeof waiting) =>
        addUp(await Promise.all(tables.map((table) => read(table, where))));
      const [asked, answered] = await Promise.all([total(waiting), total(open)]);
      return {
        waiting: asked.count - asked.snoozed,
        waitingSince: asked.since,
        snoozed: asked.snoozed,
        open: answered.count,
        mine: asked.mine + answered.mine,
        mineSince: asked.mineSince,
        unassigned: asked.unassigned + answered.unassigned,
      };
    },
    assign: (conversation, to, by) =>
      engine.write(function* () {
        const { table, key, ids } = stateRow(conversation);
        const changed = yield* raw(
          `update ${table} set assignee = $4, assignee_name = $5
           where ${key} and (assignee in ('', $4, $6) or $7 = 1) returning 1 as one`,
          [...ids, to?.key ?? '', to?.name ?? '', by.key, by.confirmed ? 1 : 0],
        );
        if (changed.length > 0) {
          yield* touchCards(conversation.chatId, conversation.botId);
          return 'assigned';
        }
        const [held] = yield* raw<{ assignee_name: string }>(
          `select assignee_name from ${table} where ${key}`,
          ids,
        );
        return { heldBy: held?.assignee_name ?? '' };
      }),
    async setState(conversation, state) {
      const { table, key, ids } = stateRow(conversation);
      await engine.write(function* () {
        yield* raw(
          `update ${table} set is_done = $4, unanswered_since = 0, needs_person = 0, snoozed_until = 0
           where ${key}`,
          [...ids, state === 'done' ? 1 : 0],
        );
        yield* touchCards(conversation.chatId, conversation.botId);
      });
    },
    async snooze(conversation, untilMs) {
      const { table, key, ids } = stateRow(conversation);
      await engine.write(() =>
        raw(`update ${table} set snoozed_until = $4 where ${key}`, [...ids, untilMs]),
      );
    },
    async markSeen({ botId, chatId, threadId }, userId, { id, date }) {
      const seen = { bot_id: botId, chat_id: chatId, user_id: userId };
      const message = { message_date: date, message_id: id };
      const [table, key] =
        threadId === 0
          ? (['chat_reads', seen] as const)
          : (['topic_reads', { ...seen, thread_id: threadId }] as const);
      const update = `on conflict (${Object.keys(key).join(', ')}) do update set
        message_date = excluded.message_date, message_id = excluded.message_id`;
      await engine.write(() => insertInto(table, { ...key, ...message }, update));
    },
    async seen(userId, conversations) {
      const { rowParameters, rows: given } = wordsOf[engine.dialect];
      type Row = ListedKey & SeenMessage;
      const read = async (
        table: string,
        columns: typeof keyColumns | typeof topicKeyColumns,
        keys: readonly (readonly unknown[])[],
      ) => {
        if (keys.length === 0) return [];
        const names = Object.keys(columns);
        return engine.readRaw<Row>(
          `select ${names.map((name) => `r.${name}`).join(', ')},
             r.message_id as id, r.message_date as date
           from (${given(columns, 2)}) k join ${table} r on r.user_id = $1
             and ${names.map((name) => `r.${name} = k.${name}`).join(' and ')}`,
          [userId, ...rowParameters(columns, keys)],
        );
      };
      const { chats, topics } = keysOf(conversations);
      const [ofChats, ofTopics] = await Promise.all([
        read('chat_reads', keyColumns, chats),
        read('topic_reads', topicKeyColumns, topics),
      ]);
      return new Map([...ofChats, ...ofTopics].map((row) => [chatKey(row), row]));
    },
  };
}

type Part = Record<'count' | 'snoozed' | 'mine' | 'unassigned' | 'since' | 'mineSince', number>;

/** Adds up numbers; times are the first of those that are set. */
function addUp(parts: readonly Part[]): Part {
  const sum = (name: keyof Part) => parts.reduce((total, part) => total + part[name], 0);
  const first = (name: keyof Part) =>
    parts.reduce(
      (least, { [name]: at }) => (least === 0 || (at > 0 && at < least) ? at : least),
      0,
    );
  return {
    count: sum('count'),
    snoozed: sum('snoozed'),
    mine: sum('mine'),
    unassigned: sum('unassigned'),
    since: first('since'),
    mineSince: first('mineSince'),
  };
}
