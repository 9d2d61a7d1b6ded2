import type { ListedState, SettableState } from '../../core/people/conversation-states.ts';
import { type Engine, raw } from '../engine.ts';
import { type Filter, filter, ofBots } from '../sql/filter.ts';

export function inState(state: ListedState, nowMs: number): Filter {
  if (state === 'waiting') return ['unanswered_since > 0 and snoozed_until <= ?', nowMs];
  if (state === 'snoozed') return ['unanswered_since > 0 and snoozed_until > ?', nowMs];
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
  snoozed: number;
  open: number;
  /** Waiting and open ones of the asking user, and those that nobody has. */
  mine: number;
  unassigned: number;
}

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
}

export function createConversationRepository(engine: Engine): ConversationRepository {
  const key = 'bot_id = $1 and chat_id = $2';

  return {
    async counts(botIds, mine, nowMs) {
      if (botIds?.length === 0) return { waiting: 0, snoozed: 0, open: 0, mine: 0, unassigned: 0 };
      const those = ofBots(engine.dialect, botIds);
      // Each part reads one of the indexes that hold only such chats.
      const waiting = filter([['unanswered_since > 0'], [ofManaged], those]);
      const open = filter([['is_done = 0 and unanswered_since = 0'], [ofManaged], those]);
      const sum = (condition: string) =>
        `coalesce(sum(case when ${condition} then 1 else 0 end), 0)`;
      const parts = (at: number) =>
        `${sum(`assignee = $${at}`)} as mine, ${sum(`assignee = ''`)} as unassigned`;
      type Part = { count: number; snoozed: number; mine: number; unassigned: number };
      const read = async ({ where, parameters }: typeof waiting) => {
        const [row] = await engine.readHeavy<Part>(
          `select count(*) as count, ${sum(`snoozed_until > $${parameters.push(nowMs)}`)} as snoozed,
             ${parts(parameters.push(mine))} from chats ${where}`,
          parameters,
        );
        return row as Part;
      };
      const [asked, answered] = await Promise.all([read(waiting), read(open)]);
      return {
        waiting: asked.count - asked.snoozed,
        snoozed: asked.snoozed,
        open: answered.count,
        mine: asked.mine + answered.mine,
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
        if (changed.length > 0) return 'assigned';
        const [held] = yield* raw<{ assignee_name: string }>(
          `select assignee_name from chats where ${key}`,
          [botId, chatId],
        );
        return { heldBy: held?.assignee_name ?? '' };
      }),
    async setState({ botId, chatId }, state) {
      await engine.write(() =>
        raw(
          `update chats set is_done = $3, unanswered_since = 0, needs_person = 0, snoozed_until = 0
           where ${key}`,
          [botId, chatId, state === 'done' ? 1 : 0],
        ),
      );
    },
    async snooze({ botId, chatId }, untilMs) {
      await engine.write(() =>
        raw(`update chats set snoozed_until = $3 where ${key}`, [botId, chatId, untilMs]),
      );
    },
  };
}
