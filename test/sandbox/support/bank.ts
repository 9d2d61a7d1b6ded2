import type { BotCommand, Message, Update } from '@grammyjs/types';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import type { ChatRecord, UserRecord } from '../../../sandbox/src/world/records.ts';
import { type Api, apiOf, pending, type Scene, scene } from '../helpers.ts';

export const tooOld =
  'Bad Request: query is too old and response timeout expired or query ID is invalid';
export const commands: BotCommand[] = [
  { command: 'balance', description: 'What you have', is_ephemeral: true },
  { command: 'help', description: 'Help' },
];

interface Group extends Scene {
  clock: ReturnType<typeof createManualClock>;
  ann: UserRecord;
  ben: UserRecord;
  group: ChatRecord;
  chat_id: number;
  /** Another bot, which reads everything it can. */
  other: Api;
  /** The texts that only this person sees. */
  alone(user: UserRecord): (string | undefined)[];
  act<T = Message & { error?: string }>(action: string, input: object): Promise<T>;
  newest<K extends keyof Update>(kind: K): Promise<Update[K] | undefined>;
}

export async function inGroup(): Promise<Group> {
  const clock = createManualClock();
  const made = await scene({ clock });
  const { sandbox, bot, url, api } = made;
  const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  const ben = sandbox.createUser({ first_name: 'Ben', username: 'ben' });
  const nosy = sandbox.createBot({ username: 'nosy_bot', privacyMode: false });
  const group = sandbox.createChat({
    title: 'Bank',
    username: 'bank',
    owner: ben,
    members: [ann, bot, nosy],
  });
  await api.ok('setMyCommands', { commands });
  return {
    ...made,
    clock,
    ann,
    ben,
    group,
    chat_id: group.id,
    other: apiOf(url, nosy.token),
    alone: (user) => sandbox.unseenByOthers(user, group).map(({ message }) => message.text),
    async act(action, input) {
      const response = await fetch(`${url}/sandbox/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      return (await response.json()) as never;
    },
    newest: async (kind) =>
      (await pending(api)).findLast((update) => update[kind] !== undefined)?.[kind],
  };
}

export const at = { user: 'ann', chat: 'bank' };
