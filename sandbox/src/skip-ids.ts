import { randomInt } from 'node:crypto';
import type { World } from './world/world.ts';

/** More than anyone says between two writes of the world. */
const stride = 10_000;
/** These are read by people, in the names of those who have none; and few are made at once. */
const shortStride = 100;

/**
 * Changes after the last write are lost, but others have seen them. All ids continue
 * well above their last possible value, so that no new id equals an old one.
 */
export function skipIds(world: World): void {
  const { bots, users, rooms, counters } = world.state;
  for (const bot of bots.values()) {
    bot.nextUpdateId += stride;
    bot.lastMessageId += stride;
  }
  for (const user of users.values()) {
    if (user.lastMessageId !== undefined) user.lastMessageId += stride;
  }
  for (const room of rooms.values()) {
    if (room.type === 'private') continue;
    room.lastMessageId += stride;
    if (room.lastEphemeralId !== undefined) room.lastEphemeralId += stride;
  }
  for (const name of ['group', 'channel', 'file', 'misc'] as const) counters[name] += stride;
  for (const name of ['user', 'bot'] as const) counters[name] += shortStride;
  // The same luck would deal out the same ids once more.
  world.random.restore(randomInt(2 ** 32));
}
