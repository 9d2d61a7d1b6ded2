import type { File, PhotoSize, UserProfilePhotos } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { keyOfFileId, publicFileId, uniqueFileId } from '../world/messages/file-id.ts';
import { filePath } from '../world/messages/files.ts';
import { localiseFiles } from '../world/messages/render.ts';
import type { Call, MethodTable } from './call.ts';
import { userIdOf } from './target.ts';

const maxDownloadBytes = 20 * 1024 * 1024;

function getFile(call: Call): File {
  const fileId = call.params.text('file_id').trim();
  if (fileId === '') throw badRequest('file_id not specified');
  const key = keyOfFileId(call.bot, fileId);
  if (key === undefined) throw badRequest('invalid file_id');
  const file = call.world.state.files.get(key);
  if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
  if (file.bytes.length > maxDownloadBytes) throw badRequest('file is too big');
  file.fetchedBy = [...new Set(file.fetchedBy).add(call.bot.id)];
  return {
    file_id: publicFileId(call.bot, key),
    file_unique_id: uniqueFileId(key),
    file_size: file.bytes.length,
    file_path: filePath(file),
  };
}

function getUserProfilePhotos(call: Call): UserProfilePhotos {
  const id = userIdOf(call);
  const { state } = call.world;
  const keys = state.users.get(id)?.photos ?? state.bots.get(id)?.photos ?? [];
  const photos = keys.flatMap((key): PhotoSize[][] => {
    const sizes = state.files.get(key)?.media?.photo;
    return sizes ? [sizes] : [];
  });
  const offset = Math.max(0, call.params.integer('offset'));
  const limit = call.params.integer('limit', 100, 1, 100);
  return localiseFiles(
    { total_count: photos.length, photos: photos.slice(offset, offset + limit) },
    call.bot,
  );
}

export const fileMethods: MethodTable = {
  getfile: getFile,
  getuserprofilephotos: getUserProfilePhotos,
};
