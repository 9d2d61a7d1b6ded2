import { badRequest } from '../api-error.ts';
import { hasRight } from '../world/chats/rights.ts';
import { generalId, hasTopics } from '../world/chats/topics.ts';
import type { Room } from '../world/records.ts';
import type { Call } from './call.ts';

/** How long Telegram's Bot API server may take an existing topic for granted. */
const rememberedSeconds = 60;

/** Returns the topic that a call names; undefined for General, and for chats without topics. */
export function topicOf(call: Call, room: Room): number | undefined {
  const id = call.params.integer('message_thread_id');
  // A group without topics, and a business account, ignores the ID; a private chat refuses it.
  if (id <= 0 || (room.type === 'private' ? room.ownerId !== undefined : !room.isForum)) {
    return undefined;
  }
  const topic = hasTopics(call.world.state, room) ? room.topics?.get(id) : undefined;
  const { at = 0, byId = call.bot.id } = topic?.deleted ?? {};
  if (byId !== call.bot.id && call.world.now() - at < rememberedSeconds) {
    throw badRequest('TOPIC_DELETED');
  }
  if (!topic || topic.deleted || topic.isPruned || id === generalId) {
    throw badRequest('message thread not found');
  }
  return id;
}

/** Into a closed topic write only its creator and administrators with the right to manage topics. */
export function requireOpenTopic(call: Call, room: Room, topicId = generalId): void {
  if (room.type === 'private' || !room.isForum) return;
  const topic = room.topics?.get(topicId);
  if (!topic?.isClosed || topic.creatorId === call.bot.id) return;
  if (!hasRight(room.members.get(call.bot.id), 'can_manage_topics')) {
    throw badRequest('TOPIC_CLOSED');
  }
}
