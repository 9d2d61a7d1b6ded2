/*
 * Messages of a business account are numbered by that account, so the same chat and number may also
 * be a different message in the bot's own chats. The archive gives them IDs computed from
 * connection and number alone. These are far below zero and below those of button presses, and keep
 * the order of the numbers.
 */
const connections = 2 ** 20;
const numbers = 2 ** 31;
const lowest = -(2 ** 52 - 1);

/** All messages of business accounts, and no others, have this ID or a lower one. */
export const highestBusinessId = lowest + connections * numbers - 1;

/** The ID under which the archive stores a message; the connection is '' in the bot's own chats. */
export function archivedId(connection: string, messageId: number): number {
  if (connection === '') return messageId;
  return lowest + (hash(connection) % connections) * numbers + (messageId % numbers);
}

/** The account's own ID of a message; undefined for a message that is not of this connection. */
export function accountMessageId(connection: string, archived: number): number | undefined {
  if (connection === '' || archived > highestBusinessId) return undefined;
  const messageId = (archived - lowest) % numbers;
  return archivedId(connection, messageId) === archived ? messageId : undefined;
}

/** FNV-1a: gives the same hash on every node and in every version. */
function hash(value: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < value.length; index++) {
    state = Math.imul(state ^ value.charCodeAt(index), 0x01000193);
  }
  return state >>> 0;
}
