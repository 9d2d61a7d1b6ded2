import type { Gift, GiftInfo, StarTransactions, TransactionPartner } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { formatText } from '../../text/format.ts';
import { addService } from '../../world/messages/messages.ts';
import { personOf } from '../../world/people.ts';
import type { Room } from '../../world/records.ts';
import { localiseFiles } from '../../world/messages/render.ts';
import { chatObject } from '../../world/chats/rooms.ts';
import { balanceOf } from '../../world/payments/paid-broadcasts.ts';
import { giftsOf, moveStars } from '../../world/payments/stars.ts';
import type { Call, MethodTable } from '../call.ts';
import { readEntities } from '../send.ts';
import { privateRoom, roomOf, userIdOf } from '../target.ts';

const maxText = 128;

const getAvailableGifts = (call: Call): { gifts: Gift[] } =>
  localiseFiles({ gifts: giftsOf(call.world) }, call.bot);

/** Returns a person's private chat, or a channel. */
function receiverOf(call: Call): Room {
  if (!call.params.has('chat_id')) return privateRoom(call, userIdOf(call));
  const room = roomOf(call);
  if (room.type !== 'private' && room.type !== 'channel') throw badRequest('PEER_ID_INVALID');
  return room;
}

function giftInfo(call: Call, gift: Gift): GiftInfo {
  const { params, world } = call;
  const { text, entities } = formatText(
    world.state,
    params.text('text'),
    params.text('text_parse_mode'),
    readEntities(call, 'text_entities'),
  );
  if (text.length > maxText) throw badRequest('MESSAGE_TOO_LONG');
  return {
    gift,
    ...(text !== '' && { text }),
    ...(entities.length > 0 && { entities }),
  };
}

/** Pays a gift from the bot's stars; the person or the channel sees it in the chat. */
function sendGift(call: Call): true {
  const { bot, params, world } = call;
  const giftId = params.required('gift_id');
  const gift = giftsOf(world).find(({ id }) => id === giftId);
  if (!gift) throw badRequest('STARGIFT_INVALID');
  const room = receiverOf(call);
  const content = { gift: giftInfo(call, gift) };
  if ((bot.stars ?? 0) < gift.star_count) throw badRequest('BALANCE_TOO_LOW');
  const receiver: TransactionPartner =
    room.type === 'private'
      ? {
          type: 'user',
          transaction_type: 'gift_purchase',
          user: personOf(world.state, room.userId),
          gift,
        }
      : { type: 'chat', chat: chatObject(world.state, room), gift };
  moveStars(world, bot, -gift.star_count, { receiver });
  addService(world, room, bot.id, content);
  return true;
}

function getStarTransactions(call: Call): StarTransactions {
  const offset = Math.max(0, call.params.integer('offset'));
  const limit = call.params.integer('limit', 100, 1, 100);
  const transactions = (call.bot.starTransactions ?? []).slice(offset, offset + limit);
  return localiseFiles({ transactions }, call.bot);
}

export const giftMethods: MethodTable = {
  getavailablegifts: getAvailableGifts,
  sendgift: sendGift,
  getmystarbalance: (call) => balanceOf(call.bot),
  getstartransactions: getStarTransactions,
};
