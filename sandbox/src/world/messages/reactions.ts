import type { MessageReactionUpdated, ReactionCount, ReactionType } from '@grammyjs/types';
import { personOf } from '../people.ts';
import type { MessageRecord, Room } from '../records.ts';
import { isAdmin } from '../chats/rights.ts';
import { chatObject, roomQueue } from '../chats/rooms.ts';
import { botsIn } from './visibility.ts';
import type { World } from '../world.ts';

const emoji = new Set(
  '👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡'.split(
    ' ',
  ),
);

export const isReaction = (reaction: ReactionType): boolean =>
  reaction.type === 'emoji'
    ? emoji.has(reaction.emoji.replace('\uFE0F', ''))
    : reaction.type === 'custom_emoji';

function counts(record: MessageRecord): ReactionCount[] {
  const totals = new Map<string, ReactionCount>();
  for (const list of Object.values(record.reactions ?? {})) {
    for (const type of list) {
      const key = JSON.stringify(type);
      const known = totals.get(key);
      if (known) known.total_count += 1;
      else totals.set(key, { type, total_count: 1 });
    }
  }
  return [...totals.values()];
}

/** Sets a person's reactions. Bots get updates about them where they are administrators. */
export function setReaction(
  world: World,
  room: Room,
  record: MessageRecord,
  byId: number,
  reactions: ReactionType[],
): void {
  record.reactions ??= {};
  const before = record.reactions[byId] ?? [];
  if (reactions.length > 0) record.reactions[byId] = reactions;
  else delete record.reactions[byId];
  world.changed({ type: 'reaction_changed', roomKey: room.key, messageId: record.id });
  if (!world.state.users.has(byId)) return;

  const bots =
    room.type === 'private'
      ? [world.state.bots.get(room.botId)].filter((bot) => bot !== undefined)
      : botsIn(world.state, room).filter((bot) => isAdmin(room.members.get(bot.id)));
  const chat = chatObject(world.state, room);
  for (const bot of bots) {
    if (room.type === 'channel') {
      world.publish(
        bot,
        'message_reaction_count',
        () => ({ chat, message_id: record.id, date: world.now(), reactions: counts(record) }),
        roomQueue(room),
      );
      continue;
    }
    const update: MessageReactionUpdated = {
      chat,
      message_id: record.id,
      user: personOf(world.state, byId),
      date: world.now(),
      old_reaction: before,
      new_reaction: reactions,
    };
    world.publish(bot, 'message_reaction', () => update, roomQueue(room));
  }
}
