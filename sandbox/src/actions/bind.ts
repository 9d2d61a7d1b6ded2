import { addBot, addUser } from '../world/people.ts';
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
import * as topics from './topics.ts';
import * as bots from './bots.ts';

/** Turns every function that takes the world first into one that is bound to it. */
type Bound<F> = F extends (world: World, ...args: infer A) => infer R ? (...args: A) => R : never;

const verbs = {
  createUser: addUser,
  createBot: addBot,
  createChat: groups.createChat,
  addMember: groups.addMember,
  removeMember: groups.removeMember,
  leave: groups.leave,
  promote: groups.promote,
  upgradeGroup: groups.upgradeGroup,
  join: chatJoins.join,
  setGuardBot: chatJoins.setGuardBot,
  joinStatus: chatJoins.joinStatus,
  say: talk.say,
  edit: talk.editText,
  delete: talk.deleteByUser,
  sendMedia: media.sendMedia,
  sendAlbum: media.sendAlbum,
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
  unseenByOthers: ephemeral.unseenByOthers,
  pay: payments.pay,
  paymentOf: payments.paymentOf,
  addGame: bots.addGame,
  giveStars: bots.giveStars,
  stopDraft,
  topics: topics.topics,
  enableTopics: topics.enableTopics,
  createTopic: topics.createTopic,
  changeTopic: topics.changeTopic,
  removeTopic: topics.removeTopic,
  pruneTopic: topics.pruneFirstMessage,
  chatsOf,
  fileOf,
  history,
  sees,
  snapshot,
} satisfies Record<string, (world: World, ...args: never[]) => unknown>;

/** Actions of people in the world, as functions of one sandbox. */
export type Actions = { [K in keyof typeof verbs]: Bound<(typeof verbs)[K]> };

export function bindActions(world: World): Actions {
  const bound = Object.entries(verbs).map(([name, verb]) => [
    name,
    (...args: never[]) => (verb as (...all: unknown[]) => unknown)(world, ...args),
  ]);
  return Object.fromEntries(bound) as Actions;
}
