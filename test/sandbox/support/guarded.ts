import type { ChatJoinRequest, Update } from '@grammyjs/types';
import { expect } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import type { ChatRecord, UserRecord } from '../../../sandbox/src/world/records.ts';
import { type Api, apiOf, pending, type Scene, scene } from '../helpers.ts';

export const tooOld =
  'Bad Request: query is too old and response timeout expired or query ID is invalid';
export const webApp = 'https://captcha.example/join?lang=en';

interface Guarded extends Scene {
  clock: ReturnType<typeof createManualClock>;
  owner: UserRecord;
  ben: UserRecord;
  club: ChatRecord;
  /** Another bot that may let people in. */
  clerk: Api;
  clerkId: number;
  /** The newest join request that a bot received. */
  request(api: Api): Promise<ChatJoinRequest | undefined>;
  /** The answer of the control API. */
  act<T = Record<string, unknown>>(action: string, input?: object): Promise<T>;
}

export async function guarded(type: 'supergroup' | 'channel' = 'supergroup'): Promise<Guarded> {
  const clock = createManualClock();
  const made = await scene({ clock }, { joinRequestQueries: true });
  const { sandbox, bot, url } = made;
  const owner = sandbox.createUser({ first_name: 'Olga', username: 'olga' });
  const ben = sandbox.createUser({ first_name: 'Ben', username: 'ben', bio: 'Hello there & more' });
  const club = sandbox.createChat({ type, title: 'Club', username: 'club', owner });
  const clerk = sandbox.createBot({ username: 'clerk_bot' });
  for (const one of [bot, clerk]) {
    sandbox.promote(owner, club, one, { can_invite_users: true });
  }
  sandbox.setGuardBot(owner, club, { bot });
  return {
    ...made,
    clock,
    owner,
    ben,
    club,
    clerk: apiOf(url, clerk.token),
    clerkId: clerk.id,
    request: async (api) =>
      (await pending(api)).flatMap((update: Update) => update.chat_join_request ?? []).at(-1),
    async act(action, input = {}) {
      const reads = action === 'chats/join-status';
      const query = reads ? `?${new URLSearchParams(Object.entries(input)).toString()}` : '';
      const response = await fetch(`${url}/sandbox/${action}${query}`, {
        ...(!reads && {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(input),
        }),
      });
      return (await response.json()) as never;
    },
  };
}

export const at = { user: 'ben', chat: 'club' };

export async function ask({ act, request, api }: Guarded): Promise<string> {
  expect(await act('chats/join', at)).toEqual({ status: 'asked' });
  return (await request(api))?.query_id ?? '';
}
