import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';

// What people wrote to a bot must not be readable for everybody on the machine.
const folderMode = 0o750;
const fileMode = 0o640;
const chunkBytes = 65_536;
const lineFeed = 10;

/**
 * Appends whole lines to a file, which it creates with its folder if needed. Resolves when they are
 * on disk. First removes a line that a crash cut short, unless the file `isWhole`.
 */
export async function appendDurably(
  file: string,
  lines: string,
  { isWhole }: { isWhole: boolean },
): Promise<void> {
  const folder = path.dirname(file);
  const made = isWhole ? undefined : await mkdir(folder, { recursive: true, mode: folderMode });
  const handle = await open(file, 'a+', fileMode);
  try {
    const { size } = await handle.stat();
    const begin = isWhole ? size : await endOfLastLine(handle, size);
    if (begin < size) await handle.truncate(begin);
    // A full disk may take only a part of the lines, which the next call removes. This call must
    // leave it: if this node lost the bot meanwhile, the next lines belong to another node.
    await handle.appendFile(lines);
    await handle.datasync();
    if (!isWhole || size === 0) await syncFolders(folder, made);
  } finally {
    await handle.close();
  }
}

async function endOfLastLine(handle: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(chunkBytes);
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - chunkBytes);
    const { bytesRead } = await handle.read(chunk, 0, end - begin, begin);
    const last = chunk.subarray(0, bytesRead).lastIndexOf(lineFeed);
    if (last >= 0) return begin + last + 1;
    end = begin;
  }
  return 0;
}

/**
 * After a crash of the machine a file is found only if the folders that name it, or each other, are
 * on disk.
 */
async function syncFolders(folder: string, made: string | undefined): Promise<void> {
  const above = path.dirname(folder);
  await syncFolder(folder);
  await syncFolder(above);
  if (made !== undefined && above.startsWith(made)) await syncFolders(above, made);
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders and keeps their entries safe by itself.
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
