import { reason } from '../../core/reasons/reason.ts';
import type { Caller } from '../../core/access/access.ts';
import { readAuthor } from '../../core/messages/author.ts';
import { csvLine } from '../../core/csv.ts';
import { RelayError } from '../../errors.ts';
import { type MessageRow, toDetailedMessage } from '../../store/messages/messages.ts';
import type { Store } from '../../store/store.ts';
import { requireManaged } from '../bots/managed-bot.ts';

export const exportFormats = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportService {
  /** Streams the messages of a chat as text in portions, oldest first. */
  messages(
    caller: Caller,
    botId: number,
    chatId: number,
    format: ExportFormat,
    /** Only messages of this topic. */
    threadId?: number,
  ): Promise<AsyncIterable<string>>;
}

const portion = 1_000;
const columns = [
  'id',
  'chat_id',
  'date',
  'user_id',
  'username',
  'first_name',
  'last_name',
  'text',
  'media_type',
  'file_id',
  'reply_to_message_id',
  'edited_at',
  'deleted_at',
  'origin',
] as const;
const authorColumns = ['author_kind', 'author_id', 'author_name', 'author_person'];

export function createExportService(options: { store: Store }): ExportService {
  const { store } = options;

  async function* pages(
    botId: number,
    chatIds: readonly number[],
    threadId: number | undefined,
  ): AsyncGenerator<MessageRow[]> {
    for (const chatId of chatIds) {
      let after: MessageRow | undefined;
      do {
        const rows: MessageRow[] = await store.messageHistory.page(
          { botId, chatId, threadId },
          after,
          portion,
        );
        if (rows.length > 0) yield rows;
        after = rows.length < portion ? undefined : rows.at(-1);
      } while (after);
    }
  }

  return {
    async messages(caller, botId, chatId, format, threadId) {
      await requireManaged(store, caller, botId);
      if (!(await store.chats.get(botId, chatId))) {
        throw new RelayError(
          'chat_not_found',
          reason('unknown_chat', { bot_id: botId, chat_id: chatId }),
          {
            details: [{ field: 'chat_id', problem: reason('names_no_chat') }],
          },
        );
      }
      // Messages from before the group became a supergroup come first.
      const old = await store.chats.predecessorOf(botId, chatId);
      const all = pages(botId, old === undefined ? [chatId] : [old, chatId], threadId);
      return format === 'csv' ? asCsv(all) : asJsonLines(all);
    },
  };
}

async function* asJsonLines(pages: AsyncIterable<MessageRow[]>): AsyncGenerator<string> {
  for await (const rows of pages) {
    yield rows.map((row) => `${JSON.stringify(toDetailedMessage(row))}\n`).join('');
  }
}

/** The byte order mark at the beginning tells spreadsheets that the file is UTF-8. */
async function* asCsv(pages: AsyncIterable<MessageRow[]>): AsyncGenerator<string> {
  yield `\uFEFF${csvLine([...columns, ...authorColumns, 'message_thread_id'])}`;
  for await (const rows of pages) yield rows.map((row) => csvLine(cellsOf(row))).join('');
}

function cellsOf(row: MessageRow): (string | number)[] {
  const cells = columns.map((column) => {
    const value = row[column];
    if (value === null) return '';
    if (column === 'date' || column === 'edited_at') return momentOf(Number(value) * 1000);
    return column === 'deleted_at' ? momentOf(Number(value)) : value;
  });
  const { kind = '', id = '', name = '', person } = readAuthor(row.author) ?? {};
  return [...cells, kind, id, name, person?.name ?? '', row.thread_id ?? ''];
}

function momentOf(ms: number): string {
  return new Date(ms).toISOString();
}
