import type { ListedState, SettableState } from '../../core/people/conversation-states.ts';
import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type Filter, filter, ofBots } from '../sql/filter.ts';
import { chatKey, keyColumns } from './chat-key.ts';
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

interface ChatKey {
  botId: number;
  chatId: number;
}

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
    chat: ChatKey,
    to: AssigneeKey | undefined,
    by: { key: string; confirmed: boolean },
  ): Promise<'assigned' | { heldBy: string }>;
  setState(chat: ChatKey, state: SettableState): Promise<void>;
  snooze(chat: ChatKey, untilMs: number): Promise<void>;
  /** Stores the last message of the chat that the user saw. */
  markSeen(chat: ChatKey, userId: number, message: SeenMessage): Promise<void>;
  /** Returns the last messages that the user saw of these chats, by `chatKey`. */
  seen(
    userId: number,
    chats: readonly { bot_id: number; chat_id: number }[],
  ): Promise<Map<string, SeenMessage>>;
}

export function createConversationRepository(engine: Engine): ConversationRepository {
  const key = 'bot_id = $1 and chat_id = $2';

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
      type Part = Record<
        'count' | 'snoozed' | 'mine' | 'unassigned' | 'since' | 'mineSince',
        number
      >;
      const read = async ({ where, parameters }: typeof waiting) => {
        const now = parameters.push(nowMs);
        const by = parameters.push(mine);
        const [row] = await engine.readHeavy<Part>(
          `select count(*) as count, ${sum(`snoozed_until > $${now}`)} as snoozed,
             ${sum(isMine(by))} as mine, ${sum(`assignee = ''`)} as unassigned,
             ${least(`snoozed_until <= $${now}`)} as since,
             ${least(`snoozed_until <= $${now} and ${isMine(by)}`)} as "mineSince"
           from chats ${where}`,
          parameters,
        );
        return row as Part;
      };
      const [asked, answered] = await Promise.all([read(waiting), read(open)]);
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
    assign: ({ botId, chatId }, to, by) =>
      engine.write(function* () {
        const changed = yield* raw(
          `update chats set assignee = $3, assignee_name = $4
           where ${key} and (assignee in ('', $3, $5) or $6 = 1) returning 1 as one`,
          [botId, chatId, to?.key ?? '', to?.name ?? '', by.key, by.confirmed ? 1 : 0],
        );
        if (changed.length > 0) {
          yield* touchCards(chatId, botId);
          return 'assigned';
        }
        const [held] = yield* raw<{ assignee_name: string }>(
          `select assignee_name from chats where ${key}`,
          [botId, chatId],
        );
        return { heldBy: held?.assignee_name ?? '' };
      }),
    async setState({ botId, chatId }, state) {
      await engine.write(function* () {
        yield* raw(
          `update chats set is_done = $3, unanswered_since = 0, needs_person = 0, snoozed_until = 0
           where ${key}`,
          [botId, chatId, state === 'done' ? 1 : 0],
        );
        yield* touchCards(chatId, botId);
      });
    },
    async snooze({ botId, chatId }, untilMs) {
      await engine.write(() =>
        raw(`update chats set snoozed_until = $3 where ${key}`, [botId, chatId, untilMs]),
      );
    },
    async markSeen({ botId, chatId }, userId, { id, date }) {
      await engine.write(() =>
        raw(
          `insert into chat_reads (bot_id, chat_id, user_id, message_date, message_id)
           values ($1, $2, $3, $4, $5)
           on conflict (bot_id, chat_id, user_id) do update set
             message_date = excluded.message_date, message_id = excluded.message_id`,
          [botId, chatId, userId, date, id],
        ),
      );
    },
    async seen(userId, chats) {
      if (chats.length === 0) return new Map();
      const { rowParameters, rows: given } = wordsOf[engine.dialect];
      type Row = { bot_id: number; chat_id: number } & SeenMessage;
      const rows = await engine.readRaw<Row>(
        `select r.bot_id, r.chat_id, r.message_id as id, r.message_date as date
         from (${given(keyColumns, 2)}) k
         join chat_reads r on r.bot_id = k.bot_id and r.chat_id = k.chat_id and r.user_id = $1`,
        [
          userId,
          ...rowParameters(
            keyColumns,
            chats.map(({ bot_id, chat_id }) => [bot_id, chat_id]),
          ),
        ],
      );
      return new Map(rows.map((row) => [chatKey(row), row]));
    },
  };
}
