import type { SettableState } from '../../core/people/conversation-states.ts';
import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter } from '../sql/filter.ts';
import { insertInto } from '../sql/write-row.ts';
import { chatKey, keyColumns, keysOf, type ListedKey, topicKeyColumns } from './chat-key.ts';
import { type EntryFilter, entriesOf } from './chat-filter.ts';
import type { ListPart } from './chat-record.ts';
import { listParts } from './topic-conversations.ts';
import { type ConversationOfBot, stateRow } from '../conversations/topic-states.ts';
import { touchCards } from './touch-cards.ts';

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
  /** Those of them that wait and are not snoozed. */
  mineWaiting: number;
  /** Since when the longest of them waits; 0 if none does. */
  mineSince: number;
  unassigned: number;
  /** Chats and topics in any state, counted up to a limit. */
  total: number;
}

/** Counting all chats would read them all. */
const countedAtMost = 1_000;

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
  mineWaiting: 0,
  mineSince: 0,
  unassigned: 0,
  total: 0,
};

export interface ConversationRepository {
  /** `mine` is the key of the asking user. */
  counts(wanted: EntryFilter, mine: string): Promise<ConversationCounts>;
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
    async counts(wanted, mine) {
      if (wanted.botIds?.length === 0) return none;
      const parts = await listParts(engine, wanted.threadId);
      const sum = (condition: string) =>
        `coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
      const least = (condition: string) =>
        `coalesce(min(case when ${condition} then unanswered_since end), 0)`;
      // Each state reads one of the indexes that hold only such chats.
      const total = (state: string) =>
        Promise.all(
          parts.map(async (part) => {
            const entries = entriesOf(engine.dialect, part, wanted);
            const { where, parameters } = filter([[state], ...entries]);
            const isDue = `snoozed_until <= $${parameters.push(wanted.now)}`;
            const isMine = `assignee = $${parameters.push(mine)}`;
            const [row] = await engine.readHeavy<Part>(
              `select count(*) as count, ${sum(isDue)} as due, ${sum(isMine)} as mine,
                 ${sum(`${isDue} and ${isMine}`)} as "mineDue", ${sum(`assignee = ''`)} as unassigned,
                 ${least(isDue)} as since, ${least(`${isDue} and ${isMine}`)} as "mineSince"
               from ${part} ${where}`,
              parameters,
            );
            return row as Part;
          }),
        ).then(addUp);
      const every = async (part: ListPart) => {
        const { where, parameters } = filter(entriesOf(engine.dialect, part, wanted));
        const [row] = await engine.readHeavy<{ count: number }>(
          `select count(*) as count
           from (select 1 from ${part} ${where} limit $${parameters.push(countedAtMost)}) t`,
          parameters,
        );
        return row?.count ?? 0;
      };
      const [asked, answered, all] = await Promise.all([
        total('unanswered_since > 0'),
        total('is_done = 0 and unanswered_since = 0'),
        Promise.all(parts.map(every)),
      ]);
      return {
        waiting: asked.due,
        waitingSince: asked.since,
        snoozed: asked.count - asked.due,
        open: answered.count,
        mine: asked.mine + answered.mine,
        mineWaiting: asked.mineDue,
        mineSince: asked.mineSince,
        unassigned: asked.unassigned + answered.unassigned,
        total: Math.min(
          countedAtMost,
          all.reduce((sum, count) => sum + count, 0),
        ),
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

type Part = Record<
  'count' | 'due' | 'mine' | 'mineDue' | 'unassigned' | 'since' | 'mineSince',
  number
>;

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
    due: sum('due'),
    mine: sum('mine'),
    mineDue: sum('mineDue'),
    unassigned: sum('unassigned'),
    since: first('since'),
    mineSince: first('mineSince'),
  };
}
