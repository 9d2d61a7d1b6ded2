import type { ChatMember } from '@grammyjs/types';
import { personOf } from '../world/people.ts';
import type { DialogRecord } from '../world/records.ts';
import { chatObject, dialogOf, roomQueue } from '../world/chats/rooms.ts';
import type { World } from '../world/world.ts';
import { botRef, type Ref, userRef } from './refs.ts';

/** A user blocks or unblocks a bot: the bot gets an update about its membership. */
export function setBlocked(world: World, room: DialogRecord, blocked: boolean): void {
  if (room.blocked === blocked) return;
  room.blocked = blocked;
  const bot = world.state.bots.get(room.botId);
  if (!bot) return;
  const user = personOf(world.state, bot.id);
  const stopped: ChatMember = { status: 'kicked', user, until_date: 0 };
  const running: ChatMember = { status: 'member', user };
  world.publish(
    bot,
    'my_chat_member',
    () => ({
      chat: chatObject(world.state, room),
      from: personOf(world.state, room.userId),
      date: world.now(),
      old_chat_member: blocked ? running : stopped,
      new_chat_member: blocked ? stopped : running,
    }),
    roomQueue(room),
  );
  world.changed({
    type: 'member_changed',
    roomKey: room.key,
    userId: bot.id,
    status: blocked ? 'kicked' : 'member',
  });
}

export function blockBot(world: World, user: Ref, bot: Ref, blocked = true): void {
  const dialog = dialogOf(world.state, userRef(world, user).id, botRef(world, bot).id);
  setBlocked(world, dialog, blocked);
}
