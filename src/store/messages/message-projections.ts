/*
 * Updates what depends on the messages of managed bots: the queue of the search index and the
 * statistics; conversation-turns.ts counts them. For every bot, it stores the text that a message
 * had before an edit.
 *
 * This is code and not triggers: a trigger on messages makes SQLite keep a journal for every single
 * insert, which was measured at four times the cost of the insert itself (50 against 12 µs).
 */
import type { ManagedBots } from '../../core/messages/turns.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import type { EarlierText, MessageChanges, MessageToStore } from './save-messages.ts';
import { type BackfillMark, backfillMarks } from '../stats/backfill-marks.ts';
import { addPending, countedMessage } from '../stats/stats-count.ts';

const insertEdits = bulkInsert({
  table: 'message_edits',
  columns: {
    bot_id: 'bigint',
    chat_id: 'bigint',
    message_id: 'bigint',
    text: 'text',
    written_at: 'bigint',
    replaced_at: 'bigint',
  },
});

export const insertSearchQueue = bulkInsert({
  table: 'search_queue',
  columns: { bot_id: 'bigint', chat_id: 'bigint', message_id: 'bigint' },
});

/** `marks` are those of the backfills of these bots; if left out, they are read. */
export function* applyChanges(
  dialect: DialectName,
  { added, edited }: MessageChanges,
  managed: ManagedBots,
  marks?: readonly BackfillMark[],
): Step<void> {
  yield* insertEdits(
    dialect,
    edited.filter(isKept).map(({ before, after }) => editRow(before, after)),
  );
  const searchable = [
    ...added,
    ...edited.filter(({ isManaged }) => isManaged).map(({ after }) => after),
  ];
  yield* insertSearchQueue(
    dialect,
    searchable.map(({ bot_id, chat_id, id }) => ({ bot_id, chat_id, message_id: id })),
  );
  yield* queueForStatistics(dialect, added, managed, marks);
}

// Apps stream an answer by many edits a second.
const stepSeconds = 10;

/**
 * Keeps a text that a bot sent between two edits only if it lasted for a while; the first text is
 * always kept.
 */
function isKept({ before, after }: MessageChanges['edited'][number]): boolean {
  if (after.origin === 'received' || before.edited_at === null) return true;
  return (after.edited_at ?? 0) - before.edited_at >= stepSeconds;
}

/** Returns the row for the text that a message had before its edit. */
function editRow(before: EarlierText, after: MessageToStore) {
  return {
    bot_id: before.bot_id,
    chat_id: before.chat_id,
    message_id: before.id,
    text: before.text,
    written_at: before.edited_at ?? before.date,
    replaced_at: after.edited_at ?? after.date,
  };
}

/**
 * Queues messages for the statistics. A message beyond the point that a backfill has reached is
 * left to that backfill.
 */
function* queueForStatistics(
  dialect: DialectName,
  added: readonly MessageToStore[],
  managed: ManagedBots,
  marks: readonly BackfillMark[] | undefined,
): Step<void> {
  const counted = added.filter((row) => row.media_type !== 'callback');
  if (counted.length === 0) return;
  const backfills =
    marks ?? (yield* raw<BackfillMark>(`${backfillMarks} ${wordsOf[dialect].lock('for share')}`));
  const reached = new Map(backfills.map((row) => [row.bot_id, row]));
  const due = counted.filter(({ bot_id, chat_id, id }) => {
    const mark = reached.get(bot_id);
    if (!mark) return true;
    return chat_id < mark.chat_id || (chat_id === mark.chat_id && id <= mark.message_id);
  });
  yield* addPending(
    dialect,
    due.flatMap((row) => {
      const bot = managed.get(row.bot_id);
      return bot ? countedMessage(row, bot) : [];
    }),
  );
}
