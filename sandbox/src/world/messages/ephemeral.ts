import { keep } from '../bounded.ts';
import type { Draft } from './messages.ts';
import type { ChatRecord, EphemeralMark, MessageRecord } from '../records.ts';
import { renderMessage } from './render.ts';
import type { World } from '../world.ts';

/*
 * Messages in a group that only one person and one bot see. They are no part of the chat: they have
 * separate IDs, nobody else gets updates about them, and they expire soon.
 */

const maxEphemeral = 1000;

export function notifyEphemeral(world: World, chat: ChatRecord, { userId }: EphemeralMark): void {
  world.changed({ type: 'ephemeral_changed', roomKey: chat.key, userId });
}

export function addEphemeral(
  world: World,
  chat: ChatRecord,
  draft: Draft & { ephemeral: EphemeralMark },
): MessageRecord {
  const id = (chat.lastEphemeralId ?? world.random.integer(1_000_000, 9_999_999)) + 1;
  chat.lastEphemeralId = id;
  const ephemeral: EphemeralMark = { ...draft.ephemeral, id };
  const record: MessageRecord = { ...draft, id: 0, date: world.now(), ephemeral };
  chat.ephemeral ??= new Map();
  keep(chat.ephemeral, id, record, maxEphemeral);
  const bot = world.state.bots.get(ephemeral.botId);
  if (bot && record.fromId === ephemeral.userId) {
    const payload = () => renderMessage(world.state, chat, record, { botId: bot.id }) as never;
    world.publish(bot, 'message', payload, `chat:${chat.id}`);
  }
  notifyEphemeral(world, chat, ephemeral);
  return record;
}
