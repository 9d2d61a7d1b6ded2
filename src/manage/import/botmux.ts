/*
 * Translates what botmux stores for this service. Its meaning differs as follows:
 * - a bot is polled only while it is managed or forwards; with getUpdates on, it does not forward;
 * - the action "forward" sends the text as a new message, "copy" forwards the message with its
 *   author;
 * - the condition "text" is a regular expression that ignores case;
 * - a sender is "@username", or the name of somebody without one; dates are milliseconds;
 * - a press of a button is a message with an id from two billion on.
 */
import { defaultColor, isColor } from '../../core/color.ts';
import { platformIdOf } from '../../core/bots/bot-token.ts';
import { limits, maxId } from '../../core/limits.ts';
import { nameText, toLine } from '../../core/people/plain-text.ts';
import { type Reason, reason } from '../../core/reasons/reason.ts';
import type {
  HistoryChat,
  HistoryMember,
  HistoryMessage,
  HistoryPair,
  HistoryPerson,
  HistoryTag,
} from '../../store/import/history.ts';
import type { ImportedBot, ImportedModel, ImportedRoute, ImportedUser } from './import.ts';

export type BotmuxRow = Record<string, unknown>;
/** The ID of the bot here, by its ID at botmux; 0 in a check for a bot that would be added. */
export type BotIds = ReadonlyMap<number, number>;

export function toBot(row: BotmuxRow, asksModel: boolean): ImportedBot {
  const longPoll = isSet(row['long_poll_enabled']);
  return {
    token: textOf(row['token']).trim(),
    name: cutText(row['name']) || cutText(row['bot_username']),
    description: cutText(row['description']),
    backend_url: textOf(row['backend_url']),
    secret_token: textOf(row['secret_token']),
    proxy_enabled: isSet(row['proxy_enabled']) && !longPoll,
    manage_enabled: isSet(row['manage_enabled']),
    long_poll_enabled: longPoll,
    llm_routing_enabled: asksModel,
    next_update_id: Math.max(0, numberOf(row['offset_id'])),
    disabled:
      isSet(row['disabled']) || !(isSet(row['manage_enabled']) || isSet(row['proxy_enabled'])),
  };
}

export function toModel(row: BotmuxRow | undefined): ImportedModel | undefined {
  const url = textOf(row?.['api_url']).trim();
  if (!row || url === '') return undefined;
  return {
    api_url: url,
    api_key: textOf(row['api_key']),
    model: textOf(row['model']),
    system_prompt: cutText(row['system_prompt'], messageLength).trim(),
    enabled: isSet(row['enabled']),
  };
}

export function toUser(row: BotmuxRow, bots: number[]): ImportedUser {
  const role = row['role'] === 'admin' ? 'admin' : 'user';
  return { username: textOf(row['username']), role, bot_ids: bots };
}

const actions = { forward: 'copy', copy: 'forward', drop: 'drop' } as const;

/** How a route sent matched messages. */
export function styleOf(row: BotmuxRow | undefined): HistoryPair['style'] {
  return row?.['action'] === 'copy' ? 'forward' : 'copy';
}

export function toRoute(row: BotmuxRow, bots: BotIds): ImportedRoute | Reason {
  const source = bots.get(numberOf(row['source_bot_id']));
  const target = bots.get(numberOf(row['target_bot_id']));
  if (source === undefined || target === undefined) return reason('bots_not_imported');
  const type = textOf(row['condition_type']);
  const value = textOf(row['condition_value']);
  const action = textOf(row['action']);
  if (!Object.hasOwn(actions, action)) return reason('action_unsupported', { action });
  if (type !== 'text' && type !== 'user_id' && type !== 'chat_id') {
    return reason('condition_unsupported', { type });
  }
  if (value === '') return reason('condition_never_true');
  // 0 would mean all chats, or the same one.
  const chats = [row['source_chat_id'], row['target_chat_id']];
  if (chats.some((chat) => Math.abs(Number(chat)) > maxId)) return reason('chat_out_of_range');
  return {
    source_bot_id: source,
    target_bot_id: target,
    source_chat_id: numberOf(row['source_chat_id']),
    condition_type: type === 'text' ? 'regex' : type,
    condition_value: type === 'text' ? `(?i)${value}` : value.trim(),
    action: actions[action as keyof typeof actions],
    target_chat_id: numberOf(row['target_chat_id']),
    enabled: isSet(row['enabled']),
    description: textOf(row['description']).slice(0, limits.descriptionLength),
  };
}

export function toChat(row: BotmuxRow, botId: number): HistoryChat | undefined {
  const chatId = numberOf(row['id']);
  if (chatId === 0) return undefined;
  return {
    bot_id: botId,
    chat_id: chatId,
    type: cutText(row['type']),
    title: cutText(row['title']),
    username: cutText(row['username']),
    member_status: isSet(row['is_admin']) ? 'administrator' : '',
    member_count: Math.max(0, numberOf(row['member_count'])) || -1,
    description: cutText(row['description']),
    last_message_at: milliseconds(row['last_date']),
  };
}

