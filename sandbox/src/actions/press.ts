import type { CallbackQuery, Chat, InlineKeyboardButton } from '@grammyjs/types';
import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { keep } from '../world/bounded.ts';
import { chatObject, dialogOf } from '../world/chats/rooms.ts';
import { humanUser } from '../world/people.ts';
import type { CallbackRecord, MessageRecord, Room, UserRecord } from '../world/records.ts';
import { renderMessage } from '../world/messages/render.ts';
import { nextLongId, type World } from '../world/world.ts';
import { action } from './action.ts';
import { atMessage, Bot, MessageId, Name, user as person } from './fields.ts';
import { botRef, messageRef, type Ref, roomRef, topicRef, userRef } from './refs.ts';

/** A button by its text or data, or by its index. */
export type ButtonRef = string | { row: number; column: number };

export type Press =
  | { type: 'callback'; id: string }
  | { type: 'url'; url: string }
  | { type: 'other'; button: InlineKeyboardButton };

/** Finds buttons within the text of a rich message. */
function buttonsIn(value: unknown): InlineKeyboardButton[] {
  if (value === null || typeof value !== 'object') return [];
  const isButton =
    'text' in value && ('callback_data' in value || 'url' in value || 'disabled' in value);
  const own = isButton && !('type' in value) ? [value as InlineKeyboardButton] : [];
  return [...own, ...Object.values(value).flatMap(buttonsIn)];
}

function findButton(record: MessageRecord, ref: ButtonRef): InlineKeyboardButton {
  const rows = record.inlineKeyboard?.inline_keyboard ?? [];
  const button =
    typeof ref === 'string'
      ? [...rows.flat(), ...buttonsIn(record.content.rich_message)].find(
          (one) => one.text === ref || ('callback_data' in one && one.callback_data === ref),
        )
      : rows[ref.row]?.[ref.column];
  if (!button) throw new ControlError('no_button');
  return button;
}

/** A user presses a button; the bot that sent it receives the query. */
export function press(world: World, who: Ref, chat: Ref, messageId: number, ref: ButtonRef): Press {
  const user = userRef(world, who);
  const room = roomRef(world, user, chat);
  return pressButton(world, user, room, messageRef(room, messageId), ref);
}

export function pressButton(
  world: World,
  user: UserRecord,
  room: Room,
  record: MessageRecord,
  ref: ButtonRef,
): Press {
  const button = findButton(record, ref);
  if ('disabled' in button) throw new ControlError('button_disabled');
  if ('url' in button) return { type: 'url', url: button.url };
  const isGame = 'callback_game' in button && record.gameShortName !== undefined;
  if (!('callback_data' in button) && !isGame) return { type: 'other', button };
  const bot = world.state.bots.get(record.viaBotId ?? record.authorId ?? record.fromId ?? 0);
  if (!bot) throw new ControlError('button_bot_gone');
  const id = nextLongId(world);
  keep(world.state.callbacks, id, {
    id,
    botId: bot.id,
    userId: user.id,
    createdAt: world.now(),
    roomKey: room.key,
    messageId: record.id,
  });
  const query = (): CallbackQuery => ({
    id,
    from: humanUser(user),
    ...(record.inlineMessageId === undefined
      ? { message: renderMessage(world.state, room, record, { botId: bot.id }) }
      : { inline_message_id: record.inlineMessageId }),
    chat_instance: chatInstance(room.key),
    ...('callback_data' in button
      ? { data: button.callback_data }
      : { game_short_name: record.gameShortName ?? '' }),
  });
  world.publish(bot, 'callback_query', query, `user:${user.id}`);
  return { type: 'callback', id };
}

/** Returns the bot's answer to a press; undefined until it has answered. */
export const callbackAnswer = (world: World, id: string): CallbackRecord['answered'] =>
  world.state.callbacks.get(id)?.answered;

/** Computes an ID that is stable per chat and reveals nothing about it. */
function chatInstance(key: string): string {
  let value = 7n;
  for (const char of key)
    value = (value * 1099511628211n + BigInt(char.charCodeAt(0))) & 0x7fffffffffffffffn;
  return String(value);
}

/** A person stops a message that the bot is still writing. */
export function stopDraft(world: World, who: Ref, botGiven: Ref, topicId?: number): void {
  const bot = botRef(world, botGiven);
  const room = dialogOf(world.state, userRef(world, who).id, bot.id);
  const place = topicId === undefined ? room : topicRef(world, room, topicId);
  const { draft } = place;
  if (!draft) throw new ControlError('no_draft');
  if (!draft.canStop) throw new ControlError('draft_not_stoppable');
  if (draft.keepOnStop) draft.canStop = false;
  else delete place.draft;
  const stopped = {
    chat: chatObject(world.state, room) as Chat.PrivateChat,
    draft_id: draft.id,
    ...(topicId !== undefined && { message_thread_id: topicId }),
  };
  // The update has a queue of its own, so that it does not wait for the message whose generation it
  // should stop.
  world.publish(bot, 'stopped_message_generation', () => stopped, `stop:${room.key}`);
  world.changed({ type: 'chat_changed', roomKey: room.key });
}

export const pressActions = {
  press: action({
    summary: 'Press a button',
    fields: { ...atMessage, button: Name('Its text or its data.', 256, 'Yes') },
    run: ({ world }, { user, chat, message_id, button }) =>
      press(world, user, chat, message_id, button),
  }),
  'callback-answer': action({
    reads: true,
    summary: 'Get the answer to a button press',
    fields: { id: Name('ID from the button press.') },
    run: ({ world }, { id }) => {
      const answer = callbackAnswer(world, id);
      return answer ? { ...answer, show_alert: answer.showAlert } : { pending: true };
    },
  }),
  'stop-draft': action({
    summary: 'Stop a draft of a bot',
    fields: { user: person, bot: Bot(), message_thread_id: Type.Optional(MessageId('Its topic.')) },
    run: ({ world }, { user, bot, message_thread_id }) =>
      stopDraft(world, user, bot, message_thread_id),
  }),
};
