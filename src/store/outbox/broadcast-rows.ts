import type { Author } from '../../core/messages/author.ts';
import type {
  Audience,
  BroadcastOptions,
  BroadcastState,
  BroadcastTask,
  RecipientCounts,
  RecipientState,
} from '../../core/messages/broadcast.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { fieldsOf, type RowOf } from '../sql/row-fields.ts';

/** Chat IDs have up to 52 bits. */
export const beforeAllChats = -(2 ** 52);

/** Recipients that are not tried yet, and how the others ended. */
export type BroadcastCounts = RecipientCounts & { waiting: number };
export interface TaskCounts {
  total: number;
  done: number;
  failed: number;
  unknown: number;
}

export interface BroadcastRecord {
  id: number;
  botId: number;
  name: string;
  state: BroadcastState;
  /** Why it paused by itself; null if it did not. */
  reason: Reason | null;
  /** The request and the call that it becomes. */
  message: { request: object; method: string; params: Record<string, unknown> };
  audience: Audience;
  options: BroadcastOptions;
  author: Author;
  /** The number of chats that was shown. */
  recipients: number;
  counts: BroadcastCounts;
  isFilled: boolean;
  task: BroadcastTask;
  taskNumber: number;
  taskParams: Record<string, unknown>;
  taskCounts: TaskCounts;
  /** The number of sends in the outbox. */
  inOutbox: number;
  createdAt: number;
  updatedAt: number;
  startedAt: number;
  endedAt: number;
}

type Packed =
  | 'message'
  | 'audience'
  | 'options'
  | 'author'
  | 'counts'
  | 'taskParams'
  | 'taskCounts';
type StoredBroadcast = Omit<BroadcastRecord, Packed | 'reason' | 'isFilled'> &
  Record<Packed | 'reason', string> & { isFilled: number; passedChat: number };
export type BroadcastRow = RowOf<StoredBroadcast>;

export interface RecipientRecord {
  chatId: number;
  title: string;
  state: RecipientState | 'waiting';
  messageId: number;
  error: string;
  errorDetail: Reason | null;
  taskState: string;
  taskError: string;
}

/** Rows of older versions say nothing of paying. */
type OptionsOfAnyAge = Omit<BroadcastOptions, 'allow_paid_broadcast'> & Partial<BroadcastOptions>;
const freeOnly = { allow_paid_broadcast: false };

const noCounts: BroadcastCounts = {
  waiting: 0,
  queued: 0,
  sent: 0,
  blocked: 0,
  gone: 0,
  failed: 0,
  unknown: 0,
  opted_out: 0,
};
export const noTaskCounts: TaskCounts = { total: 0, done: 0, failed: 0, unknown: 0 };

export function readBroadcast(row: BroadcastRow): BroadcastRecord {
  // A copy, because the steps change it.
  const read = <T extends object>(text: string, empty: T): T =>
    text === '' ? { ...empty } : (JSON.parse(text) as T);
  const { isFilled, passedChat: _, ...stored } = fieldsOf<StoredBroadcast>(row);
  return {
    ...stored,
    reason: unpackReason(stored.reason).detail,
    message: JSON.parse(stored.message) as BroadcastRecord['message'],
    audience: JSON.parse(stored.audience) as Audience,
    options: { ...freeOnly, ...(JSON.parse(stored.options) as OptionsOfAnyAge) },
    author: JSON.parse(stored.author) as Author,
    counts: read(stored.counts, noCounts),
    isFilled: isFilled === 1,
    taskParams: read(stored.taskParams, {}),
    taskCounts: read(stored.taskCounts, noTaskCounts),
  };
}