export function toPerson(
  row: BotmuxRow,
  known: { names: ReadonlyMap<number, string>; bots: ReadonlySet<number> },
): HistoryPerson | undefined {
  const userId = numberOf(row['user_id']);
  if (userId <= 0) return undefined;
  const { username, first_name } = nameOf(row['username']);
  return {
    user_id: userId,
    username,
    first_name: cutText(known.names.get(userId) ?? first_name),
    is_bot: known.bots.has(userId),
  };
}

export function toMember(row: BotmuxRow, botId: number): HistoryMember | undefined {
  const [chatId, userId] = [numberOf(row['chat_id']), numberOf(row['user_id'])];
  if (chatId === 0 || userId <= 0) return undefined;
  return { bot_id: botId, chat_id: chatId, user_id: userId };
}

const firstPressId = 2_000_000_000;

export function toMessage(
  row: BotmuxRow,
  botId: number,
  token: string,
): HistoryMessage | undefined {
  const [chatId, id] = [numberOf(row['chat_id']), numberOf(row['id'])];
  if (chatId === 0 || id === 0) return undefined;
  const userId = Math.max(0, numberOf(row['from_id']));
  const mediaType = cutText(row['media_type'], limits.mediaTypeLength) || null;
  const fileId = textOf(row['file_id']);
  const isPress = mediaType === 'callback' && id >= firstPressId;
  return {
    bot_id: botId,
    chat_id: chatId,
    id: isPress ? -id : id,
    user_id: userId,
    ...nameOf(row['from_user']),
    text: cutText(row['text'], messageLength),
    date: Math.floor(milliseconds(row['date']) / 1_000),
    media_type: mediaType,
    // A cut-off file ID names no file.
    file_id: fileId.length > limits.fileIdLength ? null : fileId || null,
    reply_to_message_id: Math.max(0, numberOf(row['reply_to_id'])) || null,
    origin: userId !== 0 && userId === platformIdOf(token) ? 'sent' : 'received',
    deleted: isSet(row['deleted']),
  };
}

export function toTag(row: BotmuxRow): HistoryTag | undefined {
  const [chatId, userId] = [numberOf(row['chat_id']), numberOf(row['user_id'])];
  const tag = toLine(textOf(row['tag'])).slice(0, limits.tagLength);
  if (chatId === 0 || userId <= 0 || tag === '') return undefined;
  const color = textOf(row['color']);
  return {
    chat_id: chatId,
    user_id: userId,
    username: textOf(row['username']).replace(/^@/, '').slice(0, limits.usernameLength),
    tag,
    color: isColor(color) ? color : defaultColor,
  };
}

export function toPair(
  row: BotmuxRow,
  bots: BotIds,
  route: { id: number; style: HistoryPair['style'] },
): HistoryPair | undefined {
  const source = bots.get(numberOf(row['source_bot_id']));
  const target = bots.get(numberOf(row['target_bot_id']));
  const [chatId, peerChatId] = [numberOf(row['source_chat_id']), numberOf(row['target_chat_id'])];
  const [id, peerId] = [numberOf(row['source_msg_id']), numberOf(row['target_msg_id'])];
  if (source === undefined || target === undefined || chatId === 0 || peerChatId === 0) {
    return undefined;
  }
  if (id <= 0 || peerId <= 0) return undefined;
  return {
    bot_id: source,
    chat_id: chatId,
    message_id: id,
    peer_bot_id: target,
    peer_chat_id: peerChatId,
    peer_message_id: peerId,
    route_id: route.id,
    style: route.style,
    created_at: Math.max(0, Date.parse(textOf(row['created_at'])) || 0),
  };
}

function nameOf(sender: unknown): { username: string; first_name: string } {
  const text = cutText(sender);
  return text.startsWith('@')
    ? { username: text.slice(1), first_name: '' }
    : { username: '', first_name: text };
}

/** The first versions stored seconds. */
function milliseconds(date: unknown): number {
  const value = Math.max(0, numberOf(date));
  return value < 2_000_000_000 ? value * 1_000 : value;
}

const { importedTextLength: textLength, importedMessageLength: messageLength } = limits;
export const textOf = (value: unknown) => nameText(value);
/** Cuts texts that may lose their end, without half a character there. */
const cutText = (value: unknown, most: number = textLength) =>
  textOf(value).slice(0, most).toWellFormed();
/** Returns 0 for anything that is no number, or none that this service can store. */
export function numberOf(value: unknown): number {
  const number = Number(value);
  return Number.isInteger(number) && Math.abs(number) <= maxId ? number : 0;
}
const isSet = (value: unknown) => numberOf(value) !== 0;
