import type { rights as Rights } from '../en/rights.ts';
import type { PartialTexts } from '../messages.ts';

export const rights = {
  names: {
    can_manage_chat: 'Просмотр журнала событий и участников',
    can_delete_messages: 'Удаление сообщений',
    can_manage_video_chats: 'Управление видеочатами',
    can_restrict_members: 'Блокировка участников',
    can_promote_members: 'Добавление администраторов',
    can_change_info: 'Изменение профиля чата',
    can_invite_users: 'Приглашение участников',
    can_post_stories: 'Публикация историй',
    can_edit_stories: 'Изменение чужих историй',
    can_delete_stories: 'Удаление чужих историй',
    can_post_messages: 'Публикация сообщений',
    can_edit_messages: 'Изменение чужих публикаций',
    can_pin_messages: 'Закрепление сообщений',
    can_manage_topics: 'Управление темами',
    can_manage_direct_messages: 'Ответы на личные сообщения',
    can_manage_tags: 'Управление тегами участников',
    is_anonymous: 'Анонимность',
  },
  needs: (right) => `У бота нет права «${right}» в этом чате. Выдайте его в Telegram.`,
} satisfies PartialTexts<typeof Rights>;
