/* Topics that are conversations, as entries in lists of chats: those of private chats of bots with `per_topic`. */
import { conversationTables } from '../conversations/topic-states.ts';
import type { Engine } from '../engine.ts';
import type { ListPart } from './chat-record.ts';

export const ofTopicBots = (table = '') =>
  `${table}bot_id in (select id from bots where per_topic = 1 and manage_enabled = 1)
   and ${table}chat_id > 0`;

/** Most installations have no such bot, and read nothing for them. */
export async function hasTopicBots(engine: Engine): Promise<boolean> {
  const found = await engine.readRaw(
    'select 1 as one from bots where per_topic = 1 and manage_enabled = 1 limit 1',
    [],
  );
  return found.length > 0;
}

/** Where the entries of a list of chats are stored; `threadId` if it is limited to a topic. */
export async function listParts(engine: Engine, threadId?: number): Promise<readonly ListPart[]> {
  if (threadId !== undefined) return ['topics'];
  return (await hasTopicBots(engine)) ? conversationTables : ['chats'];
}

const ofTopic = [
  'bot_id',
  'chat_id',
  'thread_id',
  'last_message_at',
  'unanswered_since',
  'is_done',
  'snoozed_until',
  'assignee',
  'assignee_name',
];
const ofChat = [
  'type',
  'title',
  'username',
  'member_status',
  'updated_at',
  'member_count',
  'description',
  'photo_file_id',
  'own_rights',
  'refreshed_at',
  'message_count',
  'migrated_to',
];

/** Topics in the form of chats, from topics `t`, which are selected before. */
export const topicsAsChats = (topics: string) =>
  `select ${[...ofTopic.map((name) => `t.${name}`), ...ofChat.map((name) => `c.${name}`)].join(', ')},
     coalesce(t.name, '') as topic_name, 1 as has_topics
   from ${topics} join chats c on c.bot_id = t.bot_id and c.chat_id = t.chat_id`;
