import type { InlineKeyboardMarkup, InlineQuery, Message, MessageEntity } from '@grammyjs/types';
import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { formatText } from '../text/format.ts';
import { keep } from '../world/bounded.ts';
import { humanUser } from '../world/people.ts';
import type { InlineQueryRecord } from '../world/records.ts';
import { nextLongId, type World } from '../world/world.ts';
import { action } from './action.ts';
import { AnyText, Bot, inChat, Name } from './fields.ts';
import { botRef, type Ref, roomRef, userRef } from './refs.ts';
import { userPosts } from './talk.ts';

/** A user types `@bot query` in a chat. */
export function inlineQuery(
  world: World,
  who: Ref,
  botGiven: Ref,
  chat: Ref,
  query: string,
): string {
  const user = userRef(world, who);
  const bot = botRef(world, botGiven);
  if (!bot.inlineMode) throw new ControlError('no_inline_mode', { bot: bot.username });
  const room = roomRef(world, user, chat);
  const id = nextLongId(world);
  keep(world.state.inlineQueries, id, {
    id,
    botId: bot.id,
    userId: user.id,
    roomKey: room.key,
    createdAt: world.now(),
  });
  const payload: InlineQuery = {
    id,
    from: humanUser(user),
    query,
    offset: '',
    chat_type: room.type === 'private' ? 'sender' : room.type,
  };
  world.publish(bot, 'inline_query', () => payload, `user:${user.id}`);
  return id;
}

export const inlineResults = (world: World, queryId: string): unknown[] | undefined =>
  world.state.inlineQueries.get(queryId)?.results;

interface TextResult {
  id: string;
  title?: string;
  input_message_content?: {
    message_text?: string;
    parse_mode?: string;
    entities?: MessageEntity[];
  };
  reply_markup?: InlineKeyboardMarkup;
}

/**
 * The user chooses a result: it appears as their message, sent via the bot. Only text results are
 * supported.
 */
export function chooseInlineResult(
  world: World,
  queryId: string,
  resultId: string,
  query = '',
): Message {
  const record: InlineQueryRecord | undefined = world.state.inlineQueries.get(queryId);
  const result = (record?.results as TextResult[] | undefined)?.find((one) => one.id === resultId);
  const room = record && world.state.rooms.get(record.roomKey);
  if (!record || !result || !room) throw new ControlError('no_inline_result');
  const input = result.input_message_content;
  if (input?.message_text === undefined) {
    throw new ControlError('inline_text_only');
  }
  const { text, entities } = formatText(
    world.state,
    input.message_text,
    input.parse_mode ?? '',
    input.entities ?? [],
  );
  const keyboard = result.reply_markup;
  const inlineMessageId = keyboard ? `inline${nextLongId(world)}` : undefined;
  const message = userPosts(
    world,
    record.userId,
    room.type === 'private' ? room.botId : room.id,
    'can_send_other_messages',
    { text, ...(entities.length > 0 && { entities }) },
    {
      viaBotId: record.botId,
      ...(keyboard && { inlineKeyboard: keyboard }),
      ...(inlineMessageId !== undefined && { inlineMessageId }),
    },
  );
  if (inlineMessageId !== undefined) {
    const target = { roomKey: room.key, messageId: message.message_id, botId: record.botId };
    keep(world.state.inlineMessages, inlineMessageId, target);
  }
  const bot = world.state.bots.get(record.botId);
  if (bot?.inlineFeedback) {
    world.publish(
      bot,
      'chosen_inline_result',
      () => ({
        result_id: resultId,
        from: humanUser(userRef(world, record.userId)),
        query,
        ...(inlineMessageId !== undefined && { inline_message_id: inlineMessageId }),
      }),
      `user:${record.userId}`,
    );
  }
  return message;
}

const QueryId = Name('ID from the inline query.');

export const inlineActions = {
  'inline-query': action({
    summary: 'Send an inline query',
    fields: {
      ...inChat,
      bot: Bot('The inline bot.'),
      query: Type.Optional(AnyText('What is typed.', 256)),
    },
    response: Type.Object({ id: Type.String({ description: 'For inline-results.' }) }),
    run: ({ world }, { user, chat, bot, query = '' }) => ({
      id: inlineQuery(world, user, bot, chat, query),
    }),
  }),
  'inline-results': action({
    reads: true,
    summary: 'Get inline results',
    fields: { id: QueryId },
    run: ({ world }, { id }) => inlineResults(world, id) ?? { pending: true },
  }),
  'inline-choose': action({
    summary: 'Choose an inline result',
    fields: { id: QueryId, result_id: Name('Which one.') },
    run: ({ world }, { id, result_id }) => chooseInlineResult(world, id, result_id),
  }),
};
