/*
 * Says in which queue a reader delivers an update. The log stores one queue for all readers: the
 * chat, or the user of a press. A reader with settings of its own computes its queues from that.
 */
import { factsOf } from '../apps/claims.ts';
import { commandIn, commandName } from '../search/commands.ts';
import { urgentQueue } from './update-facts.ts';

export interface QueueSettings {
  /** Commands that have a queue of their own for each chat. */
  urgent: readonly string[];
  /** If set, each topic of a chat has a queue of its own. */
  per_topic: boolean;
  /** The name by which a command may address the bot. */
  username: string;
}

interface Queued {
  position: number;
  kind: string;
  queue: string;
  raw: string;
  claimedBy: number;
}

export type QueueOf = (entry: Queued) => string;

/** Undefined if the reader uses the stored queues. */
export function readerQueues(settings: QueueSettings): QueueOf | undefined {
  const { per_topic, urgent, username } = settings;
  const topics = per_topic ? ofTopic : undefined;
  if (urgent.length === 0) return topics;
  const commands = new Set(urgent.map(commandName));
  return (entry) => {
    if (!entry.queue.startsWith('c')) return topics?.(entry) ?? entry.queue;
    const command = commandIn(factsOf(entry).text, username);
    const isUrgent = command !== undefined && commands.has(command);
    const queue = isUrgent ? urgentQueue(entry.queue.slice(1)) : entry.queue;
    return topics?.(entry, queue) ?? queue;
  };
}

function ofTopic(entry: Queued, queue = entry.queue): string {
  // A guest query is a queue of its own already.
  if (queue.startsWith('g')) return queue;
  const { chatId, threadId } = factsOf(entry);
  if (threadId === undefined) return queue;
  // Topics of two chats can have the same number, and the queue of a user names no chat.
  return queue.startsWith('u') ? `${queue}c${chatId}t${threadId}` : `${queue}t${threadId}`;
}

/** The queue of the whole chat or user. */
export const withoutTopic = (queue: string): string =>
  queue.replace(/^([csu]-?\d+)(?:c-?\d+)?t\d+$/, '$1');
