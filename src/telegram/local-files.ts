/*
 * Files of a Bot API server that runs in its local mode: it tells absolute paths and serves no files, as
 * it expects its clients on the same machine.
 *
 * Invariants: nothing outside the root is read, whatever the path or a symbolic link says; a file in
 * the folder of another bot's token is not there.
 */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { LocalFile, LocalFiles } from '../core/ports.ts';

/** An empty root: there are none. */
export function createLocalFiles(root: string): LocalFiles {
  return {
    open: (token, filePath) =>
      root !== '' && path.isAbsolute(filePath) ? openBelow(root, token, filePath) : undefined,
  };
}

async function openBelow(
  root: string,
  token: string,
  filePath: string,
): Promise<LocalFile | 'not found'> {
  try {
    const real = await realpath(filePath);
    const below = path.relative(await realpath(root), real);
    const [folder = ''] = below.split(path.sep);
    const isOutside = folder === '..' || path.isAbsolute(below);
    const isOthers = /^\d+[:~][\w-]+$/.test(folder) && folder.replace('~', ':') !== token;
    if (isOutside || isOthers) return 'not found';
    const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const stats = await handle.stat();
    if (!stats.isFile()) {
      await handle.close();
      return 'not found';
    }
    return {
      sizeBytes: stats.size,
      read: (range) => handle.createReadStream({ ...range, highWaterMark: 256 * 1024 }),
      close: () => handle.close(),
    };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'].includes(code)) return 'not found';
    throw error;
  }
}
