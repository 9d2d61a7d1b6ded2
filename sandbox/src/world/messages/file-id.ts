import { createHash, createHmac } from 'node:crypto';

/** The bot that file IDs are made for. */
export interface FileOwner {
  id: number;
  token: string;
}

const prefix = 'BQACAgIAAxk';

/** Signs a key. Keys are sequential numbers, so without a signature any bot could guess the ID of a file. */
const sign = ({ token }: FileOwner, key: string): string =>
  createHmac('sha256', token).update(key).digest('base64url').slice(0, 12);

/*
 * A file_id names a file for one bot: another bot that presents it is refused, as on Telegram.
 * Inside the world, files are identified by their key.
 */
export const publicFileId = (bot: FileOwner, key: string): string =>
  `${prefix}${Buffer.from(`${bot.id}/${key}/${sign(bot, key)}`).toString('base64url')}`;

export function keyOfFileId(bot: FileOwner, fileId: string): string | undefined {
  if (!fileId.startsWith(prefix)) return undefined;
  const [, key = ''] = Buffer.from(fileId.slice(prefix.length), 'base64url').toString().split('/');
  return fileId === publicFileId(bot, key) ? key : undefined;
}

/** The same file has the same unique id for every bot; it cannot be used to fetch it. */
export const uniqueFileId = (key: string): string =>
  `AgAD${createHash('sha1').update(key).digest('base64url').slice(0, 12)}`;
