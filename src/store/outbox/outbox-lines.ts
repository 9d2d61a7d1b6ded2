/*
 * Queued sends form lines, each of which keeps its order: one for each chat, one for its new topics,
 * for which Telegram asks to wait longest, and one for sends without a chat number. An answer to a query (such as a pressed button) is a line by itself, so
 * that it waits for no other.
 */
import type { DialectName } from '../engine.ts';

const isIndependent = `chat_id = 0 and lower(method) like 'answer%'`;

/** Returns the line of a send. */
export function lineOf(send: { id: number; chatId: number; method: string }): string {
  const isIndependentRow = send.chatId === 0 && /^answer/i.test(send.method);
  if (isIndependentRow) return `send ${send.id}`;
  return /^createforumtopic$/i.test(send.method) ? `topics ${send.chatId}` : `chat ${send.chatId}`;
}

/**
 * SQL: the IDs of the head of each line of a bot ($1), so that a long line does not hide the
 * others. A send that was taken from a line (`attempts` counts that) is its head until it ends,
 * whichever worker or node took it: that keeps the order when a bot moves.
 */
export function headOfEachLine(dialect: DialectName): string {
  const line = `chat_id, case when ${isIndependent} then id
    when lower(method) = 'createforumtopic' then -1 else 0 end`;
  const open = `state in ('queued', 'sending') and bot_id = $1
    and (state = 'queued' or attempts > 0)`;
  // With min(), SQLite takes `id` from the row with the least value; IDs are far below the factor.
  return dialect === 'sqlite'
    ? `select id from (select id, min(case state when 'sending' then -1
         else priority * 4503599627370496 + id end) from outbox where ${open} group by ${line})`
    : `select distinct on (${line}) id from outbox where ${open}
       order by ${line}, case state when 'sending' then 0 else 1 end, priority, id`;
}
