import type { PhotoSize } from '@grammyjs/types';
import { defined } from '../defined.ts';
import { uniqueFileId } from './file-id.ts';
import { storeFile, storePhoto, type Upload } from './files.ts';
import { pictureSize } from './picture.ts';
import type { FileRecord, MessageContent } from '../records.ts';
import type { Permission } from '../chats/rights.ts';
import type { World } from '../world.ts';

export type MediaKind =
  | 'photo'
  | 'audio'
  | 'document'
  | 'video'
  | 'animation'
  | 'voice'
  | 'video_note'
  | 'sticker'
  | 'live_photo';

interface KindFacts {
  folder: string;
  permission: Permission;
  mimeType: string;
  /** Its name in refusals. */
  title: string;
}

export const mediaKindFacts: Record<MediaKind, KindFacts> = {
  photo: {
    folder: 'photos',
    permission: 'can_send_photos',
    mimeType: 'image/jpeg',
    title: 'Photo',
  },
  audio: { folder: 'music', permission: 'can_send_audios', mimeType: 'audio/mpeg', title: 'Audio' },
  document: {
    folder: 'documents',
    permission: 'can_send_documents',
    mimeType: 'application/octet-stream',
    title: 'Document',
  },
  video: { folder: 'videos', permission: 'can_send_videos', mimeType: 'video/mp4', title: 'Video' },
  animation: {
    folder: 'animations',
    permission: 'can_send_other_messages',
    mimeType: 'video/mp4',
    title: 'Animation',
  },
  voice: {
    folder: 'voice',
    permission: 'can_send_voice_notes',
    mimeType: 'audio/ogg',
    title: 'VoiceNote',
  },
  video_note: {
    folder: 'video_notes',
    permission: 'can_send_video_notes',
    mimeType: 'video/mp4',
    title: 'VideoNote',
  },
  sticker: {
    folder: 'stickers',
    permission: 'can_send_other_messages',
    mimeType: 'image/webp',
    title: 'Sticker',
  },
  live_photo: {
    folder: 'videos',
    permission: 'can_send_photos',
    mimeType: 'video/mp4',
    title: 'LivePhoto',
  },
};

/** The kinds that may be in one album together have the same family. */
export function albumFamily(kind: MediaKind): string | undefined {
  if (kind === 'audio' || kind === 'document') return kind;
  return kind === 'photo' || kind === 'video' || kind === 'live_photo' ? 'visual' : undefined;
}

export interface MediaDetails {
  duration?: number;
  width?: number;
  height?: number;
  length?: number;
  performer?: string;
  title?: string;
  emoji?: string;
  thumbnail?: Upload;
  /** The still picture of a live photo. */
  photo?: Upload;
}

const mimeTypes = new Map(
  Object.entries({
    txt: 'text/plain',
    pdf: 'application/pdf',
    json: 'application/json',
    csv: 'text/csv',
    zip: 'application/zip',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    mp3: 'audio/mpeg',
    ogg: 'audio/ogg',
    oga: 'audio/ogg',
    mp4: 'video/mp4',
  }),
);

function mimeOf(upload: Upload, kind: MediaKind): string {
  const extension = upload.name?.match(/\.([a-z0-9]+)$/iu)?.[1]?.toLowerCase() ?? '';
  const given = upload.mimeType === 'application/octet-stream' ? undefined : upload.mimeType;
  return mimeTypes.get(extension) ?? given ?? mediaKindFacts[kind].mimeType;
}

/** Stores a file and returns what a message shows of it; undefined if it should be a picture but is none. */
export function storeMedia(
  world: World,
  kind: MediaKind,
  upload: Upload,
  details: MediaDetails = {},
): MessageContent | undefined {
  if (kind === 'photo') {
    const photo = storePhoto(world, upload);
    return photo && { photo };
  }
  const still =
    kind === 'live_photo' && details.photo ? storePhoto(world, details.photo) : undefined;
  if (kind === 'live_photo' && !still) return undefined;
  const thumbnail = details.thumbnail && storePhoto(world, details.thumbnail)?.at(-1);
  const mimeType = mimeOf(upload, kind);
  const file = storeFile(world, { ...upload, mimeType }, mediaKindFacts[kind].folder);
  const content = describe(kind, file, details, thumbnail, still);
  file.media = content;
  return content;
}

function describe(
  kind: Exclude<MediaKind, 'photo'>,
  file: FileRecord,
  details: MediaDetails,
  thumbnail: PhotoSize | undefined,
  still: PhotoSize[] | undefined,
): MessageContent {
  const base = { file_id: file.key, file_unique_id: uniqueFileId(file.key) };
  const file_size = file.bytes.length;
  const mime_type = file.mimeType;
  const named = { ...base, thumbnail, file_name: file.name, mime_type, file_size };
  const duration = details.duration ?? 0;
  const size = pictureSize(file.bytes);
  const frame = {
    width: details.width ?? size?.width ?? 0,
    height: details.height ?? size?.height ?? 0,
  };
  switch (kind) {
    case 'audio':
      return {
        audio: defined({ ...named, duration, performer: details.performer, title: details.title }),
      };
    case 'document':
      return { document: defined(named) };
    case 'video':
      return { video: defined({ ...named, ...frame, duration }) };
    case 'animation':
      return {
        animation: defined({ ...named, ...frame, duration }),
        document: defined({ ...named }),
      };
    case 'voice':
      return { voice: defined({ ...base, duration, mime_type, file_size }) };
    case 'video_note':
      return {
        video_note: defined({
          ...base,
          length: details.length ?? 240,
          duration,
          thumbnail,
          file_size,
        }),
      };
    case 'sticker':
      return {
        sticker: defined({
          ...base,
          type: 'regular' as const,
          width: frame.width || 512,
          height: frame.height || 512,
          is_animated: file.name?.endsWith('.tgs') ?? false,
          is_video: file.name?.endsWith('.webm') ?? false,
          thumbnail,
          emoji: details.emoji,
          file_size,
        }),
      };
    default:
      return {
        live_photo: defined({ ...base, photo: still, ...frame, duration, mime_type, file_size }),
        photo: still ?? [],
      };
  }
}

export function kindOf(content: MessageContent): MediaKind | undefined {
  if (content.animation) return 'animation';
  if (content.live_photo) return 'live_photo';
  const kinds: MediaKind[] = [
    'photo',
    'audio',
    'document',
    'video',
    'voice',
    'video_note',
    'sticker',
  ];
  return kinds.find((kind) => content[kind] !== undefined);
}
