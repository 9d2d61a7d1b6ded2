import type { BotRecord } from '../bot-records.ts';

/** Telegram lets bots pay for sending faster from this balance on. */
const leastBalance = 10_000;
const tenths = 10;

export const canPay = ({ stars = 0 }: BotRecord): boolean => stars >= leastBalance;

/** A message costs a tenth of a Star. */
export function payForMessage(bot: BotRecord): void {
  bot.stars = Math.round((bot.stars ?? 0) * tenths - 1) / tenths;
}

/** A Star has a billion nanostars. */
export function balanceOf({ stars = 0 }: BotRecord): { amount: number; nanostar_amount?: number } {
  const amount = Math.floor(stars);
  const rest = Math.round((stars - amount) * tenths);
  return { amount, ...(rest > 0 && { nanostar_amount: rest * 100_000_000 }) };
}
