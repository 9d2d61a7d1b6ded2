import type { Clock } from '../../clock.ts';
import type { ChatAction } from '../../core/people/chat-rights.ts';
import type { Store } from '../../store/store.ts';
import type { ChatMembers, MemberTarget } from './chat-members.ts';

export interface PersonQuery {
  bot_id: number;
  chat_id: number;
  user_id: number;
}

/** An action on a person, and its result. */
export interface ModerationView extends PersonQuery {
  action: ChatAction;
  /** The person's status in the chat afterwards. */
  status: string;
  /** Milliseconds; 0 means forever, or that there is no end. */
  until: number;
}

/** Everything that a muted person may not do. */
const sendPermissions = [
  'can_send_messages',
  'can_send_audios',
  'can_send_documents',
  'can_send_photos',
  'can_send_videos',
  'can_send_video_notes',
  'can_send_voice_notes',
  'can_send_polls',
  'can_send_other_messages',
  'can_add_web_page_previews',
  'can_react_to_messages',
];
/** The chat's own permissions still limit these. */
const allPermissions = [
  ...sendPermissions,
  'can_change_info',
  'can_invite_users',
  'can_edit_tag',
  'can_pin_messages',
  'can_manage_topics',
];
const permit = (names: readonly string[], value: boolean) =>
  Object.fromEntries(names.map((name) => [name, value]));

/** Acts on members of a chat at Telegram and stores their status. An end of 0 means never. */
export interface MemberActions {
  ban(target: MemberTarget, until: number, revokesMessages?: boolean): Promise<ModerationView>;
  unban(target: MemberTarget): Promise<ModerationView>;
  kick(target: MemberTarget): Promise<ModerationView>;
  mute(target: MemberTarget, until: number): Promise<ModerationView>;
  unmute(target: MemberTarget): Promise<ModerationView>;
}

export function createMemberActions({
  store,
  members,
  clock,
}: {
  store: Pick<Store, 'members'>;
  members: ChatMembers;
  clock: Clock;
}): MemberActions {
  const untilDate = (end: number) => (end === 0 ? {} : { until_date: Math.floor(end / 1000) });

  async function done(
    { bot, chatId, userId }: MemberTarget,
    action: ChatAction,
    status: string,
    until = 0,
  ): Promise<ModerationView> {
    const key = { bot_id: bot.id, chat_id: chatId, user_id: userId };
    await store.members.save(
      [{ ...key, status, until_at: until, title: '', rights: '' }],
      clock.now(),
    );
    return { ...key, action, status, until };
  }

  return {
    async ban(target, until, revokesMessages = false) {
      await members.act(target, 'ban', 'banChatMember', {
        ...untilDate(until),
        ...(revokesMessages ? { revoke_messages: true } : {}),
      });
      return done(target, 'ban', 'kicked', until);
    },

    async unban(target) {
      await members.act(target, 'unban', 'unbanChatMember', { only_if_banned: true });
      const key = { bot_id: target.bot.id, chat_id: target.chatId, user_id: target.userId };
      const before = await store.members.get(key.bot_id, key.chat_id, key.user_id);
      // A person who was not banned keeps their status.
      if (before && before.status !== 'kicked') {
        return { ...key, action: 'unban', status: before.status, until: before.until_at };
      }
      return done(target, 'unban', 'left');
    },

    /** In a basic group a ban does not last; in other chats "unban" also removes a member. */
    async kick(target) {
      const isGroup = (await members.chatType(target.bot.id, target.chatId)) === 'group';
      await members.act(target, 'kick', isGroup ? 'banChatMember' : 'unbanChatMember');
      return done(target, 'kick', 'left');
    },

    async mute(target, until) {
      await members.act(target, 'mute', 'restrictChatMember', {
        permissions: permit(sendPermissions, false),
        use_independent_chat_permissions: true,
        ...untilDate(until),
      });
      return done(target, 'mute', 'restricted', until);
    },

    async unmute(target) {
      await members.act(target, 'unmute', 'restrictChatMember', {
        permissions: permit(allPermissions, true),
        use_independent_chat_permissions: true,
      });
      return done(target, 'unmute', 'member');
    },
  };
}
