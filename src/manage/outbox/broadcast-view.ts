/* Broadcasts and their results as clients see them. */
import { isoTime } from '../../core/iso-time.ts';
import type { Author } from '../../core/messages/author.ts';
import {
  type Audience,
  blockedPercent,
  type BroadcastOptions,
  type BroadcastState,
  type BroadcastTask,
  type RecipientCounts,
  type RecipientState,
  starsAtMost,
} from '../../core/messages/broadcast.ts';
import { type Reason, reasonText } from '../../core/reasons/reason.ts';
import type {
  BroadcastRecord,
  RecipientRecord,
  TaskCounts,
} from '../../store/outbox/broadcast-rows.ts';
import type { BroadcastMessage } from './broadcast-message.ts';

export interface BroadcastView extends BroadcastOptions {
  id: number;
  bot_id: number;
  name: string;
  state: BroadcastState;
  /** Why it paused by itself; '' if it did not. */
  reason: string;
  reason_detail: Reason | null;
  text: string;
  audience: Audience;
  recipients: number;
  /** What it costs at most; 0 if it is not paid for. */
  stars: number;
  counts: RecipientCounts;
  blocked_percent: number;
  task: BroadcastTask;
  task_counts: TaskCounts;
  author: Author;
  created_at: string;
  started_at: string;
  ended_at: string;
}

export interface BroadcastResult {
  chat_id: number;
  title: string;
  state: RecipientState;
  message_id: number;
  error: string;
  error_detail: Reason | null;
  task_state: string;
  task_error: string;
}

export function viewOf(broadcast: BroadcastRecord): BroadcastView {
  const { counts, message, options, state } = broadcast;
  const { waiting, ...others } = counts;
  const { text = '', caption = '' } = message.request as BroadcastMessage;
  return {
    id: broadcast.id,
    bot_id: broadcast.botId,
    name: broadcast.name,
    state,
    reason: broadcast.reason ? reasonText(broadcast.reason) : '',
    reason_detail: broadcast.reason,
    text: text || caption,
    audience: broadcast.audience,
    recipients: broadcast.recipients,
    stars: options.allow_paid_broadcast ? starsAtMost(broadcast.recipients) : 0,
    counts: { ...others, queued: others.queued + waiting },
    blocked_percent: blockedPercent(counts),
    ...options,
    task: broadcast.task,
    task_counts: broadcast.taskCounts,
    author: broadcast.author,
    created_at: isoTime(broadcast.createdAt),
    started_at: isoTime(broadcast.startedAt),
    ended_at: isoTime(broadcast.endedAt),
  };
}

export function resultOf(row: RecipientRecord): BroadcastResult {
  return {
    chat_id: row.chatId,
    title: row.title,
    state: row.state === 'waiting' ? 'queued' : row.state,
    message_id: row.messageId,
    error: row.error,
    error_detail: row.errorDetail,
    task_state: row.taskState,
    task_error: row.taskError,
  };
}
