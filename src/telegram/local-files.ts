/*
 * Reads files of a Bot API server in local mode: it returns absolute paths and serves no files, as
 * it expects its clients on the same machine.
 *
 * Invariant: only `<root>/<token of the bot>/<folder>/…` is read, whatever the path or a symbolic
 * link says. The root itself and the folder of a token hold the server's databases, with the
 * secrets of its bots.
 */
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { LocalFile, LocalFiles } from '../core/ports.ts';

// Opening a pipe would wait for its writer. Windows has neither flag.
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants as Partial<typeof constants>;
const openFlags = (O_RDONLY ?? 0) | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

const missing = new Set([
  ...['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG'],
  ...['EISDIR', 'ENXIO', 'ERR_INVALID_ARG_VALUE'],
]);

/** With an empty root there are no files. */
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
    const [folder = '', ...rest] = below.split(path.sep);
    // The folder has `~` instead of `:` on Windows, and `:T` for a bot on the test servers.
    const isOwn = [token, `${token}:T`].includes(folder.replaceAll('~', ':'));
    if (!isOwn || rest.length < 2) return 'not found';
    const handle = await open(real, openFlags);
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
    if (missing.has(code)) return 'not found';
    throw error;
  }
}
