import type { Message } from '@grammyjs/types';
import { addBot, addUser, type NewBot, type NewUser } from '../world/people.ts';
import type { BotRecord, ChatRecord, UserRecord } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { blockBot } from './block.ts';
import * as gather from './gather.ts';
import type { Ref } from './refs.ts';
import * as talk from './talk.ts';

type Bound<F> = F extends (world: World, ...args: infer A) => infer R ? (...args: A) => R : never;

export interface Actions {
  createUser(fields?: NewUser): UserRecord;
  createBot(fields?: NewBot): BotRecord;
  createChat(fields: gather.NewGroup): ChatRecord;
  say(user: Ref, chat: Ref, text: string, options?: talk.SayOptions): Message;
  edit: Bound<typeof talk.editText>;
  delete: Bound<typeof talk.deleteByUser>;
  blockBot: Bound<typeof blockBot>;
  addMember: Bound<typeof gather.addMember>;
  removeMember: Bound<typeof gather.removeMember>;
  join: Bound<typeof gather.join>;
  leave: Bound<typeof gather.leave>;
  promote: Bound<typeof gather.promote>;
  upgradeGroup: Bound<typeof gather.upgradeGroup>;
}

/** What people do in the world, as functions of one sandbox. */
export function bindActions(world: World): Actions {
  return {
    createUser: (fields) => addUser(world, fields),
    createBot: (fields) => addBot(world, fields),
    createChat: (fields) => gather.createChat(world, fields),
    say: (user, chat, text, options) => talk.say(world, user, chat, text, options),
    edit: (user, chat, messageId, text) => talk.editText(world, user, chat, messageId, text),
    delete: (user, chat, messageId) => talk.deleteByUser(world, user, chat, messageId),
    blockBot: (user, bot, blocked) => blockBot(world, user, bot, blocked),
    addMember: (by, chat, who) => gather.addMember(world, by, chat, who),
    removeMember: (by, chat, who) => gather.removeMember(world, by, chat, who),
    join: (who, chat, link) => gather.join(world, who, chat, link),
    leave: (who, chat) => gather.leave(world, who, chat),
    promote: (by, chat, who, rights) => gather.promote(world, by, chat, who, rights),
    upgradeGroup: (by, chat) => gather.upgradeGroup(world, by, chat),
  };
}
