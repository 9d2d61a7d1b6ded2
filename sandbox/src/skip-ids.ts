import { randomInt } from 'node:crypto';
import type { World } from './world/world.ts';

/** More IDs than are used between two writes of the world. */
const stride = 10_000;
/**
 * A smaller stride, because people read these IDs in the names of users without one, and few are
 * created at once.
 */
const shortStride = 100;

/**
 * Changes after the last write are lost, but others have seen them. So all IDs continue well above
 * their last possible value, and no new ID equals an old one.
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
  // The same random state would generate the same IDs again.
  world.random.restore(randomInt(2 ** 32));
}
