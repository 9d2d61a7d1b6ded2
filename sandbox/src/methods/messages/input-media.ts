import { badRequest } from '../../api-error.ts';
import { keyOfFileId } from '../../world/messages/file-id.ts';
import type { Upload } from '../../world/messages/files.ts';
import {
  kindOf,
  mediaKindFacts,
  type MediaDetails,
  type MediaKind,
  storeMedia,
} from '../../world/messages/media.ts';
import type { FileRecord, MessageContent } from '../../world/records.ts';
import type { Call } from '../call.ts';
import type { Params } from '../params.ts';

const maxPhotoBytes = 10 * 1024 * 1024;

type Source = { upload: Upload } | { file: FileRecord };

/** Reads a file parameter: an upload, `attach://<part>`, an address, or the ID of a known file. */
async function sourceOf(call: Call, params: Params, name: string, label: string): Promise<Source> {
  const value = params.text(name).trim();
  const part = value.startsWith('attach://') ? value.slice(9) : name;
  const upload = value === '' || value.startsWith('attach://') ? params.upload(part) : undefined;
  if (upload) {
    if (upload.bytes.length === 0) throw badRequest('file must be non-empty');
    return { upload };
  }
  if (value === '' || value.startsWith('attach://')) {
    throw badRequest(
      name === 'media'
        ? "can't parse InputMedia: media not found"
        : `there is no ${label} in the request`,
    );
  }
  if (/^https?:\/\//iu.test(value)) {
    try {
      if (call.fetchUrl) return { upload: await call.fetchUrl(value) };
    } catch {
      // Telegram has one error text for every problem here.
    }
    throw badRequest('failed to get HTTP URL content');
  }
  const key = keyOfFileId(call.bot, value);
  if (key === undefined) throw badRequest('wrong file identifier/HTTP URL specified');
  const file = call.world.state.files.get(key);
  if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
  return { file };
}

const optionalInteger = (params: Params, name: string): number | undefined =>
  params.has(name) ? Math.max(0, params.integer(name)) : undefined;

function uploadNamed(params: Params, name: string): Upload | undefined {
  const value = params.text(name).trim();
  return params.upload(value.startsWith('attach://') ? value.slice(9) : name);
}

function detailsOf(params: Params): MediaDetails {
  const details: Record<string, unknown> = {};
  for (const name of ['duration', 'width', 'height', 'length'])
    details[name] = optionalInteger(params, name);
  for (const name of ['performer', 'title', 'emoji'])
    details[name] = params.text(name) || undefined;
  details['thumbnail'] = uploadNamed(params, 'thumbnail');
  details['photo'] = uploadNamed(params, 'photo');
  return details as MediaDetails;
}

/** Returns what a message shows of the file that a call names. */
export async function readMedia(
  call: Call,
  kind: MediaKind,
  params: Params,
  field: string,
): Promise<MessageContent> {
  const source = await sourceOf(call, params, field, kind.replace('_', ' '));
  if ('file' in source) {
    const known = source.file.media;
    const knownKind = known && kindOf(known);
    const fits = knownKind === kind || (knownKind === 'animation' && kind === 'document');
    if (!known || !fits) {
      const from = knownKind ? mediaKindFacts[knownKind].title : 'Unknown';
      throw badRequest(`can't use file of type ${from} as ${mediaKindFacts[kind].title}`);
    }
    return structuredClone(known);
  }
  if (kind === 'photo' && source.upload.bytes.length > maxPhotoBytes) {
    throw badRequest('too big for a photo');
  }
  const content = storeMedia(call.world, kind, source.upload, detailsOf(params));
  if (!content) throw badRequest('IMAGE_PROCESS_FAILED');
  return content;
}
