import { createHash } from 'node:crypto';

/*
 * A file_id names a file for one bot: another bot that presents it is refused, as on Telegram.
 * Inside the world files are called by their key.
 */
export const publicFileId = (botId: number, key: string): string =>
  `BQACAgIAAxk${Buffer.from(`${botId}/${key}`).toString('base64url')}`;

export function keyOfFileId(botId: number, fileId: string): string | undefined {
  if (!fileId.startsWith('BQACAgIAAxk')) return undefined;
  const [owner, key] = Buffer.from(fileId.slice(11), 'base64url').toString().split('/');
  return owner === String(botId) ? key : undefined;
}

/** The same file has the same unique id for every bot; it cannot be used to fetch it. */
export const uniqueFileId = (key: string): string =>
  `AgAD${createHash('sha1').update(key).digest('base64url').slice(0, 12)}`;
