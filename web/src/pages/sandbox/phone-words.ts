import {
  personName,
  type SandboxChat,
  type SandboxMessage,
  type SandboxWorld,
} from '../../api/sandbox.ts';
import type { Messages } from '../../i18n/messages.ts';

const mediaFields = [
  'photo',
  'video',
  'animation',
  'sticker',
  'voice',
  'audio',
  'document',
  'video_note',
  'location',
  'contact',
  'poll',
  'invoice',
];

export function chatTitle(chat: SandboxChat): string {
  return chat.title ?? chat.first_name ?? chat.username ?? String(chat.id);
}

/** Finds what a phone shows of a chat: a bot, or a group with its members. */
export function chatIn(world: SandboxWorld, chatId: number) {
  const group = world.chats.find((chat) => chat.id === chatId);
  const bot = world.bots.find((one) => one.id === chatId);
  return { group, bot, title: group ? chatTitle(group) : (bot?.first_name ?? String(chatId)) };
}

export function mediaOf(message: SandboxMessage): string | undefined {
  return mediaFields.find((kind) => kind in message);
}

/** Describes messages without content of a person, such as joining and leaving. */
export function serviceWords(message: SandboxMessage, t: Messages): string | undefined {
  if (message.new_chat_members) {
    return t.sandbox.joined(message.new_chat_members.map(personName).join(', '));
  }
  if (message.left_chat_member) return t.sandbox.left(personName(message.left_chat_member));
  if (message.successful_payment) return t.sandbox.paid;
  if (message.refunded_payment) return t.sandbox.paidBack;
  if (message.forum_topic_created) return t.sandbox.topicCreated(message.forum_topic_created.name);
  if (message.forum_topic_edited?.name)
    return t.sandbox.topicRenamed(message.forum_topic_edited.name);
  if (message.forum_topic_closed) return t.sandbox.topicClosed;
  if (message.forum_topic_reopened) return t.sandbox.topicReopened;
  if (message.text === undefined && message.caption === undefined && !mediaOf(message)) {
    return t.sandbox.service;
  }
  return undefined;
}

export function previewOf(message: SandboxMessage, t: Messages): string {
  const words = message.text ?? message.caption ?? '';
  const media = mediaOf(message);
  if (message.invoice) return message.invoice.title;
  if (media === 'photo') return `${t.sandbox.photoWord} ${words}`.trim();
  if (media) return `${t.sandbox.media} ${words}`.trim();
  return words || (serviceWords(message, t) ?? '');
}
