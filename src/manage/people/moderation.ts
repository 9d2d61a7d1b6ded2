import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { authorOf } from '../../core/messages/author.ts';
import type { RightsCheck } from '../../core/people/chat-rights.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import type { WarningRecord } from '../../store/people/warnings.ts';
import type { ChatMembers, MemberTarget } from './chat-members.ts';
import { createMemberActions, type ModerationView, type PersonQuery } from './member-actions.ts';
import { requireManaged } from '../bots/managed-bot.ts';

export interface TimedQuery extends PersonQuery {
  /** ISO 8601. */
  until?: string;
  duration_seconds?: number;
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

export function createModeration(options: {
  store: Store;
  members: ChatMembers;
  clock: Clock;
}): Moderation {
  const { store, members, clock } = options;
  const actions = createMemberActions(options);

  async function targetOf(caller: Caller, query: PersonQuery): Promise<MemberTarget> {
    const bot = await requireManaged(store, caller, query.bot_id);
    return { bot, chatId: query.chat_id, userId: query.user_id, author: authorOf(caller) };
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

  async function settingsOf(botId: number, chatId: number): Promise<WarnSettingsView> {
    const stored = await store.warnings.settings(botId, chatId);
    return stored ? (stored as WarnSettingsView) : noWarnSettings;
  }

  async function punish(target: MemberTarget, { action, action_seconds }: WarnSettingsView) {
    const until = action_seconds === 0 ? 0 : clock.now() + action_seconds * 1000;
    if (action === 'mute') return (await actions.mute(target, until)).until;
    if (action === 'ban') return (await actions.ban(target, until)).until;
    await actions.kick(target);
    return 0;
  }

  return {
    async rights(caller, botId, chatId, userId) {
      const bot = await requireManaged(store, caller, botId);
      return members.rightsChecks(bot, chatId, userId);
    },
    async ban(caller, query) {
      const target = await targetOf(caller, query);
      return actions.ban(target, endOf(query), query.revoke_messages);
    },
    async unban(caller, query) {
      return actions.unban(await targetOf(caller, query));
    },
    async kick(caller, query) {
      return actions.kick(await targetOf(caller, query));
    },
    async mute(caller, query) {
      const target = await targetOf(caller, query);
      return actions.mute(target, endOf(query));
    },
    async unmute(caller, query) {
      return actions.unmute(await targetOf(caller, query));
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
