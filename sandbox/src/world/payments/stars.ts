import type { Gift, StarTransaction } from '@grammyjs/types';
import { storeMedia } from '../messages/media.ts';
import { paintPicture } from '../messages/picture.ts';
import type { BotRecord } from '../bot-records.ts';
import { nextLongId, type World } from '../world.ts';

const maxTransactions = 1000;

/** The gifts that can be bought here; each is painted when somebody first needs it. */
const gifts = [
  { id: '5170145012310081615', emoji: '💝', stars: 15, hue: 330 },
  { id: '5170233102089322756', emoji: '🧸', stars: 25, hue: 30 },
  { id: '5170564780938756245', emoji: '🚀', stars: 50, hue: 210 },
];

export function giftsOf(world: World): Gift[] {
  world.state.gifts ??= gifts.map(({ id, emoji, stars, hue }) => {
    const bytes = paintPicture(128, 128, hue);
    const sticker = storeMedia(world, 'sticker', { bytes, name: 'gift.png' }, { emoji })?.sticker;
    if (!sticker) throw new Error('A painted picture is always a sticker.');
    return { id, sticker, star_count: stars };
  });
  return world.state.gifts;
}

/** Changes a bot's balance and stores the reason; only the newest reasons are kept. */
export function moveStars(
  world: World,
  bot: BotRecord,
  amount: number,
  partner: Pick<StarTransaction, 'source' | 'receiver'>,
  id = nextLongId(world),
): void {
  bot.stars = (bot.stars ?? 0) + amount;
  const transaction: StarTransaction = {
    id,
    amount: Math.abs(amount),
    date: world.now(),
    ...partner,
  };
  bot.starTransactions = [transaction, ...(bot.starTransactions ?? [])].slice(0, maxTransactions);
  world.changed({ type: 'bot_changed', botId: bot.id });
}
