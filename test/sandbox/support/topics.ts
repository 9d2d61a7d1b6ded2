import { expect } from 'vitest';
import type { ForumTopic, Message } from '@grammyjs/types';
import type { SandboxOptions } from '../../../sandbox/src/sandbox.ts';
import type { ChatRecord, UserRecord } from '../../../sandbox/src/world/records.ts';
import { type Api, pending, type Scene, scene } from '../helpers.ts';

export interface ForumScene extends Scene {
  owner: UserRecord;
  ben: UserRecord;
  forum: ChatRecord;
  /** Creates a topic as the bot. */
  create(name: string, more?: object): Promise<ForumTopic>;
  /** Sends a text as the bot. */
  send(text: string, more?: object): Promise<Message>;
}

/** The bot is an administrator of a forum, Ben a member. */
export async function inForum(options: SandboxOptions = {}): Promise<ForumScene> {
  const made = await scene(options);
  const { api, bot, sandbox } = made;
  const owner = sandbox.createUser({ first_name: 'Owner' });
  const ben = sandbox.createUser({ first_name: 'Ben' });
  const forum = sandbox.createChat({ title: 'F', owner, members: [ben], isForum: true });
  sandbox.promote(owner, forum, bot);
  return {
    ...made,
    owner,
    ben,
    forum,
    create: (name, more = {}) => api.ok('createForumTopic', { chat_id: forum.id, name, ...more }),
    send: (text, more = {}) => api.ok('sendMessage', { chat_id: forum.id, text, ...more }),
  };
}

interface ThreadScene extends Scene {
  ann: UserRecord;
  create(name: string): Promise<ForumTopic>;
  send(text: string, more?: object): Promise<Message>;
}

/** Ann talks to a bot whose private chats have topics. */
export async function inThreads(
  options: SandboxOptions = {},
  bot: Parameters<Scene['sandbox']['createBot']>[0] = {},
): Promise<ThreadScene> {
  const made = await scene(options, { hasTopics: true, ...bot });
  const { api, sandbox } = made;
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, made.bot, '/start');
  return {
    ...made,
    ann,
    create: (name) => api.ok('createForumTopic', { chat_id: ann.id, name }),
    send: (text, more = {}) => api.ok('sendMessage', { chat_id: ann.id, text, ...more }),
  };
}

/** The newest message that the bot received. */
export async function lastMessage(api: Api): Promise<Message> {
  const [update] = await pending(api, { offset: -1 });
  const { message } = update ?? {};
  if (!message) throw new Error('The newest update is no message.');
  return message as Message;
}

/** Expects the refusals of calls, by method and parameters. */
export async function expectRefusals(
  api: Api,
  cases: [method: string, params: object, reason: string][],
): Promise<void> {
  for (const [method, params, reason] of cases) {
    expect(await api.refused(method, params), `${method} ${JSON.stringify(params)}`).toBe(
      `Bad Request: ${reason}`,
    );
  }
}
