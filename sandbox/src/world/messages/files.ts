import type { PhotoSize } from '@grammyjs/types';
import { uniqueFileId } from './file-id.ts';
import { type PictureSize, pictureSize } from './picture.ts';
import type { FileRecord, WorldState } from '../records.ts';
import type { World } from '../world.ts';

export interface Upload {
  bytes: Buffer;
  name?: string;
  mimeType?: string;
}

export function storeFile(
  world: World,
  upload: Upload,
  folder: string,
  key = `f${++world.state.counters.file}`,
): FileRecord {
  const file: FileRecord = {
    key,
    bytes: upload.bytes,
    folder,
    ...(upload.name !== undefined && { name: upload.name }),
    ...(upload.mimeType !== undefined && { mimeType: upload.mimeType }),
  };
  world.state.files.set(key, file);
  forgetOldFiles(world);
  return file;
}

/** The approximate memory of a file in addition to its bytes, which matters for many tiny files. */
const recordBytes = 1024;
const roomFor = (file: FileRecord): number => file.bytes.length + recordBytes;

/** The oldest files are dropped first; a bot that requests one gets an error, not another file. */
function forgetOldFiles(world: World): void {
  const { files } = world.state;
  let total = 0;
  for (const file of files.values()) total += roomFor(file);
  for (const [key, file] of files) {
    if (total <= world.limits.fileBytes || files.size === 1) return;
    total -= roomFor(file);
    files.delete(key);
  }
}

const extensions: Record<string, string> = {
  photos: 'jpg',
  voice: 'oga',
  video_notes: 'mp4',
  videos: 'mp4',
  animations: 'mp4',
  music: 'mp3',
  stickers: 'webp',
};

export function filePath(file: FileRecord): string {
  const fromName = file.name?.match(/\.([A-Za-z0-9]{1,8})$/)?.[1];
  const extension = fromName ?? extensions[file.folder];
  return `${file.folder}/file_${file.key.slice(1)}${extension ? `.${extension.toLowerCase()}` : ''}`;
}

export function fileByPath(state: WorldState, path: string): FileRecord | undefined {
  const number = path.match(/\/file_(\d+)(?:\.[a-z0-9]+)?$/)?.[1];
  const file = number === undefined ? undefined : state.files.get(`f${number}`);
  return file && filePath(file) === path ? file : undefined;
}

const photoSize = (file: FileRecord, size: PictureSize): PhotoSize => ({
  file_id: file.key,
  file_unique_id: uniqueFileId(file.key),
  width: size.width,
  height: size.height,
  file_size: file.bytes.length,
});

/** Stores the sizes of a photo, smallest first. The small one is a separate file with the same bytes. */
export function storePhoto(world: World, upload: Upload): PhotoSize[] | undefined {
  const size = pictureSize(upload.bytes);
  if (!size || size.width < 1 || size.height < 1 || size.width + size.height > 10_000)
    return undefined;
  const sizes: PhotoSize[] = [];
  const scale = 320 / Math.max(size.width, size.height);
  if (scale < 1) {
    const small = {
      ...size,
      width: Math.max(1, Math.round(size.width * scale)),
      height: Math.max(1, Math.round(size.height * scale)),
    };
    sizes.push(photoSize(storePhotoFile(world, upload, small), small));
  }
  sizes.push(photoSize(storePhotoFile(world, upload, size), size));
  for (const { file_id } of sizes) {
    const file = world.state.files.get(file_id);
    if (file) file.media = { photo: sizes };
  }
  return sizes;
}

function storePhotoFile(world: World, upload: Upload, size: PictureSize): FileRecord {
  const extension = size.mimeType === 'image/jpeg' ? 'jpg' : size.mimeType.slice(6);
  return storeFile(
    world,
    { bytes: upload.bytes, name: `photo.${extension}`, mimeType: size.mimeType },
    'photos',
  );
}
