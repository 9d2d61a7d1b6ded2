/*
 * Computes what a bot may do in a chat from its own membership: which administrator's right each
 * action needs, and which people no right applies to. Telegram has the last word; this only
 * predicts its decision.
 */
import { type Reason, reason, reasonText } from '../reasons/reason.ts';

import { personFact } from '../messages/message-facts.ts';
import { integer, object, text, type Wire } from '../log/wire.ts';
import type { PersonFact } from '../messages/archive-facts.ts';

export const adminRights = [
  'can_manage_chat',
  'can_delete_messages',
  'can_manage_video_chats',
  'can_restrict_members',
  'can_promote_members',
  'can_change_info',
  'can_invite_users',
  'can_post_stories',
  'can_edit_stories',
  'can_delete_stories',
  'can_post_messages',
  'can_edit_messages',
  'can_pin_messages',
  'can_manage_topics',
  'can_manage_direct_messages',
  'can_manage_tags',
  'is_anonymous',
] as const;

export type AdminRight = (typeof adminRights)[number];

const neededRights = {
  ban: 'can_restrict_members',
  unban: 'can_restrict_members',
  kick: 'can_restrict_members',
  mute: 'can_restrict_members',
  unmute: 'can_restrict_members',
  delete: 'can_delete_messages',
  pin: 'can_pin_messages',
  unpin: 'can_pin_messages',
  promote: 'can_promote_members',
  demote: 'can_promote_members',
  title: 'can_promote_members',
} as const satisfies Record<string, AdminRight>;

export type ChatAction = keyof typeof neededRights;
export const chatActions = Object.keys(neededRights) as ChatAction[];

export function rightFor(action: ChatAction): AdminRight {
  return neededRights[action];
}

/** A member of a chat as Telegram describes it. */
export interface ChatMember {
  person: PersonFact;
  status: string;
  /** Unix seconds; 0 means forever, or that nothing ends. */
  until: number;
  title: string;
  /** True if this bot may change the administrator. */
  canBeEdited: boolean;
  /** The rights of an administrator; the owner has all of them. */
  rights: AdminRight[];
}

export function readChatMember(value: unknown): ChatMember | undefined {
  const member: Wire = object(value) ?? {};
  const person = personFact(member['user']);
  if (!person) return undefined;
  const status = text(member['status']);
  const isAdmin = status === 'administrator' || status === 'creator';
  return {
    person,
    status,
    until: integer(member['until_date']) ?? 0,
    title: text(member['custom_title']),
    canBeEdited: member['can_be_edited'] === true,
    rights: isAdmin ? adminRights.filter((right) => hasRight(member, status, right)) : [],
  };
}

function hasRight(member: Wire, status: string, right: AdminRight): boolean {
  if (status === 'creator' && right !== 'is_anonymous') return true;
  return member[right] === true;
}

export interface RightsCheck {
  action: ChatAction;
  allowed: boolean;
  /** The right the action needs. */
  right: AdminRight;
  /** The missing right; '' if the reason is another one. */
  missing: AdminRight | '';
  /** '' when allowed. */
  reason: string;
  reason_detail: Reason | null;
}

const free = { missing: '', reason: '', reason_detail: null } as const;

/** Actions that touch no person. */
const impersonal = new Set<ChatAction>(['delete', 'pin', 'unpin']);
const supergroupOnly = new Set<ChatAction>(['mute', 'unmute', 'title']);

/** Omit `target` to ask about the chat as a whole. */
export function checkRight(
  action: ChatAction,
  chatType: string,
  self: ChatMember,
  target?: ChatMember,
): RightsCheck {
  const right = neededRights[action];
  const refuse = (why: Reason, missing: AdminRight | '' = ''): RightsCheck => ({
    action,
    allowed: false,
    right,
    missing,
    reason: reasonText(why),
    reason_detail: why,
  });
  if (chatType === 'private' && action !== 'pin' && action !== 'unpin' && action !== 'delete') {
    return refuse(reason('private_chat'));
  }
  if (chatType === 'private') return { action, allowed: true, right, ...free };
  if (supergroupOnly.has(action) && chatType !== 'supergroup') {
    return refuse(reason('supergroups_only'));
  }
  if (!self.rights.includes(right)) {
    return refuse(reason('right_needed', { right }), right);
  }
  const obstacle = target && !impersonal.has(action) ? obstacleOf(action, self, target) : undefined;
  return obstacle ? refuse(obstacle) : { action, allowed: true, right, ...free };
}

function obstacleOf(action: ChatAction, self: ChatMember, target: ChatMember): Reason | undefined {
  if (target.person.userId === self.person.userId) return reason('not_to_itself');
  if (target.status === 'creator') return reason('chat_owner');
  if (target.status === 'administrator' && !target.canBeEdited) {
    return reason('appointed_by_other');
  }
  if (action === 'title' && target.status !== 'administrator') {
    return reason('title_for_admins_only');
  }
  return undefined;
}
