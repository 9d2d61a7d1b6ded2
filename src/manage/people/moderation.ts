import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import type { ChatAction, RightsCheck } from '../../core/people/chat-rights.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import type { WarningRecord } from '../../store/people/warnings.ts';
import type { ChatMembers, MemberTarget } from './chat-members.ts';
import { requireManaged } from '../bots/managed-bot.ts';

export interface PersonQuery {
  bot_id: number;
  chat_id: number;
  user_id: number;
}

export interface TimedQuery extends PersonQuery {
  /** ISO 8601. */
  until?: string;
  duration_seconds?: number;
}

/** An action on a person, and its result. */
export interface ModerationView extends PersonQuery {
  action: ChatAction;
  /** The person's status in the chat afterwards. */
  status: string;
  /** Milliseconds; 0 means forever, or that there is no end. */
  until: number;
}

export const thresholdActions = ['none', 'mute', 'kick', 'ban'] as const;

export interface WarnSettingsView {
  /** The number of active warnings that triggers the action; 0 means never. */
  threshold: number;
  action: (typeof thresholdActions)[number];
  /** How long a mute or ban lasts; 0 means forever. */
  action_seconds: number;
  /** The time after which a warning expires; 0 means never. */
  expire_seconds: number;
}

export interface WarnOutcome {
  warning: WarningRecord;
  /** The number of active warnings, including this one. */
  active: number;
  threshold: number;
  /** The action that the threshold triggered; '' if it was not reached. */
  action: string;
  until: number;
}

export interface Moderation {
  rights(caller: Caller, botId: number, chatId: number, userId?: number): Promise<RightsCheck[]>;
  ban(caller: Caller, query: TimedQuery & { revoke_messages?: boolean }): Promise<ModerationView>;
  unban(caller: Caller, query: PersonQuery): Promise<ModerationView>;
  kick(caller: Caller, query: PersonQuery): Promise<ModerationView>;
  mute(caller: Caller, query: TimedQuery): Promise<ModerationView>;
  unmute(caller: Caller, query: PersonQuery): Promise<ModerationView>;
  warn(
    caller: Caller,
    query: PersonQuery,
    warning: { reason?: string; expires_in_seconds?: number },
  ): Promise<WarnOutcome>;
  /** Takes a warning back; returns it as it was. */
  unwarn(caller: Caller, botId: number, id: number): Promise<WarningRecord>;
  warnSettings(caller: Caller, botId: number, chatId: number): Promise<WarnSettingsView>;
  setWarnSettings(
    caller: Caller,
    botId: number,
    chatId: number,
    patch: Partial<WarnSettingsView>,
  ): Promise<WarnSettingsView>;
}

/** Telegram treats a date outside of these limits as "forever". */
export const minSeconds = 30;
export const maxSeconds = 366 * 86_400;

const noWarnSettings: WarnSettingsView = {
  threshold: 3,
  action: 'none',
  action_seconds: 0,
  expire_seconds: 0,
};

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

