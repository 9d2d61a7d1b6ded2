import { personName, type SandboxChat, type SandboxMessage } from '../../api/sandbox.ts';
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

export function mediaOf(message: SandboxMessage): string | undefined {
  return mediaFields.find((kind) => kind in message);
}

/** Describes joining and leaving, which are messages without text. */
export function serviceWords(message: SandboxMessage, t: Messages): string | undefined {
  if (message.new_chat_members) {
    return t.sandbox.joined(message.new_chat_members.map(personName).join(', '));
  }
  if (message.left_chat_member) return t.sandbox.left(personName(message.left_chat_member));
  if (message.successful_payment) return t.sandbox.paid;
  if (message.refunded_payment) return t.sandbox.paidBack;
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
