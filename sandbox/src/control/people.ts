import { ControlError } from '../api-error.ts';
import { type ControlInput, flag, list, optionalText, ref, textField } from './input.ts';
import type { SandboxControls } from '../controls.ts';
import { botByUsername, userByUsername } from '../world/people.ts';
import { findChatByUsername } from '../world/chats/rooms.ts';

/** A free username: people, bots and chats share one namespace. */
function freeUsername(sandbox: SandboxControls, input: ControlInput): { username?: string } {
  const username = optionalText(input, 'username')?.replace(/^@/u, '');
  if (username === undefined) return {};
  if (!/^[a-z]\w{2,31}$/iu.test(username)) {
    throw new ControlError('username_wrong');
  }
  const { state } = sandbox.world;
  const taken =
    userByUsername(state, username) ??
    botByUsername(state, username) ??
    findChatByUsername(state, username);
  if (taken) throw new ControlError('name_taken', { username });
  return { username };
}

/** Those of the named fields that were given, each a text. */
function texts<N extends string>(input: ControlInput, names: readonly N[]): { [K in N]?: string } {
  const given: { [K in N]?: string } = {};
  for (const name of names) {
    const value = optionalText(input, name);
    if (value !== undefined) given[name] = value;
  }
  return given;
}

export function createUser(sandbox: SandboxControls, input: ControlInput) {
  return sandbox.createUser({
    ...freeUsername(sandbox, input),
    ...texts(input, ['first_name', 'last_name', 'language_code', 'bio']),
    ...(flag(input, 'is_premium', false) && { is_premium: true }),
  });
}

export function createBot(sandbox: SandboxControls, input: ControlInput): unknown {
  const name = freeUsername(sandbox, input);
  if (name.username !== undefined && !/bot$/iu.test(name.username)) {
    throw new ControlError('bot_username_wrong');
  }
  const { id, token, username, first_name } = sandbox.createBot({
    ...name,
    ...texts(input, ['first_name', 'description']),
    privacyMode: flag(input, 'privacy_mode', true),
    canJoinGroups: flag(input, 'can_join_groups', true),
    inlineMode: flag(input, 'inline_mode', false),
    joinRequestQueries: flag(input, 'join_request_queries', false),
  });
  return { id, token, username, first_name };
}

export function createChat(sandbox: SandboxControls, input: ControlInput) {
  const type = optionalText(input, 'type') ?? 'supergroup';
  if (type !== 'group' && type !== 'supergroup' && type !== 'channel') {
    throw new ControlError('chat_type_wrong');
  }
  const chat = sandbox.createChat({
    type,
    title: textField(input, 'title'),
    owner: ref(input, 'owner'),
    members: list(input, 'members').map((member) => ref({ members: member }, 'members')),
    joinByRequest: flag(input, 'join_by_request', false),
    ...freeUsername(sandbox, input),
    ...texts(input, ['description']),
  });
  return { id: chat.id, type: chat.type, title: chat.title };
}