export function createModeration(options: {
  store: Store;
  members: ChatMembers;
  clock: Clock;
}): Moderation {
  const { store, members, clock } = options;

  async function targetOf(caller: Caller, query: PersonQuery): Promise<MemberTarget> {
    const bot = await requireManaged(store, caller, query.bot_id);
    return { bot, chatId: query.chat_id, userId: query.user_id };
  }

  /** The end in milliseconds; 0 means never. */
  function endOf({ until, duration_seconds: seconds }: TimedQuery): number {
    if (until !== undefined && seconds !== undefined) {
      throw invalidField('until', reason('until_and_duration'));
    }
    if (until === undefined) return seconds === undefined ? 0 : clock.now() + seconds * 1000;
    const end = Date.parse(until);
    const ahead = (end - clock.now()) / 1000;
    if (ahead < minSeconds || ahead > maxSeconds) {
      throw invalidField('until', reason('until_out_of_range', { seconds: minSeconds }));
    }
    return end;
  }

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

  async function ban(target: MemberTarget, until: number, revoke = false) {
    await members.act(target, 'ban', 'banChatMember', {
      ...untilDate(until),
      ...(revoke ? { revoke_messages: true } : {}),
    });
    return done(target, 'ban', 'kicked', until);
  }

  /** In a basic group a ban does not last; in other chats "unban" also removes a member. */
  async function kick(target: MemberTarget) {
    const isGroup = (await members.chatType(target.bot.id, target.chatId)) === 'group';
    await members.act(target, 'kick', isGroup ? 'banChatMember' : 'unbanChatMember');
    return done(target, 'kick', 'left');
  }

  async function mute(target: MemberTarget, until: number) {
    await members.act(target, 'mute', 'restrictChatMember', {
      permissions: permit(sendPermissions, false),
      use_independent_chat_permissions: true,
      ...untilDate(until),
    });
    return done(target, 'mute', 'restricted', until);
  }

  async function settingsOf(botId: number, chatId: number): Promise<WarnSettingsView> {
    const stored = await store.warnings.settings(botId, chatId);
    return stored ? (stored as WarnSettingsView) : noWarnSettings;
  }

  async function punish(target: MemberTarget, { action, action_seconds }: WarnSettingsView) {
    const until = action_seconds === 0 ? 0 : clock.now() + action_seconds * 1000;
    if (action === 'mute') return (await mute(target, until)).until;
    if (action === 'ban') return (await ban(target, until)).until;
    await kick(target);
    return 0;
  }

  return {
    async rights(caller, botId, chatId, userId) {
      const bot = await requireManaged(store, caller, botId);
      return members.rightsChecks(bot, chatId, userId);
    },
    async ban(caller, query) {
      const target = await targetOf(caller, query);
      return ban(target, endOf(query), query.revoke_messages);
    },
    async unban(caller, query) {
      const target = await targetOf(caller, query);
      await members.act(target, 'unban', 'unbanChatMember', { only_if_banned: true });
      const before = await store.members.get(query.bot_id, query.chat_id, query.user_id);
      // A person who was not banned keeps their status.
      if (before && before.status !== 'kicked') {
        return { ...query, action: 'unban', status: before.status, until: before.until_at };
      }
      return done(target, 'unban', 'left');
    },
    async kick(caller, query) {
      return kick(await targetOf(caller, query));
    },
    async mute(caller, query) {
      const target = await targetOf(caller, query);
      return mute(target, endOf(query));
    },
    async unmute(caller, query) {
      const target = await targetOf(caller, query);
      await members.act(target, 'unmute', 'restrictChatMember', {
        permissions: permit(allPermissions, true),
        use_independent_chat_permissions: true,
      });
      return done(target, 'unmute', 'member');
    },

    async warn(caller, query, { reason: why = '', expires_in_seconds }) {
      const target = await targetOf(caller, query);
      const { bot, chatId, userId } = target;
      // Telegram refuses this if the bot is not in the chat or the person is unknown.
      const member = await members.ask(bot, chatId, userId);
      if (member.status === 'creator' || userId === bot.platform_id) {
        throw new RelayError('conflict', reason('unwarnable'));
      }
      await members.keep(bot.id, chatId, [member]);
      const settings = await settingsOf(bot.id, chatId);
      const now = clock.now();
      const lasts = expires_in_seconds ?? settings.expire_seconds;
      const acts = settings.action !== 'none' && settings.threshold > 0;
      const added = await store.warnings.add(
        {
          bot_id: bot.id,
          chat_id: chatId,
          user_id: userId,
          reason: why,
          warned_by: caller.name,
          created_at: now,
          expires_at: lasts === 0 ? null : now + lasts * 1000,
        },
        acts ? settings.threshold : Number.POSITIVE_INFINITY,
      );
      const { warning, active, isReached } = added;
      // Only the warning that reached the threshold acts; if the action is refused, the warning is
      // undone.
      const until = isReached
        ? await punish(target, settings).catch(async (error: unknown) => {
            await store.warnings.undo(added);
            throw error;
          })
        : 0;
      const action = isReached ? settings.action : '';
      return { warning, active, threshold: settings.threshold, action, until };
    },

    async unwarn(caller, botId, id) {
      await requireManaged(store, caller, botId);
      const warning = await store.warnings.clear(botId, id, clock.now());
      if (warning) return warning;
      throw new RelayError(
        'not_found',
        reason('no_such_warning', { bot_id: botId, warning_id: id }),
      );
    },

    async warnSettings(caller, botId, chatId) {
      await requireManaged(store, caller, botId);
      return settingsOf(botId, chatId);
    },
    async setWarnSettings(caller, botId, chatId, patch) {
      await requireManaged(store, caller, botId);
      const next = { ...(await settingsOf(botId, chatId)), ...patch };
      const seconds = next.action_seconds;
      if (seconds !== 0 && seconds < minSeconds) {
        throw invalidField('action_seconds', reason('zero_or_at_least', { least: minSeconds }));
      }
      await store.warnings.saveSettings(botId, chatId, next);
      return next;
    },
  };
}
