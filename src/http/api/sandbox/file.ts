import { Type } from 'typebox';
import { reason } from '../../../core/reasons/reason.ts';
import type { Caller } from '../../../core/access/access.ts';
import { mediaContentTypes, mediaKindOf } from '../../../core/messages/media-kind.ts';
import { RelayError } from '../../../errors.ts';
import { type Endpoint, get } from '../../endpoint.ts';
import { Bytes, Query } from '../../schemas.ts';

export interface SandboxFile {
  bytes: Buffer;
  mimeType: string;
  name?: string;
}

/** The files that a phone shows. */
export function sandboxFileEndpoint(
  fileOf: (caller: Caller, id: string) => SandboxFile | undefined,
): Endpoint {
  return get('Sandbox', '/api/sandbox/file', {
    scope: 'manage',
    summary: 'Download a sandbox file',
    description:
      'Images, video and audio are served with their type, everything else as a download.',
    query: Query({
      id: Type.String({
        minLength: 1,
        maxLength: 64,
        description: '`file_id` of a message in `GET /api/sandbox/history`.',
      }),
    }),
    produces: mediaContentTypes,
    response: Bytes(),
    errors: ['sandbox_disabled', 'bot_not_allowed', 'not_found'],
    async handler({ caller, query, raw }) {
      const file = fileOf(caller, query.id);
      if (!file) throw new RelayError('not_found', reason('no_such_file'));
      const { contentType, isInline } = mediaKindOf(file.name ?? file.mimeType.replace('/', '.'));
      const name = encodeURIComponent(file.name ?? 'file');
      raw.reply.headers({
        'content-type': contentType,
        'content-disposition': `${isInline ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
        // Another sandbox may use the same id for another file.
        'cache-control': 'private, max-age=60',
        // The file must not run as a page of this service.
        'content-security-policy': "default-src 'none'; sandbox",
      });
      return file.bytes as unknown as string;
    },
  });
}
