import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { type ExportService, exportFormats } from '../../../manage/messages/export.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { ChatId, Id, Optional, Query } from '../../schemas.ts';

const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
};

export function exportEndpoints({ exports }: { exports: ExportService }): Endpoint[] {
  return [
    get('Messages', '/api/messages/export', {
      scope: 'read',
      chats: 'reads',
      summary: 'Export messages of a chat',
      description:
        'Oldest first, as JSON lines or CSV with a header row. CSV cells that a spreadsheet would run as a formula start with an apostrophe.',
      query: Query({
        bot_id: Id('Bot ID.'),
        chat_id: ChatId('Chat ID.'),
        format: Optional.Choice(exportFormats, { default: 'jsonl' }),
        message_thread_id: Optional.TopicId('Only messages of this topic; 1 is General.'),
      }),
      produces: ['application/x-ndjson', 'text/csv'],
      response: Type.String({ examples: ['{"id":42,"chat_id":-100123,"text":"Hello"}\n'] }),
      errors: ['bot_not_found', 'bot_not_allowed', 'management_disabled', 'chat_not_found'],
      async handler({
        caller,
        query: { bot_id, chat_id, format = 'jsonl', message_thread_id },
        raw,
      }) {
        const lines = await exports.messages(caller, bot_id, chat_id, format, message_thread_id);
        raw.reply
          .header('content-type', contentTypes[format])
          .header('content-disposition', `attachment; filename="chat${chat_id}.${format}"`);
        return Readable.from(lines, { objectMode: false }) as unknown as string;
      },
    }),
  ];
}
