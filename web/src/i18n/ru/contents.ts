import type { contents as english, things as englishThings } from '../en/contents.ts';
import type { PartialTexts } from '../messages.ts';

const quoted = (text: string) => `«${text}»`;

// Texts use the present tense, which needs no gender in Russian.
export const contents = {
  joined: (who) => `${who} вступает в чат`,
  added: (by, who) => `${by} добавляет: ${who}`,
  left: (who) => `${who} покидает чат`,
  removed: (by, who) => `${by} исключает: ${who}`,
  new_chat_title: (by, text) => `${by} меняет название чата на ${quoted(text)}`,
  new_chat_photo: (by) => `${by} меняет фото чата`,
  delete_chat_photo: (by) => `${by} убирает фото чата`,
  group_chat_created: (by) => `${by} создаёт группу`,
  supergroup_chat_created: (by) => `${by} создаёт группу`,
  channel_chat_created: () => 'Канал создан',
  migrate_to_chat_id: () => 'Группа стала супергруппой',
  migrate_from_chat_id: () => 'Группа стала супергруппой',
  pinned_message: (by, text) =>
    text ? `${by} закрепляет ${quoted(text)}` : `${by} закрепляет сообщение`,
  message_auto_delete_timer_changed: (by) => `${by} меняет таймер автоудаления`,
  forum_topic_created: (by, text) => `${by} создаёт тему ${quoted(text)}`,
  forum_topic_edited: (by) => `${by} меняет тему`,
  forum_topic_closed: (by) => `${by} закрывает тему`,
  forum_topic_reopened: (by) => `${by} снова открывает тему`,
  video_chat_scheduled: (by) => `${by} назначает видеочат`,
  video_chat_started: (by) => `${by} начинает видеочат`,
  video_chat_ended: (by) => `${by} завершает видеочат`,
  video_chat_participants_invited: (by) => `${by} приглашает в видеочат`,
  boost_added: (by) => `${by} голосует за чат`,
  chat_background_set: (by) => `${by} меняет фон`,
  successful_payment: (by) => `${by} оплачивает счёт`,
  gift: (by, text) => (text ? `${by} дарит подарок: ${quoted(text)}` : `${by} дарит подарок`),
} satisfies PartialTexts<typeof english>;

export const things = {
  poll: 'Опрос',
  venue: 'Место',
  location: 'Геопозиция',
  contact: 'Контакт',
  dice: 'Кубик',
  game: 'Игра',
  story: 'История',
  checklist: 'Список дел',
  invoice: 'Счёт',
  paid_media: 'Платное медиа',
  giveaway: 'Розыгрыш',
} satisfies PartialTexts<typeof englishThings>;
