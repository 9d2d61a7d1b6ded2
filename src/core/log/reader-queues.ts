/*
 * Says in which queue a reader delivers an update. The log stores one queue for all readers: the
 * chat, or the user of a press. A reader with settings of its own computes its queues from that.
 */
import { factsOf } from '../apps/claims.ts';

export interface QueueSettings {
  /** If set, each topic of a chat has a queue of its own. */
  per_topic: boolean;
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
export function readerQueues({ per_topic }: QueueSettings): QueueOf | undefined {
  return per_topic ? ofTopic : undefined;
}

function ofTopic(entry: Queued): string {
  const { queue } = entry;
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
