import type { rights as Rights } from '../en/rights.ts';
import type { PartialTexts } from '../messages.ts';

export const rights = {
  names: {
    can_manage_chat: 'Видеть журнал событий и участников',
    can_delete_messages: 'Удалять сообщения',
    can_manage_video_chats: 'Управлять видеочатами',
    can_restrict_members: 'Блокировать и ограничивать людей',
    can_promote_members: 'Назначать администраторов',
    can_change_info: 'Менять название, фото и описание',
    can_invite_users: 'Приглашать людей',
    can_post_stories: 'Публиковать истории',
    can_edit_stories: 'Менять чужие истории',
    can_delete_stories: 'Удалять чужие истории',
    can_post_messages: 'Писать в канал',
    can_edit_messages: 'Менять чужие публикации',
    can_pin_messages: 'Закреплять сообщения',
    can_manage_topics: 'Управлять темами',
    can_manage_direct_messages: 'Отвечать на личные сообщения каналу',
    can_manage_tags: 'Управлять метками участников',
    is_anonymous: 'Оставаться анонимным',
  },
  needs: (right) => `Боту в этом чате не хватает права «${right}».`,
} satisfies PartialTexts<typeof Rights>;
