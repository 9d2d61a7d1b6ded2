import { type Reason, reason } from '../../core/reasons/reason.ts';
import { endWaiting } from '../conversations/topic-states.ts';
import { raw, type Step } from '../engine.ts';

/** A topic of the forum in which another bot wrote for a customer. */
export interface FoundTopic {
  userId: number;
  threadId: number;
  name: string;
  banned: boolean;
  closed: boolean;
}

/** added: connected now, or in a dry run would be. known: it is the topic of that customer already. */
export type TopicOutcome = 'added' | 'known' | { conflict: Reason };

/**
 * Connects customers of a bot with topics that exist. A customer who has another topic and a topic of
 * another customer stay as they are.
 */
export function* importTopics(
  deskId: number,
  botId: number,
  topics: readonly FoundTopic[],
  { dryRun, nowMs }: { dryRun: boolean; nowMs: number },
): Step<TopicOutcome[]> {
  const outcomes: TopicOutcome[] = [];
  // In a dry run, nothing stored tells of topics that the same request names twice.
  const planned = new Map<number, number>();
  const taken = new Map<number, number>();
  for (const topic of topics) {
    const outcome = yield* outcomeOf(topic);
    outcomes.push(outcome);
    if (outcome !== 'added') continue;
    planned.set(topic.userId, topic.threadId);
    taken.set(topic.threadId, topic.userId);
    if (!dryRun) yield* add(topic);
  }
  return outcomes;

  function* outcomeOf({ threadId, userId }: FoundTopic): Step<TopicOutcome> {
    const [own] = yield* raw<{ thread_id: number | null }>(
      'select thread_id from desk_topics where bot_id = $1 and chat_id = $2',
      [botId, userId],
    );
    if (own?.thread_id === null) return { conflict: reason('desk_topic_in_making') };
    const has = own?.thread_id ?? planned.get(userId);
    if (has === threadId) return 'known';
    if (has !== undefined) return { conflict: reason('customer_has_topic', { topic: has }) };
    const [other] = yield* raw<{ chat_id: number }>(
      'select chat_id from desk_topics where desk_id = $1 and thread_id = $2',
      [deskId, threadId],
    );
    const holder = other?.chat_id ?? taken.get(threadId);
    return holder === undefined
      ? 'added'
      : { conflict: reason('topic_has_customer', { user_id: holder }) };
  }

  function* add({ banned, closed, name, threadId, userId }: FoundTopic): Step<void> {
    const [chat] = yield* raw<{ title: string }>(
      'select title from chats where bot_id = $1 and chat_id = $2',
      [botId, userId],
    );
    if (banned) yield* endWaiting(botId, userId);
    yield* raw(
      `insert into desk_topics
         (desk_id, bot_id, chat_id, name, thread_id, closed, banned, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        deskId,
        botId,
        userId,
        chat?.title || name || String(userId),
        threadId,
        closed ? nowMs : 0,
        banned ? 1 : 0,
        nowMs,
      ],
    );
  }
}
