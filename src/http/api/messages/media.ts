import { createReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mediaContentTypes } from '../../../core/messages/media-kind.ts';
import type { MediaFile, MediaService } from '../../../manage/messages/media.ts';
import { rangeOf } from '../../request/byte-range.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { Bytes, Id, Optional, Query, Text } from '../../schemas.ts';

export function mediaEndpoints({ media }: { media: MediaService }): Endpoint[] {
  return [
    get('Messages', '/api/media', {
      scope: 'read',
      chats: 'filtered',
      summary: 'Download a file',
      description:
        'Cached on disk, up to `RELAY_MEDIA_CACHE`. Supports `Range` and `If-None-Match`. Images, video and audio are served with their type, everything else as a download.',
      query: Query({
        bot_id: Id('Bot ID.'),
        file_id: Text('`file_id` of a message, or `photo_file_id` of a chat.', 'AgACAgIAAxkBAAIB', {
          minLength: 1,
          maxLength: 512,
        }),
        chat_id: Optional.ChatId(
          'The chat of the file; needed for a key that is limited to some chats.',
        ),
        message_id: Optional.Integer(
          'Its message in that chat; left out for the photo of the chat.',
          42,
        ),
      }),
      produces: mediaContentTypes,
      response: Bytes(),
      errors: [
        'bot_not_found',
        'bot_not_allowed',
        'management_disabled',
        'platform_refused',
        'platform_rate_limited',
        'platform_unreachable',
        'platform_timeout',
      ],
      async handler({ caller, query: { bot_id, file_id, ...from }, raw }) {
        const file = await media.get(caller, bot_id, file_id, from);
        return answer(raw.request, raw.reply, file) as unknown as string;
      },
    }),
  ];
}

function answer(request: FastifyRequest, reply: FastifyReply, file: MediaFile) {
  const { etag, sizeBytes } = file;
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    'content-type': file.contentType,
    'content-disposition': `${file.isInline ? 'inline' : 'attachment'}; filename="${file.name}"`,
    // The file must not run as a page of this service.
    'content-security-policy': "default-src 'none'; sandbox",
  });
  if (request.headers['if-none-match']?.includes(etag)) {
    reply.code(304);
    return '';
  }
  const ifRange = request.headers['if-range'];
  const asked = ifRange === undefined || ifRange === etag ? request.headers.range : undefined;
  const range = rangeOf(asked, sizeBytes);
  if (range === 'unsatisfiable') {
    reply.code(416).header('content-range', `bytes */${sizeBytes}`);
    return '';
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`);
  reply.header('content-length', String(end - start + 1));
  // An empty file has no last byte.
  return sizeBytes === 0 ? '' : createReadStream(file.path, { start, end });
}
