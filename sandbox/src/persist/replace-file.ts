import { rename, writeFile } from 'node:fs/promises';

/** On the disk before it takes the place of the former: a crash at any time leaves one of them whole. */
export async function replaceFile(file: string, parts: Iterable<Buffer>): Promise<void> {
  await writeFile(`${file}.tmp`, parts, { mode: 0o600, flush: true });
  await rename(`${file}.tmp`, file);
}
