/*
 * Messages of a business account are numbered by that account, so their numbers say nothing in the
 * bot's own chats: the same chat and number may be another message. The archive knows them by numbers
 * of their own, made of connection and number alone, far below zero and below those of button
 * presses, and rising as theirs do.
 */
const connections = 2 ** 20;
const numbers = 2 ** 31;
const lowest = -(2 ** 52 - 1);

/** All messages of business accounts, and no others, are kept under this number or a lower one. */
export const highestBusinessId = lowest + connections * numbers - 1;

/** Under which number the archive keeps a message; the connection is '' in the bot's own chats. */
export function archivedId(connection: string, messageId: number): number {
  if (connection === '') return messageId;
  return lowest + (hash(connection) % connections) * numbers + (messageId % numbers);
}

/** What the account itself calls a message; undefined for one that is not of this connection. */
export function accountMessageId(connection: string, archived: number): number | undefined {
  if (connection === '' || archived > highestBusinessId) return undefined;
  const messageId = (archived - lowest) % numbers;
  return archivedId(connection, messageId) === archived ? messageId : undefined;
}

/** FNV-1a: the same on every node and in every version. */
function hash(value: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < value.length; index++) {
    state = Math.imul(state ^ value.charCodeAt(index), 0x01000193);
  }
  return state >>> 0;
}
