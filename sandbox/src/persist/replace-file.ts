import { rename, writeFile } from 'node:fs/promises';

/** Writes to disk before it replaces the old file: a crash at any time leaves one of them intact. */
export async function replaceFile(file: string, parts: Iterable<Buffer>): Promise<void> {
  await writeFile(`${file}.tmp`, parts, { mode: 0o600, flush: true });
  await rename(`${file}.tmp`, file);
}
