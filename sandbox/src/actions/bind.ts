import { addBot, addUser, type NewBot, type NewUser } from '../world/people.ts';
import type { BotRecord } from '../world/bot-records.ts';
import type { UserRecord } from '../world/records.ts';
import type { World } from '../world/world.ts';
import { blockBot } from './block.ts';
import { connectBusiness, disconnectBusiness } from './business.ts';
import * as chatJoins from './chat-joins.ts';
import * as ephemeral from './ephemeral.ts';
import * as groups from './groups.ts';
import * as inline from './inline.ts';
import * as media from './media.ts';
import * as payments from './pay.ts';
import { callbackAnswer, press, stopDraft } from './press.ts';
import { pinByUser, react, vote } from './react.ts';
import { chatsOf, fileOf, history, sees, snapshot } from './show.ts';
import * as talk from './talk.ts';
import * as bots from './bots.ts';

/** Every function that takes the world first becomes one that knows it. */
type Bound<F> = F extends (world: World, ...args: infer A) => infer R ? (...args: A) => R : never;

const verbs = {
  createChat: groups.createChat,
  addMember: groups.addMember,
  removeMember: groups.removeMember,
  leave: groups.leave,
  promote: groups.promote,
  upgradeGroup: groups.upgradeGroup,
  join: chatJoins.join,
  setGuardBot: chatJoins.setGuardBot,
  answerJoinRequest: chatJoins.answerJoinRequest,
  joinStatus: chatJoins.joinStatus,
  openJoinWebApp: chatJoins.openJoinWebApp,
  say: talk.say,
  edit: talk.editText,
  delete: talk.deleteByUser,
  sendMedia: media.sendMedia,
  replaceMedia: media.replaceMedia,
  sendContent: media.sendContent,
  forward: media.forwardByUser,
  setProfilePhoto: media.setProfilePhoto,
  press,
  callbackAnswer,
  react,
  vote,
  pin: pinByUser,
  blockBot,
  connectBusiness,
  disconnectBusiness,
  inlineQuery: inline.inlineQuery,
  inlineResults: inline.inlineResults,
  chooseInlineResult: inline.chooseInlineResult,
  sayUnseen: ephemeral.sayUnseen,
  pressUnseen: ephemeral.pressUnseen,
  unseenByOthers: ephemeral.unseenByOthers,
  pay: payments.pay,
  paymentOf: payments.paymentOf,
  chooseShipping: payments.chooseShipping,
  addGame: bots.addGame,
  giveStars: bots.giveStars,
  stopDraft,
  chatsOf,
  fileOf,
  history,
  sees,
  snapshot,
} satisfies Record<string, (world: World, ...args: never[]) => unknown>;

type BoundVerbs = { [K in keyof typeof verbs]: Bound<(typeof verbs)[K]> };

/** What people do in the world, as functions of one sandbox. */
export interface Actions extends BoundVerbs {
  createUser(fields?: NewUser): UserRecord;
  createBot(fields?: NewBot): BotRecord;
}

export function bindActions(world: World): Actions {
  const bound: Record<string, unknown> = {};
  for (const [name, verb] of Object.entries(verbs)) {
    bound[name] = (...args: never[]) => (verb as (...all: unknown[]) => unknown)(world, ...args);
  }
  return {
    ...(bound as unknown as BoundVerbs),
    createUser: (fields) => addUser(world, fields),
    createBot: (fields) => addBot(world, fields),
  };
}
