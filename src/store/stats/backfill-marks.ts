/** How far the stored messages of a bot are counted. */
export interface BackfillMark {
  bot_id: number;
  chat_id: number;
  message_id: number;
}

/** Lock the rows, so that a backfill does not pass a message that is not committed yet. */
export const backfillMarks = 'select bot_id, chat_id, message_id from stats_backfills';
