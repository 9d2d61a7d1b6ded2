import type { ManualClock } from '../../../sandbox/src/clock.ts';
import type { SandboxOptions } from '../../../sandbox/src/sandbox.ts';
import type { ChatRecord, UserRecord } from '../../../sandbox/src/world/records.ts';
import { type Receiver, receiver, type Scene, scene, until } from '../helpers.ts';

/** Ann has begun to talk to the bot. */
export async function chatting(options: SandboxOptions = {}): Promise<Scene & { ann: UserRecord }> {
  const made = await scene(options);
  const ann = made.sandbox.createUser({ first_name: 'Ann' });
  made.sandbox.say(ann, made.bot, '/start');
  return { ...made, ann };
}

interface GroupScene extends Scene {
  owner: UserRecord;
  ben: UserRecord;
  group: ChatRecord;
}

/** The bot is an ordinary member of a group, like Ben. */
export async function inGroup(options: SandboxOptions = {}): Promise<GroupScene> {
  const made = await scene(options);
  const owner = made.sandbox.createUser({ first_name: 'Owner' });
  const ben = made.sandbox.createUser({ first_name: 'Ben' });
  const group = made.sandbox.createChat({ title: 'G', owner, members: [ben, made.bot] });
  return { ...made, owner, ben, group };
}

interface HookScene extends Scene {
  hook: Receiver;
  ann: UserRecord;
  ben: UserRecord;
}

/** The bot has a webhook; `params` go with it. */
export async function hooked(
  params: object = {},
  options: SandboxOptions = {},
): Promise<HookScene> {
  const made = await scene(options);
  const hook = await receiver();
  await made.api.ok('setWebhook', { url: hook.url, ...params });
  const ann = made.sandbox.createUser({ first_name: 'Ann' });
  const ben = made.sandbox.createUser({ first_name: 'Ben' });
  return { ...made, hook, ann, ben };
}

/** Refuses a delivery and waits until its retry is a timer of the clock. */
export async function refuse(clock: ManualClock, respond: () => void): Promise<void> {
  const before = clock.startedTimers();
  respond();
  await until(() => clock.startedTimers() > before);
}
