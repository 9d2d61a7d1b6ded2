import { badRequest } from '../api-error.ts';
import type { ChatRecord } from '../world/records.ts';
import { isAdmin } from '../world/chats/rights.ts';
import type { Call } from './call.ts';
import { chatOf, roomOf, userIdOf } from './target.ts';

/*
 * Methods about things that the sandbox does not have: sticker sets, stories, passports. A
 * call is checked as Telegram checks it, and then gets Telegram's error for something that does not
 * exist. No method here ever succeeds.
 */

type RefusingMethod = (call: Call) => never;

const say =
  (reason: string): RefusingMethod =>
  () => {
    throw badRequest(reason);
  };

const queryGone = say('query is too old and response timeout expired or query ID is invalid');
const noSet = say('STICKERSET_INVALID');

/** Where Telegram would return data that this world does not have, the error says so plainly. */
function unsupported(call: Call): never {
  throw badRequest(`method ${call.method} is not supported by the sandbox`);
}

/** Looks for the object that the call names first. */
const after =
  (look: (call: Call) => unknown, then: RefusingMethod): RefusingMethod =>
  (call) => {
    look(call);
    return then(call);
  };

function supergroupOf(call: Call): ChatRecord {
  const chat = chatOf(call, 'method is available only for supergroups');
  if (chat.type !== 'supergroup') throw badRequest('method is available only for supergroups');
  return chat;
}

function adminOf(call: Call): void {
  const chat = chatOf(call, 'PEER_ID_INVALID');
  if (!isAdmin(chat.members.get(call.bot.id))) throw badRequest('not enough rights');
}

function stickerOf(call: Call): void {
  if (call.params.text('sticker').trim() === '') throw badRequest('sticker is not specified');
}

function senderChat(call: Call): void {
  adminOf(call);
  const given = call.params.text('sender_chat_id').trim();
  if (given === '') throw badRequest('sender_chat_id is empty');
  if (!/^-?\d+$/u.test(given)) throw badRequest('sender_chat_id is not a valid Integer');
}

function storyContent(call: Call): void {
  if (!call.params.has('content')) throw badRequest("story content isn't specified");
}

function paymentOf(call: Call): void {
  userIdOf(call);
  call.params.required('telegram_payment_charge_id');
}

function businessOf(call: Call): void {
  const id = call.params.text('business_connection_id');
  const connection = call.world.state.connections?.get(id);
  if (connection?.botId !== call.bot.id) throw badRequest('business connection not found');
}

const ofAccount = after(businessOf, unsupported);
const ofSticker = after(stickerOf, say('wrong file identifier/HTTP URL specified'));
const ofUser = after(userIdOf, say('USER_PERMISSION_DENIED'));
const byVerifier = say('BOT_VERIFIER_FORBIDDEN');

const refusingMethods: Record<string, RefusingMethod> = {
  answerguestquery: queryGone,
  answerwebappquery: queryGone,
  getstickerset: noSet,
  addstickertoset: after(userIdOf, noSet),
  replacestickerinset: after(userIdOf, noSet),
  setstickersettitle: noSet,
  deletestickerset: noSet,
  setstickersetthumbnail: after(userIdOf, noSet),
  setcustomemojistickersetthumbnail: noSet,
  setchatstickerset: after(supergroupOf, noSet),
  setstickerpositioninset: ofSticker,
  deletestickerfromset: ofSticker,
  setstickeremojilist: ofSticker,
  setstickerkeywords: ofSticker,
  setstickermaskposition: ofSticker,
  banchatsenderchat: after(senderChat, say('PARTICIPANT_ID_INVALID')),
  unbanchatsenderchat: after(senderChat, say('PARTICIPANT_ID_INVALID')),
  setuseremojistatus: ofUser,
  verifyuser: after(userIdOf, byVerifier),
  removeuserverification: after(userIdOf, byVerifier),
  verifychat: after(roomOf, byVerifier),
  removechatverification: after(roomOf, byVerifier),
  edituserstarsubscription: after(paymentOf, say('CHARGE_NOT_FOUND')),
  setpassportdataerrors: after(userIdOf, say('USER_BOT_REQUIRED')),
  poststory: after(storyContent, ofAccount),
  repoststory: after((call) => call.params.required('from_chat_id'), ofAccount),
  editstory: after(storyContent, ofAccount),
  deletestory: ofAccount,
  setbusinessaccountname: ofAccount,
  setbusinessaccountusername: ofAccount,
  setbusinessaccountbio: ofAccount,
  setbusinessaccountprofilephoto: ofAccount,
  removebusinessaccountprofilephoto: ofAccount,
  setbusinessaccountgiftsettings: ofAccount,
  getbusinessaccountstarbalance: ofAccount,
  transferbusinessaccountstars: ofAccount,
  getbusinessaccountgifts: ofAccount,
  convertgifttostars: ofAccount,
  upgradegift: ofAccount,
  transfergift: ofAccount,
};

export function refuseCall(call: Call, name: string): never {
  return (refusingMethods[name] ?? unsupported)(call);
}
