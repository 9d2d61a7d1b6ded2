import type { Static } from 'typebox';
import type { AdminRight, ChatMember } from '../../../core/people/chat-rights.ts';
import type { Profiles, Profile as FoundProfile } from '../../../manage/people/profiles.ts';
import { isoTime } from '../../../core/iso-time.ts';
import type { Listed } from '../../endpoint.ts';
import type { Admin, ListedPerson, Note, Profile, Warning } from './person-schema.ts';

type FoundPerson = Listed<Profiles['list']>;
type Known = Pick<
  FoundPerson,
  'user_id' | 'username' | 'first_name' | 'last_name' | 'is_bot' | 'language_code'
>;

function identity({ user_id, username, first_name, last_name, is_bot, language_code }: Known) {
  return { user_id, username, first_name, last_name, is_bot: is_bot === 1, language_code };
}

export function personView(person: FoundPerson): Static<typeof ListedPerson> {
  return {
    ...identity(person),
    status: person.status,
    until: isoTime(person.until_at),
    messages: person.messages,
    last_seen_at: isoTime(person.seen_at),
  };
}

export function memberView(member: ChatMember): Static<typeof Admin> {
  const { userId, username, firstName, lastName, isBot } = member.person;
  return {
    user_id: userId,
    username,
    first_name: firstName,
    last_name: lastName,
    is_bot: isBot,
    status: member.status,
    title: member.title,
    can_be_edited: member.canBeEdited,
    rights: member.rights,
    until: isoTime(member.until * 1000),
  };
}

export function noteView(note: FoundProfile['notes'][number]): Static<typeof Note> {
  const { id, user_id, text, author } = note;
  return { id, user_id, text, author, created_at: isoTime(note.created_at) };
}

export function warningView(
  warning: FoundProfile['warnings'][number],
  nowMs: number,
): Static<typeof Warning> {
  const { id, chat_id, user_id, reason, warned_by, expires_at, cleared_at } = warning;
  return {
    id,
    chat_id,
    user_id,
    reason,
    warned_by,
    created_at: isoTime(warning.created_at),
    expires_at: isoTime(expires_at),
    cleared_at: isoTime(cleared_at),
    active: cleared_at === null && (expires_at === null || expires_at > nowMs),
  };
}

export function profileView(found: FoundProfile, nowMs: number): Static<typeof Profile> {
  const { person, member } = found;
  return {
    ...identity(person),
    last_seen_at: isoTime(person.seen_at),
    messages: found.messages,
    names: found.names.map(({ seen_at, ...name }) => ({ ...name, since: isoTime(seen_at) })),
    chats: found.chats.map(({ member: known, ...chat }) => ({
      ...chat,
      until: isoTime(known?.until_at ?? 0),
      admin_title: known?.title ?? '',
      rights: known?.rights ? (JSON.parse(known.rights) as AdminRight[]) : [],
    })),
    tags: found.tags.map(({ id, chat_id, tag, color }) => ({ id, chat_id, tag, color })),
    notes: found.notes.map(noteView),
    warnings: found.warnings.map((warning) => warningView(warning, nowMs)),
    ...(member ? { member: memberView(member) } : {}),
  };
}
