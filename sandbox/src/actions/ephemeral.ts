import type { Message } from '@grammyjs/types';
import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import type { BotRecord } from '../world/bot-records.ts';
import { groupCommands } from '../world/commands.ts';
import { addEphemeral } from '../world/messages/ephemeral.ts';
import type { ChatRecord, MessageRecord, UserRecord } from '../world/records.ts';
import { renderMessage } from '../world/messages/render.ts';
import { botsIn } from '../world/messages/visibility.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { inChat, MessageId, Name, Text } from './fields.ts';
import { pressButton } from './press.ts';
import { type Ref, roomRef, userRef } from './refs.ts';
import { shown, type ShownMessage } from './show.ts';
import { textContent } from './talk.ts';

/*
 * Ephemeral messages: a person and a bot write to each other in a group, and nobody else sees it.
 */

function groupRef(world: World, user: UserRecord, chat: Ref): ChatRecord {
  const room = roomRef(world, user, chat);
  if (room.type === 'group' || room.type === 'supergroup') return room;
  throw new ControlError('groups_only');
}

function ephemeralRef(chat: ChatRecord, user: UserRecord, id: number): MessageRecord {
  const record = chat.ephemeral?.get(id);
  if (record?.ephemeral?.userId === user.id) return record;
  throw new ControlError('no_ephemeral_message', { message_id: id, user: user.first_name });
}

function addressee(world: World, chat: ChatRecord, user: UserRecord, text: string): BotRecord {
  const [, command = '', name] = /^\/(\w{1,32})(?:@(\w+))?(?=\s|$)/u.exec(text) ?? [];
  const bot = botsIn(world.state, chat).find(
    (one) =>
      (name === undefined || name.toLowerCase() === one.username.toLowerCase()) &&
      groupCommands(one, chat, user).some(
        (offered) => offered.command === command.toLowerCase() && offered.is_ephemeral === true,
      ),
  );
  if (bot) return bot;
  throw new ControlError('no_ephemeral_command');
}

/** A person sends a bot an ephemeral command, or replies to its ephemeral message. */
export function sayUnseen(
  world: World,
  who: Ref,
  chatGiven: Ref,
  text: string,
  replyTo?: number,
): Message {
  const user = userRef(world, who);
  const chat = groupRef(world, user, chatGiven);
  const answered = replyTo === undefined ? undefined : ephemeralRef(chat, user, replyTo);
  if (answered?.fromId === user.id) {
    throw new ControlError('not_said_by_bot');
  }
  const botId = answered?.ephemeral?.botId ?? addressee(world, chat, user, text).id;
  const record = addEphemeral(world, chat, {
    fromId: user.id,
    content: textContent(world, text),
    ephemeral: { id: 0, botId, userId: user.id },
  });
  return renderMessage(world.state, chat, record, 'user');
}

/** Returns the messages that only this person sees in a group, oldest first. */
export function unseenByOthers(world: World, who: Ref, chatGiven: Ref): ShownMessage[] {
  const user = userRef(world, who);
  const chat = groupRef(world, user, chatGiven);
  return [...(chat.ephemeral?.values() ?? [])]
    .filter(({ ephemeral }) => ephemeral?.userId === user.id)
    .map((record) => shown(world, chat, record, user.id));
}

const EphemeralId = MessageId('Its ephemeral_message_id.');

export const ephemeralActions = {
  ephemeral: action({
    reads: true,
    summary: 'List ephemeral messages of a person',
    fields: inChat,
    run: ({ world }, { user, chat }) => unseenByOthers(world, user, chat),
  }),
  'ephemeral/say': action({
    summary: 'Send an ephemeral message',
    description:
      'A command that the bot declared with `is_ephemeral` in `setMyCommands`, or a reply to an ephemeral message of the bot.',
    fields: { ...inChat, text: Text, reply_to: Type.Optional(EphemeralId) },
    run: ({ world }, { user, chat, text, reply_to }) =>
      sayUnseen(world, user, chat, text, reply_to),
  }),
  'ephemeral/press': action({
    summary: 'Press a button of an ephemeral message',
    fields: {
      ...inChat,
      ephemeral_message_id: EphemeralId,
      button: Name('Its text or its data.', 256, 'Yes'),
    },
    run: ({ world }, { ephemeral_message_id, button, ...given }) => {
      const user = userRef(world, given.user);
      const chat = groupRef(world, user, given.chat);
      const record = ephemeralRef(chat, user, ephemeral_message_id);
      return pressButton(world, user, chat, record, button);
    },
  }),
};
