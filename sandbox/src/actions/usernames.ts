import { ControlError } from '../api-error.ts';
import { findChatByUsername } from '../world/chats/rooms.ts';
import { botByUsername, userByUsername } from '../world/people.ts';
import type { World } from '../world/world.ts';

/** Returns the username without its @ and refuses a taken one: people, bots and chats share one namespace. */
export function freeUsername({ state }: World, given: string | undefined): string | undefined {
  const username = given?.replace(/^@/u, '');
  if (username === undefined) return undefined;
  if (!/^[a-z]\w{2,31}$/iu.test(username)) throw new ControlError('username_wrong');
  const taken =
    userByUsername(state, username) ??
    botByUsername(state, username) ??
    findChatByUsername(state, username);
  if (taken) throw new ControlError('name_taken', { username });
  return username;
}
